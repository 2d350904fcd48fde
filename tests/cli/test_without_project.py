"""The options of going on without the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from crewcheck.cli.running import _refuse_doubts
from crewcheck.errors import Refused
from tests.build import small_store
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--without-project", "--entry", "a:b"], "--without-project excludes --entry"),
        (["--without-project", "--script", "a.py"], "--without-project excludes --entry"),
        (["--trust-endpoint"], "is for --without-project"),
    ],
)
def test_what_does_not_go_together(options: list[str], said: str, run: Run, tmp_path: Path) -> None:
    result = run("--location", str(small_store(tmp_path)), "resume", *options)
    assert result.returncode == 2
    assert said in result.stderr


def test_yes_does_not_accept_what_nobody_can_tell() -> None:
    loss = {"rule": "callback", "where": "", "message": "its callback is not called"}
    _refuse_doubts({"losses": [loss]}, alone=True)
    doubt = {"rule": "context", "where": "edit", "message": "who knows", "doubt": True}
    for alone, way in ((True, "--entry or --script"), (False, "--rerun TASK")):
        with pytest.raises(Refused, match=f"edit: who knows; accept it with --allow-.*{way}"):
            _refuse_doubts({"losses": [doubt, loss]}, alone=alone)
