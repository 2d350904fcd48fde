"""What can be edited where the cursor is, and what an edit becomes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crewcheck.engine.cut import Cut
from crewcheck.engine.inspect import CallLine, Info
from crewcheck.errors import UsageProblem
from crewcheck.model.agent import QUESTION
from crewcheck.model.edits import state_changes
from crewcheck.model.flow_calls import DONE
from crewcheck.model.harmless import one_line
from crewcheck.model.json_path import REMOVED, Path, write_path
from crewcheck.tui import typed
from crewcheck.tui.pages import Page, Subject
from crewcheck.tui.pages.answer import AnswerPage
from crewcheck.tui.pages.inputs import InputsPage
from crewcheck.tui.pages.methods import MethodsPage
from crewcheck.tui.pages.state import StatePage
from crewcheck.tui.pages.tasks import TasksPage

OUTPUT, INPUT, RESULT, STATE = "output", "input", "result", "state"

_MASKED = "holds a secret that is hidden: an edit would write the mask in its place"


@dataclass(frozen=True, slots=True)
class Target:
    """One editable thing. ``value`` is what it is now, ``recorded`` what the document has.

    ``kind`` is its JSON type; ``structured``: a text that must be JSON. ``known``: there
    was a value. ``index`` is the position of a task or call, ``name`` that of an input.
    Of a state it is the whole one, or the value of one ``key``: then ``around`` is the whole
    as it is now, and ``recorded`` as the document has it. ``secrets``: nothing in it is hidden.
    """

    what: str
    title: str
    value: Any
    recorded: Any
    kind: str
    index: int = 0
    name: str = ""
    known: bool = True
    structured: bool = False
    key: str | None = None
    around: Any = None
    #: a text, and nothing else
    steady: bool = False
    secrets: bool = False

    @property
    def retypes(self) -> bool:
        """Whether it may become a value of another type."""
        return (self.what == INPUT and not self.steady) or self.key is not None

    @property
    def text(self) -> str:
        return "" if self.value is None and not self.known else typed.written(self.value)


class CannotEdit(Exception):
    """Why not, for a person."""


def target_of(subject: Subject, page: Page | None, index: int, *, secrets: bool) -> Target:
    """What is edited with the cursor on a row of a page. Raises `CannotEdit`."""
    info = subject.info
    if subject.unreadable:
        raise CannotEdit("this checkpoint cannot be read, so nothing in it can be edited")
    if info is None:
        raise CannotEdit("the document is still being read")
    kind = info.summary.kind
    if kind not in ("crew", "flow", "agent"):
        kind = kind or "thing of unknown kind"
        raise CannotEdit(
            f"only crews, flows and agents can be forked, and this is a {kind}'s checkpoint"
        )
    if isinstance(page, TasksPage) and page.count:
        target = _output(subject, page, index)
    elif isinstance(page, MethodsPage) and page.count:
        target = _result(subject, page.call_at(index))
    elif isinstance(page, StatePage):
        key = page.key_at(index)
        if key is None:
            return Target(STATE, "state of the flow", subject.state, info.state_to_edit,
                          typed.OBJECT, secrets=secrets)  # fmt: skip
        target = state_target(subject, key, secrets=secrets)
    elif isinstance(page, AnswerPage):
        target = _question(subject, info)
    elif isinstance(page, InputsPage) and page.count:
        may_change_inputs(info)
        target = _input(page, index)
    elif kind == "flow":
        raise CannotEdit(
            "results are edited on the Methods tab, inputs on the Inputs tab, "
            "the state on the State tab"
        )
    elif kind == "agent":
        raise CannotEdit("what an agent is asked is edited on the Answer tab")
    else:
        raise CannotEdit("outputs are edited on the Tasks tab, inputs on the Inputs tab")
    if isinstance(target.value, Cut) or isinstance(target.recorded, Cut):
        if target.value.kind != typed.TEXT:
            raise CannotEdit(
                f"{target.title} is too long to be edited here: change it with "
                "`crewcheck fork --inputs FILE`"
            )
        raise CannotEdit(f"{target.title} is still being read: try again in a moment")
    if not secrets and (typed.masked_in(target.value) or typed.is_masked(target.name)):
        raise CannotEdit(f"{target.title} {_MASKED}; start with --show-secrets to edit it")
    return target


def state_target(subject: Subject, key: str, *, secrets: bool) -> Target:
    """One key of a flow's state, also one that is not there yet."""
    info, state = subject.info, subject.state
    state = state if isinstance(state, dict) else {}
    known = key in state
    value = state.get(key)
    return Target(
        STATE,
        f"{subject.shown(key)} of the state",
        value,
        info.state_to_edit if info is not None else None,
        typed.kind_of(value) if known else typed.TEXT,
        known=known,
        key=key,
        around=state,
        secrets=secrets,
    )


