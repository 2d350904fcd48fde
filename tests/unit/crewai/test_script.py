"""What a program's own kickoff is given, by name."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.script import by_name


class Crew:
    """As CrewAI's is kicked off."""

    def kickoff(
        self, inputs: Any = None, input_files: Any = None, from_checkpoint: Any = None
    ) -> None: ...

    async def akickoff(self, inputs: Any = None, **kwargs: Any) -> None: ...


def test_what_is_given_by_place_has_the_names_of_the_places() -> None:
    def given(*args: Any, **named: Any) -> dict[str, Any]:
        return by_name(Crew.kickoff, Crew(), args, named)

    assert given() == {}
    assert given({"a": 1}) == {"inputs": {"a": 1}}
    assert given({"a": 1}, {"f": "x"}) == {"inputs": {"a": 1}, "input_files": {"f": "x"}}
    assert given({"a": 1}, from_checkpoint="c") == {"inputs": {"a": 1}, "from_checkpoint": "c"}
    assert given(None, None, "c") == {"inputs": None, "input_files": None, "from_checkpoint": "c"}


def test_further_names_are_kept() -> None:
    assert by_name(Crew.akickoff, Crew(), (1,), {"more": 2}) == {"inputs": 1, "more": 2}


def test_what_the_call_would_not_take_is_an_error_as_there() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'inputs'"):
        by_name(Crew.kickoff, Crew(), (1,), {"inputs": 2})
    with pytest.raises(TypeError, match="too many positional arguments"):
        by_name(Crew.kickoff, Crew(), (1, 2, 3, 4), {})
