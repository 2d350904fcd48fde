from __future__ import annotations

from typing import Any

from crewcheck.engine.inspect import Info, lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.model.scan import Checkpoint, Header
from tests.build import agent, crew, document, event, flow, task

KEY = "sk-fake-0123456789abcdef0123456789"


def laid_out(doc: dict[str, Any], *, show: bool = False) -> Info:
    return lay_out(doc, Checkpoint(Header(key="k", id="i", location="l")), Redactor(show=show))


def test_tasks_with_what_the_events_tell() -> None:
    info = laid_out(
        document(
            crew(task("a", output=""), task("b"), task("c"), task("d")),
            events=[
                event(1, "task_started", task_id="task-a"),
                event(2, "llm_call_completed", task_id="task-a", usage={"total_tokens": 15}),
                event(5, "task_completed", task_id="task-a", started_event_id="event-1"),
                event(6, "task_started", task_id="task-b"),
                event(8, "task_failed", task_id="task-b", error="model down"),
                event(9, "task_started", task_id="task-c"),
            ],
        )
    )
    assert [(t.state, t.output, t.seconds, t.error) for t in info.tasks] == [
        ("done", "", 4.0, None),
        ("failed", None, 2.0, "model down"),
        ("running", None, None, None),
        ("pending", None, None, None),
    ]
    assert info.tasks[0].tokens.total == 15
    assert info.tokens.calls == 1
    assert info.placeholders == ["topic"]
    assert info.inputs == {"topic": "bridges"}


def test_inputs_of_a_crew_that_has_just_begun_are_in_its_event() -> None:
    """The first checkpoint of CrewAI 1.15 has them nowhere else."""
    opening = event(1, "crew_kickoff_started", inputs={"n": 3, "deep": {"x": [True, None]}})
    info = laid_out(document(crew(task(), checkpoint_inputs=None), events=[opening]))
    assert info.inputs == {"n": 3, "deep": {"x": [True, None]}}


def test_inputs_of_a_second_kickoff_are_its_own() -> None:
    events = [
        event(1, "crew_kickoff_started", inputs={"topic": "first"}),
        event(2, "crew_kickoff_started", inputs={"topic": "second"}),
    ]
    second = crew(task(), checkpoint_inputs=None, checkpoint_kickoff_event_id="event-2")
    assert laid_out(document(second, events=events)).inputs == {"topic": "second"}


def test_calls_of_a_flow_and_the_state_that_a_fork_goes_on_with() -> None:
    of = {"flow_name": "F"}
    events = [
        event(1, "method_execution_started", method_name="a", **of),
        event(2, "method_execution_finished", method_name="a", started_event_id="event-1",
              result={"n": KEY}, state={"n": 1}, **of),
        event(3, "method_execution_started", method_name="b", **of),
        event(4, "method_execution_finished", method_name="b", started_event_id="event-3",
              result=None, state={"n": 2, "key": KEY}, **of),
        event(5, "method_execution_started", method_name="a", **of),
    ]  # fmt: skip
    info = laid_out(document(flow("a", "b", state={"n": 3}), events=events))
    assert [(one.index, one.label, one.state, one.gives_text) for one in info.calls] == [
        (0, "a#1", "done", False),
        (1, "b", "done", True),
        (2, "a#2", "running", True),
    ]
    assert KEY not in str(info.calls)
    assert [(one.number, one.began, one.end) for one in info.calls] == [
        (1, 0, 0), (1, 1, 1), (2, 2, None),
    ]  # fmt: skip
    assert info.state == {"n": 3}
    behind = info.state_to_edit
    assert behind == info.behind
    assert behind["n"] == 2
    assert KEY not in str(behind)


def test_a_state_that_is_not_ahead_is_the_one_to_edit() -> None:
    info = laid_out(document(flow("a", state={"n": 3})))
    assert info.behind is None
    assert info.state_to_edit == {"n": 3}
    assert laid_out(document(crew(task()))).state_to_edit is None