def without(subject: Subject, page: StatePage, index: int) -> tuple[str, dict[Path, Any]]:
    """A key that is to be taken away, and what that makes of the state's edits.

    Raises `CannotEdit`.
    """
    key = page.key_at(index)
    info, state = subject.info, subject.state
    if key is None or info is None or key not in state:
        raise CannotEdit("put the cursor on the key that is to be taken away")
    rest = {one: value for one, value in state.items() if one != key}
    try:
        return key, state_changes(info.state_to_edit, rest)
    except UsageProblem as error:
        raise CannotEdit(error.message) from None


def _question(subject: Subject, info: Info) -> Target:
    """What an agent is asked."""
    edited = subject.edits.inputs.get(QUESTION)
    return Target(
        INPUT,
        "question",
        info.question if edited is None else edited,
        info.question,
        typed.TEXT,
        name=QUESTION,
        known=info.question is not None or edited is not None,
        steady=True,
    )


def may_change_inputs(info: Info) -> None:
    """Raises `CannotEdit` where a fork could not begin with other inputs."""
    if info.summary.kind not in ("crew", "flow"):
        raise CannotEdit("only the inputs of crews and flows can be changed")
    if info.summary.kind == "flow" and info.inputs is None and info.calls:
        raise CannotEdit(
            "this checkpoint does not say which inputs its flow began with; "
            "its state can be changed, on the State tab"
        )


def _output(subject: Subject, page: TasksPage, index: int) -> Target:
    task = page.tasks[index]
    edited = subject.edits.outputs.get(index)
    recorded = page.whole(task.output)
    return Target(
        OUTPUT,
        f"output of {one_line(task.label, 60)}",
        edited if edited is not None else recorded,
        recorded,
        typed.TEXT,
        index=index,
        known=edited is not None or task.output is not None,
        structured=task.structured is not None,
    )


def _result(subject: Subject, call: CallLine | None) -> Target:
    if call is None:
        raise CannotEdit("this method has not begun: it has no result that could be edited")
    edited = subject.edits.results
    value = edited.get(call.index, call.result)
    return Target(
        RESULT,
        f"result of {one_line(call.label, 60)}",
        value,
        call.result,
        typed.TEXT if call.gives_text else typed.kind_of(call.result),
        index=call.index,
        known=call.index in edited or (call.state == DONE and call.result is not None),
    )


def _input(page: InputsPage, index: int) -> Target:
    one = page.inputs[index]
    value = page.whole(one.value)
    recorded = page.whole(one.was) if one.edited else value
    return Target(
        INPUT,
        f"input {page.subject.shown(one.name)}",
        value,
        recorded,
        typed.kind_of(value) if one.given else typed.TEXT,
        name=one.name,
        known=one.given,
    )


def check(target: Target, text: str, kind: str) -> Any:
    """What a person typed: a value; of a state what it changes, by place.

    Raises `typed.NotThat`.
    """
    if target.structured:
        typed.read_json(text)
    value = typed.read(text, kind)
    if target.what != STATE:
        return value
    if target.key is not None:
        if not target.secrets and typed.masked_in(value):
            raise typed.NotThat(f"this {_MASKED}")
        value = {**target.around, target.key: value}
    try:
        changes = state_changes(target.recorded, value)
    except UsageProblem as error:
        raise typed.NotThat(error.message) from None
    if not target.secrets:
        for path, new in changes.items():
            if new is not REMOVED and typed.masked_in([*path, new]):
                raise typed.NotThat(f"{write_path(path)} {_MASKED}")
    return changes


def steady(target: Target, text: str) -> str:
    """A text as it came back from an editor: a line end that it added itself is no edit."""
    before = target.text
    if text == before + "\n" or (
        text.endswith("\n") and before and not before.endswith("\n") and target.kind == typed.TEXT
    ):
        return text[:-1]
    return text
