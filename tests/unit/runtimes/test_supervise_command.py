from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.unit.runtimes.conftest import spec

RUN = "import sys; from crewcheck.cli.supervise import command; command(sys.argv[1:])"


def supervise(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, str(folder)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )


def test_a_run_is_supervised_in_the_foreground_once(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_bytes(spec(tmp_path, "finish").to_json())
    done = supervise(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert '"type": "exited"' in (tmp_path / "journal.jsonl").read_text()
    again = supervise(tmp_path)
    assert "has had, its supervisor" in again.stderr


def test_a_folder_without_a_spec(tmp_path: Path) -> None:
    assert "holds no run that can be supervised" in supervise(tmp_path).stderr
