from __future__ import annotations

import pytest

from crewcheck.engine.branches import check_branch, new_branch
from crewcheck.errors import Refused, UsageProblem


@pytest.mark.parametrize(
    "branch",
    [
        "main",
        "exp/hot soup",
        "fork of a fork ✂",
        "a.b",
        "v1.2/x",
        "فرع",
        "👩\u200d👧",
        "con-x",
        "a" * 200,
    ],
)
def test_names_that_may_be(branch: str) -> None:
    assert check_branch(branch, ["other"]) == branch


@pytest.mark.parametrize(
    "branch",
    [
        "", "  ", "..", "../x", "a/../../b", "/abs", "a//b", "a/", ".", "a\x00b", "a\nb",
        "a\x1b[2J",
        "x\u202ey", "a\u200bb", "a\\b", "NUL", "con/x", "aux.txt", "a.", " a", "a ", "a /b",
        ".crewcheck", "a/.crewcheck", "\ud800", "a" * 201, "é" * 130,
    ],
)  # fmt: skip
def test_names_that_may_not_be(branch: str) -> None:
    with pytest.raises(UsageProblem):
        check_branch(branch, [])


@pytest.mark.parametrize("taken", ["Exp/One", "exp/one", "EXP/ONE"])
def test_a_name_that_is_taken_whatever_its_case(taken: str) -> None:
    with pytest.raises(Refused, match="exists already"):
        check_branch("exp/one", ["main", taken])


def test_composed_and_decomposed_letters_are_one_name() -> None:
    with pytest.raises(Refused):
        check_branch("caf\u00e9", ["cafe\u0301"])


def test_made_up_names_are_unique_and_may_be() -> None:
    names = {new_branch("20261129T170001_00000001") for _ in range(50)}
    assert len(names) == 50
    for name in names:
        assert name.startswith("fork/20261129T170001_00000001_")
        check_branch(name, ["main"])
