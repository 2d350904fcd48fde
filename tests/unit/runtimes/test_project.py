from __future__ import annotations

import os
from pathlib import Path

import pytest

from crewcheck.errors import UsageProblem
from crewcheck.runtimes.dotenv import parse_dotenv
from crewcheck.runtimes.project import ProjectConfig, find_project, is_reference, read_config


def config(folder: Path, text: str) -> ProjectConfig:
    path = folder / "pyproject.toml"
    path.write_text(text)
    return read_config(str(path))


def test_a_dotenv_file() -> None:
    text = (
        "\ufeff# keys\r\n"
        "PLAIN=a b # comment\r\n"
        "export EXPORTED = x\n"
        "  HASH=a#b\n"
        "EMPTY=\n"
        "COMMENTED= # nothing\n"
        "INNER= # nothing\n"
        "SINGLE='a # ${PLAIN} \\n' # c\n"
        'DOUBLE="a\\n\\"b\\" ${PLAIN} \\${X:-x} #"\n'
        'LONG="one\ntwo"\n'
        "REF=${PLAIN}/${NONE:-default}/${OUTER}\n"
        "URL=postgres://u:p@h/db?x=1\n"
        "PLAIN=last\n"
        "no value\n"
        "export DECLARED\n"
        "1BAD=x\n"
        "COMMENTED=#none # c\n"
        "OPEN='never closed\n"
        "A.B-C=dotted"
    )
    values, bad = parse_dotenv(text, {"OUTER": "outer"})
    assert values == {
        "PLAIN": "last",
        "EXPORTED": "x",
        "HASH": "a#b",
        "EMPTY": "",
        "COMMENTED": "#none",
        "INNER": "",
        "SINGLE": "a # a b \\n",
        "DOUBLE": 'a\n"b" a b \\x #',
        "LONG": "one\ntwo",
        "REF": "a b/default/outer",
        "URL": "postgres://u:p@h/db?x=1",
        "1BAD": "x",
        "A.B-C": "dotted",
    }
    assert bad == [15, 19]
    assert parse_dotenv("") == ({}, [])
    assert parse_dotenv("A='x\0y'\n\n\n? ?") == ({}, [4])
    # what the environment has empty is empty; the names of lines without a value are none
    assert parse_dotenv("B=${A:-x}${C:-y}\nA=1\nC", {"A": ""})[0] == {"B": "y", "A": "1"}
    assert parse_dotenv('A="one\nB=2') == ({"B": "2"}, [1])


def test_the_project_is_around_the_store_first(tmp_path: Path) -> None:
    theirs, here = tmp_path / "theirs", tmp_path / "here"
    for folder in (theirs / "sub" / ".checkpoints", theirs / "src", here / "inner"):
        folder.mkdir(parents=True)
    (theirs / "pyproject.toml").write_text('[tool.crewcheck]\nentry = "a.b:c"\n')
    (here / "pyproject.toml").touch()
    project = find_project(str(theirs / "sub" / ".checkpoints"), str(here))
    assert project.folder == str(theirs)
    assert project.pyproject == str(theirs / "pyproject.toml")
    assert project.config.entry == "a.b:c"
    assert project.path == (str(theirs / "src"), str(theirs))
    assert find_project("postgresql://host/db", str(here / "inner")).folder == str(here)
    assert find_project(str(tmp_path / "x.db"), str(here / "inner")).folder == str(here)
    assert find_project(None, str(here)).path == (str(here),)


def test_without_a_pyproject_the_folder_is_that_of_the_store_or_of_the_call(
    tmp_path: Path,
) -> None:
    (tmp_path / "proj" / "sub").mkdir(parents=True)
    (tmp_path / "proj" / ".git").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pyproject.toml").touch()  # above the repository: not its own
    (tmp_path / "elsewhere" / ".git").mkdir()
    store = str(tmp_path / "proj" / ".checkpoints")
    project = find_project(store, str(tmp_path / "elsewhere"))
    assert (project.folder, project.pyproject) == (str(tmp_path / "proj"), None)
    assert find_project(store, str(tmp_path / "proj")).folder == str(tmp_path / "proj")
    inner = find_project(str(tmp_path / "proj" / "sub" / "x.db"), str(tmp_path / "proj"))
    assert inner.folder == str(tmp_path / "proj")


def test_a_program_beside_the_store_is_the_project_wherever_we_are(tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "pyproject.toml").touch()
    store, here = str(tmp_path / "program" / ".checkpoints"), str(tmp_path / "here")
    assert find_project(store, here).folder == here
    (tmp_path / "program" / "main.py").touch()
    project = find_project(store, here)
    assert (project.folder, project.pyproject) == (str(tmp_path / "program"), None)


