"""What can be edited where the cursor is, and what an edit becomes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crewcheck.engine.cut import Cut
from crewcheck.model.harmless import one_line
from crewcheck.tui import typed
from crewcheck.tui.pages import Page, Subject
from crewcheck.tui.pages.inputs import InputsPage
from crewcheck.tui.pages.tasks import TasksPage

OUTPUT, INPUT = "output", "input"


@dataclass(frozen=True, slots=True)
class Target:
    """One editable thing. ``value`` is what it is now, ``recorded`` what the document has.

    ``kind`` is its JSON type; ``structured``: a text that must be JSON. ``known``: there
    was a value.
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
    if info.summary.kind != "crew":
        kind = info.summary.kind or "thing of unknown kind"
        raise CannotEdit(f"only crews can be forked so far, and this is a {kind}'s checkpoint")
    if isinstance(page, TasksPage) and page.count:
        target = _output(subject, page, index)
    elif isinstance(page, InputsPage) and page.count:
        target = _input(page, index)
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
        raise CannotEdit(
            f"{target.title} holds a secret that is hidden: an edit would write the mask in its "
            "place; start with --show-secrets to edit it"
        )
    return target


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
    """The value that a person typed. Raises `typed.NotThat`."""
    if target.structured:
        typed.read_json(text)
    return typed.read(text, kind)


def steady(target: Target, text: str) -> str:
    """A text as it came back from an editor: a line end that it added itself is no edit."""
    before = target.text
    if text == before + "\n" or (
        text.endswith("\n") and before and not before.endswith("\n") and target.kind == typed.TEXT
    ):
        return text[:-1]
    return text