def test_methods_in_the_order_in_which_they_ran() -> None:
    of = {"flow_name": "F"}
    info = laid_out(
        document(
            flow("a", "route"),
            events=[
                event(1, "flow_created", **of),
                event(2, "method_execution_started", method_name="a", **of),
                event(
                    3, "llm_call_completed", parent_event_id="event-2", usage={"total_tokens": 7}
                ),
                event(4, "method_execution_finished", method_name="a", result=[1], **of),
                event(5, "method_execution_started", method_name="route", **of),
                event(6, "method_execution_finished", method_name="route", result="left", **of),
                event(7, "method_execution_started", method_name="a", **of),
                event(9, "method_execution_finished", method_name="a", result=None, **of),
                event(10, "method_execution_started", method_name="go", **of),
                event(11, "method_execution_started", method_name="x", flow_name="AgentExecutor"),
            ],
        )
    )
    assert [(m.name, m.state, m.calls, m.results) for m in info.methods] == [
        ("a", "done", 2, [[1], None]),
        ("route", "done", 1, ["left"]),
        ("go", "running", 1, []),
    ]
    assert info.methods[0].seconds == 4.0
    assert info.methods[0].tokens.total == 7
    assert info.state == {"id": "state-1"}


def test_a_paused_method_asks() -> None:
    paused = event(1, "method_execution_paused", method_name="check", flow_name="F", message="ok?")
    info = laid_out(document(flow("write"), events=[paused], trigger="flow_paused"))
    assert [(m.name, m.state, m.message) for m in info.methods] == [
        ("check", "paused", "ok?"),
        ("write", "done", None),
    ]


def test_methods_of_an_old_version_come_from_the_flow_itself() -> None:
    old = flow("a", checkpoint_method_outputs=["bare"])
    assert [(m.name, m.state, m.results) for m in laid_out(document(old)).methods] == [
        ("a", "done", [])
    ]
    new = flow("a", checkpoint_method_outputs=[{"method": "a", "output": "x"}])
    assert laid_out(document(new)).methods[0].results == ["x"]


def test_an_agents_question_and_answer() -> None:
    asked = event(
        1,
        "lite_agent_execution_started",
        messages=[{"role": "system", "content": "be good"}, {"role": "user", "content": "why?"}],
    )
    answered = event(2, "lite_agent_execution_completed", output="because")
    info = laid_out(document(agent(crew=None), events=[asked, answered]))
    assert (info.question, info.answer) == ("why?", "because")


def test_a_guardrail_that_ran_and_is_not_there_is_a_loss() -> None:
    guarded = event(1, "llm_guardrail_started", task_id="task-a")
    info = laid_out(document(crew(task("a")), events=[guarded]))
    assert [(loss.rule, loss.where) for loss in info.losses] == [("guardrail", "a")]


def test_nothing_shows_a_key() -> None:
    doc = document(
        crew(
            task(
                "a",
                output=f"use {KEY} please",
                description=f"with {KEY}",
                tools=[{"name": f"tool {KEY}"}],
                callback=f"call {KEY}",
            ),
            name=f"crew {KEY}",
            process=KEY,
            agents=[
                agent(llm={"model": KEY, "api_key": KEY, "base_url": f"https://u:{KEY}@h"}),
                agent(f"role {KEY}", llm=f"llm {KEY}", goal=KEY, backstory=KEY),
            ],
            checkpoint_inputs={"api_key": "short-secret", "x": [KEY], KEY: 1},
        ),
        flow(f"method {KEY}", state={"password": "hunter2", "deep": [{"x": KEY}]}),
        events=[
            event(1, "task_failed", task_id="task-a", error=f"bad key {KEY}"),
            event(2, f"odd {KEY}", tool_name=KEY),
            event(3, "method_execution_finished", method_name=KEY, result=[KEY]),
        ],
        trigger=f"trigger {KEY}",
        crewcheck={"primary": 0},
    )
    assert "sk-fake" not in repr(laid_out(doc))
    assert "short-secret" not in repr(laid_out(doc))
    assert "hunter2" not in repr(laid_out(doc | {"crewcheck": {"primary": 1}}))
    assert KEY in repr(laid_out(doc, show=True))


def test_any_object_is_laid_out() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"entities": [], "event_record": 3},
        document(crew(task(), tasks={"a": 1}, agents=[3], checkpoint=[], checkpoint_inputs="x")),
        document(flow(state=["x"], checkpoint_method_outputs={"a": 1})),
        document(flow("a", checkpoint_method_counts={"a": "x"})),
    ]
    for doc in odd:
        assert laid_out(doc).events == []