def test_dotenv_never_overrides_and_its_odd_lines_are_noted(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".env").write_bytes(b"A=1\nB=2\n? ?\nC=\xff\n")
    project = find_project(None, str(tmp_path), {"A": "mine"})
    assert project.env == {"B": "2", "C": "\ufffd"}
    assert project.notes == (f"{tmp_path}/.env: line 3 is no NAME=VALUE and was passed over",)
    assert "A" not in find_project(None, str(tmp_path), {"A": ""}).env


def test_a_large_or_unreadable_dotenv_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".env").write_text("A=1\n" * 300_000)
    project = find_project(None, str(tmp_path), {})
    assert project.env == {}
    assert "larger than 1 MB" in project.notes[0]

    def refuse(path: str) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os.path, "getsize", refuse)
    assert "cannot be read: permission denied" in find_project(None, str(tmp_path), {}).notes[0]


def test_all_of_the_configuration(tmp_path: Path) -> None:
    read = config(
        tmp_path,
        '[tool.crewcheck]\nscript = ["run.py", "--fast"]\npython = "../venv/bin/python"\n'
        'location = "runs"\nvalidate = "checks:ok"\nfuture = 1\n',
    )
    assert read == ProjectConfig(
        script=str(tmp_path / "run.py"),
        script_args=("--fast",),
        python=str(tmp_path.parent / "venv" / "bin" / "python"),
        location=str(tmp_path / "runs"),
        validate="checks:ok",
    )
    read = config(
        tmp_path, '[tool.crewcheck]\npython="python3.12"\nlocation="s3://b/p"\nscript="a.py"'
    )
    assert (read.python, read.location) == ("python3.12", "s3://b/p")
    assert read.script == str(tmp_path / "a.py")
    assert config(tmp_path, "[project]\nname='x'") == ProjectConfig()
    assert config(tmp_path, "tool = 3") == ProjectConfig()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool\n", "cannot be read"),
        ("[tool]\ncrewcheck = 3", "tool.crewcheck must be a table, not 3"),
        ("[tool.crewcheck]\nentry = 3", "entry must be module:attr, not 3"),
        ("[tool.crewcheck]\nentry = 'a.b'", "entry must be module:attr, not 'a.b'"),
        ("[tool.crewcheck]\nentry = 'a/b.py:c'", "entry must be module:attr"),
        ("[tool.crewcheck]\nvalidate = ':x'", "validate must be module:function"),
        ("[tool.crewcheck]\nscript = []", "script must be a file, or a list"),
        ("[tool.crewcheck]\nscript = ['a', 1]", "script must be a file, or a list"),
        ("[tool.crewcheck]\npython = ' '", "python must be the path of a Python"),
        ("[tool.crewcheck]\nlocation = true", "location must be a path or URL, not True"),
        ("[tool.crewcheck]\nentry='a:b'\nscript='c'", "both entry and script"),
    ],
)
def test_what_cannot_be_is_refused_by_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        config(tmp_path, text)
    assert words in caught.value.message
    assert str(tmp_path / "pyproject.toml") in caught.value.message


def test_references() -> None:
    assert is_reference("a.b:c.d")
    assert not any(map(is_reference, ["a", "a:", ":a", "a b:c", "a:b:c", "a.:b", "../a:b"]))


def test_a_part_of_a_repository_runs_in_its_own_folder(tmp_path: Path) -> None:
    part = tmp_path / "services" / "press"
    (part / "src").mkdir(parents=True)
    (part / "data").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".env").write_text("A=1\n")
    store = str(part / ".checkpoints")
    assert find_project(store, "/", {}).cwd == str(tmp_path)  # no program is there
    (part / "main.py").touch()
    project = find_project(store, "/", {})
    assert (project.folder, project.cwd) == (str(tmp_path), str(part))
    assert project.path == (str(part / "src"), str(part), str(tmp_path))
    assert project.around == [str(part), str(tmp_path / "services"), str(tmp_path)]
    assert project.env == {"A": "1"}
    (part / ".env").write_text("B=2\n")
    assert find_project(store, "/", {}).env == {"B": "2"}
    # a store with a name of its own may have been put there from anywhere
    assert find_project(str(part / "runs"), "/", {}).cwd == str(tmp_path)


def test_a_member_of_a_workspace_has_what_is_around_it(tmp_path: Path) -> None:
    member = tmp_path / "shop" / "member"
    member.mkdir(parents=True)
    (member / "pyproject.toml").touch()
    project = find_project(str(member / "x.db"), "/", {})
    assert project.around == [str(member)]
    (tmp_path / "shop" / "pyproject.toml").touch()
    assert project.around == [str(member), str(tmp_path / "shop")]
    (tmp_path / ".git").mkdir()
    assert project.around == [str(member), str(tmp_path / "shop"), str(tmp_path)]
