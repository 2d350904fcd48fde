from __future__ import annotations

import textwrap
from pathlib import Path

from crewcheck.runtimes.static_look import look_at
from crewcheck.runtimes.static_values import Step

HEAD = """
from crewai.flow.flow import Flow, and_, listen, or_, router, start
from crewai.flow.human_feedback import human_feedback
"""


def steps(tmp_path: Path, body: str) -> dict[str, Step]:
    (tmp_path / "work.py").write_text(HEAD + textwrap.dedent(body))
    (found,) = look_at(str(tmp_path), [str(tmp_path)]).candidates
    return {step.name: step for step in found.steps}


def test_what_each_method_waits_for(tmp_path: Path) -> None:
    found = steps(
        tmp_path,
        """
        LABEL = "late"

        class Road(Flow):
            @start()
            def one(self): ...

            @start(one)
            def again(self): ...

            @start()
            async def two(self): ...

            @listen(or_(one, "late"))
            def either(self): ...

            @listen(and_(one, or_(two, LABEL)))
            def both(self): ...

            @listen(LABEL)
            def late(self): ...

            @listen(pick())
            def odd(self): ...

            def helper(self): ...
        """,
    )
    assert [(one.name, one.kind, one.waits_for, one.all_of) for one in found.values()] == [
        ("one", "start", (), False),
        ("again", "start", ("one",), False),
        ("two", "start", (), False),
        ("either", "listen", ("one", "late"), False),
        ("both", "listen", ("one", "two", "late"), True),
        ("late", "listen", ("late",), False),
        ("odd", "listen", None, False),
    ]


def test_the_labels_of_routers(tmp_path: Path) -> None:
    found = steps(
        tmp_path,
        """
        class Road(Flow):
            @router("x")
            def sure(self):
                def inner():
                    return 3
                if inner():
                    return "left" if self.state else "right"
                return "end"

            @router("x")
            def unsure(self):
                return self.state["label"]

            @listen("x")
            def none(self):
                return "text"

            @listen("x")
            @human_feedback(message="ok?", emit=["yes", "no"], llm="gpt-4o")
            def ask(self): ...
        """,
    )
    assert found["ask"].labels == ("yes", "no")
    assert found["sure"].labels == ("left", "right", "end")
    assert found["unsure"].labels is None
    assert found["none"].labels is None
    assert found["sure"].waits_for == ("x",)
