"""The README's commands, pictures and shapes, held to what the program does.

Every command line in it is run as it stands there: on a copy of the demo store, those with
``--state`` on a flow. Only what would run a crew, open the app or set something up is not:
for the first, its plan is asked for, of data alone.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli.main import COMMANDS
from crewcheck.runtimes.project import find_project
from tests.build import ident, write
from tests.cli.conftest import Run
from tests.unit.engine.test_fork_flow import shop
from tests.writer import write_rows

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: Lines of what is shown as typed: the command, two blanks or more, what it does.
LINES = [
    re.split(r"\s{2,}", line[4:].removeprefix("$ "))[0]
    for line in README.splitlines()
    if re.match(r" {4}(\$ )?crewcheck\b", line)
]
#: Those that list commands with their arguments in brackets are no examples.
EXAMPLES = [line for line in LINES if not re.search(r"[\[\]…](?!\.)(?![^']*')", line)]
#: What is said where there is nothing to print; of a plan it is that something runs.
SAYS = {
    ("list", "--status"): "of 13 checkpoints",
    ("verify",): "no damage, no warnings",
    ("verify", "latest"): "no damage, no warnings",
    ("attempts", "list"): "no attempts",
}
OPENS_THE_APP = ("crewcheck", "crewcheck --location runs.db", "crewcheck demo")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "crewcheck" / "demo" / "store", folder / ".checkpoints")
    shutil.copy(ROOT / "crewcheck" / "demo" / "project" / "crew.py", folder)
    (folder / "pyproject.toml").write_text("")
    (folder / "notes.md").write_text("Three facts\n")
    write_rows(folder / "runs.db", 3, 3)
    return folder


def arguments(line: str) -> list[str]:
    """What the program is given: the rest of the line is the shell's, or jq's."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|&;<>()"):
            break
        words.append(word)
    return words[1:]


@pytest.mark.parametrize("line", [one for one in EXAMPLES if one not in OPENS_THE_APP])
def test_an_example_works(call: Run, project: Path, line: str) -> None:
    args = arguments(line)
    if "--state" in args or "order=cake" in args:
        shutil.rmtree(project / ".checkpoints")
        write(project / ".checkpoints", shop(), ident(1))
    if args[0] == "watch":
        args += ["--existing", "--limit", "1"]
    if args[0] == "fork":
        args += ["--no-run"]
    if args[0] == "resume":
        args += ["--dry-run", "--python", "no-such-python"]
    done = call(*args, cwd=project, CREWCHECK_STATE_DIR=str(project / "state"))
    if args[0] == "resume":
        assert (done.returncode, "no-such-python" in done.stderr) == (2, True), done.stderr
        return
    assert done.returncode == (1 if "--exit-code" in args else 0), done.stderr
    assert done.stdout or SAYS.get(tuple(args[:2]), "\n  run ") in done.stderr
    if "--json" in args and args[0] != "watch":
        json.loads(done.stdout)


def test_there_are_examples_of_what_reads() -> None:
    given = {arguments(line)[0] for line in EXAMPLES if line not in OPENS_THE_APP}
    assert {"list", "tree", "show", "diff", "watch", "verify", "fork", "resume"} <= given


def test_every_command_is_named() -> None:
    listed = {line.split()[1] for line in LINES if " " in line}
    assert set(COMMANDS) - listed == set()


def test_the_object_of_list_is_what_list_gives(call: Run, project: Path) -> None:
    shown = re.search(r"jq '\.\[0\]'\n((?:    .*\n)+)", README)
    assert shown
    done = call("list", "--json", cwd=project)
    assert json.loads(shown[1]) == json.loads(done.stdout)[0]


@pytest.mark.parametrize(
    ("row", "args"),
    [
        ("info --json", ("info", "--json")),
        ("tree --json", ("tree", "--json")),
        ("diff --json", ("diff", "--json")),
        ("verify --json", ("verify", "--json", "--severity", "advice")),
    ],
)
def test_the_keys_of_a_shape(call: Run, project: Path, row: str, args: tuple[str, ...]) -> None:
    line = next(one for one in README.splitlines() if one.startswith(f"| `{row}` |"))
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", line.split("|")[2]))))
    made: Any = json.loads(call(*args, cwd=project).stdout)
    if isinstance(made, list):
        made = made[0]
    if row == "info --json":
        made = {key: 0 for key in made if key not in keys_of_list(call, project)}
    if row == "diff --json":
        named -= set(made["items"][0])
    assert named == set(made)


def keys_of_list(call: Run, project: Path) -> set[str]:
    return set(json.loads(call("list", "--json", cwd=project).stdout)[0])


def test_its_pictures_are_there_and_no_others() -> None:
    named = set(re.findall(r"\((screenshots/[^)]+)\)", README))
    assert named == {f"screenshots/{one.name}" for one in (ROOT / "screenshots").iterdir()}


def test_the_settings_of_a_project_are_read(tmp_path: Path) -> None:
    shown = re.search(r"( {4}\[tool\.crewcheck\]\n(?: {4}.+\n)+)", README)
    assert shown
    text = re.sub(r"^ {4}", "", shown[1], flags=re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(text)
    config = find_project(str(tmp_path / "runs" / "checkpoints")).config
    values = tomllib.loads(text)["tool"]["crewcheck"]
    assert (config.entry, config.validate) == (values["entry"], values["validate"])
    assert (config.entry, config.validate) == (
        "my_project.crew:crew",
        "my_project.checks:still_good",
    )


def test_the_example_of_a_check_says_what_it_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"( {4}from pathlib import Path\n(?:(?: {4}.*)?\n)+)", README)
    assert shown
    names: dict[str, Any] = {}
    exec(re.sub(r"^ {4}", "", shown[1], flags=re.MULTILINE), names)
    monkeypatch.chdir(tmp_path)

    def asked(output: str | None) -> object:
        return names["still_good"]({"tasks": [{"name": "draft", "output": output}]})

    assert (asked(None), asked("x")) == (None, "draft.md is gone")
    (tmp_path / "draft.md").write_text("x")
    assert asked("x") is None
