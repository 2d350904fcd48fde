"""What the main screen does with edits: open an editor, keep what comes back, take it back."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual.app import SuspendNotSupported

from crewcheck.model import words
from crewcheck.model.agent import QUESTION
from crewcheck.model.harmless import one_line
from crewcheck.tui import typed
from crewcheck.tui.edit_book import EditBook, identity_of
from crewcheck.tui.editing import (
    INPUT,
    OUTPUT,
    RESULT,
    STATE,
    CannotEdit,
    Target,
    check,
    may_change_inputs,
    state_target,
    steady,
    target_of,
    without,
)
from crewcheck.tui.layout import Line
from crewcheck.tui.pages import Page, Subject
from crewcheck.tui.pages.inputs import InputsPage
from crewcheck.tui.pages.state import StatePage
from crewcheck.tui.screens.dialogs import TypeScreen
from crewcheck.tui.screens.edit import Edited, EditScreen
from crewcheck.tui.screens.runs import RunsScreen


class EditingScreen(RunsScreen):
    """Edits belong to a checkpoint, and stay until they are forked, undone or dropped."""

    def begin_edits(self) -> None:
        """To be called when the screen is made: keys are asked for before it is mounted."""
        self.edits = EditBook()

    # -- to be filled in by the screen

    def shown_subject(self) -> Subject | None:
        """The checkpoint that is shown."""
        raise NotImplementedError

    def shown_page(self) -> tuple[Page | None, int]:
        """The tab that is shown, and the row that is chosen on it."""
        raise NotImplementedError

    def show_edits(self) -> None:
        """Draw what depends on edits anew."""
        raise NotImplementedError

    def show_row(self, key: object) -> None:
        """Put the cursor of the tab on what a row is about."""
        raise NotImplementedError

    # -- actions

    def _target(self) -> tuple[Subject, Target] | None:
        subject = self.shown_subject()
        if subject is None:
            return None
        page, index = self.shown_page()
        try:
            return subject, target_of(subject, page, index, secrets=self.redactor.show)
        except CannotEdit as problem:
            self._cannot(problem)
            return None

    def _cannot(self, problem: CannotEdit) -> None:
        said = str(problem)
        self.notify(said[:1].upper() + said[1:], severity="warning", timeout=5, markup=False)

    def action_edit(self) -> None:
        """Edit what is under the cursor, here."""
        found = self._target()
        if found is None:
            return
        subject, target = found
        problem = typed.unfit(target.text)
        if problem:
            said = problem[:1].upper() + problem[1:]
            self.notify(f"{said}: o opens it in $EDITOR", severity="warning", timeout=5,
                        markup=False)  # fmt: skip
            return
        self._open(subject, target)

    def _open(self, subject: Subject, target: Target) -> None:
        def edited(result: Edited | None) -> None:
            if result is not None:
                self._keep(subject, target, result.value)

        self.app.push_screen(EditScreen(target), edited)

    def action_add_input(self) -> None:
        """Ask for a name, then for the value of a new input, or of a new key of a state."""
        subject = self.shown_subject()
        page, _ = self.shown_page()
        info = subject.info if subject is not None else None
        if subject is None or info is None:
            return
        if isinstance(page, StatePage):
            self._add(subject, "key", page.keys, "The name of the key, as the methods look it up.",
                      partial(state_target, subject, secrets=self.redactor.show))  # fmt: skip
        elif isinstance(page, InputsPage):
            try:
                may_change_inputs(info)
            except CannotEdit as problem:
                self._cannot(problem)
                return
            known = [*(info.inputs or {}), *subject.edits.inputs]
            self._add(subject, "input", known, "The name, as {name} stands in the texts.",
                      lambda name: Target(INPUT, f"new input {subject.shown(name)}", None, None,
                                          typed.TEXT, name=name, known=False))  # fmt: skip

    def _add(
        self, subject: Subject, what: str, known: Sequence[str], about: str,
        target: Callable[[str], Target],
    ) -> None:  # fmt: skip
        def named(name: str | None) -> None:
            name = (name or "").strip()
            if not name:
                return
            if name in known:
                self.notify(f"There is {_an(what)} {subject.shown(name)} already: i edits it",
                            severity="warning", markup=False)  # fmt: skip
                return
            self._open(subject, target(name))

        self.app.push_screen(
            TypeScreen(
                f"New {what}", [Line([(about, "")])], keys=[("enter", "go on"), ("esc", "cancel")]
            ),
            named,
        )

    def action_remove_key(self) -> None:
        """Take a key out of a flow's state."""
        subject = self.shown_subject()
        page, index = self.shown_page()
        if subject is None or not isinstance(page, StatePage):
            return
        try:
            key, changes = without(subject, page, index)
        except CannotEdit as problem:
            self._cannot(problem)
            return
        said = f"taking {subject.shown(key)} out of the state"
        self.edits.set_state(identity_of(subject.node.checkpoint), changes, said)
        self.show_edits()

    def action_edit_outside(self) -> None:
        """Edit what is under the cursor in the person's own editor."""
        found = self._target()
        if found is None:
            return
        subject, target = found
        try:
            with self.app.suspend():
                text, problem = _in_editor(target.text, target.kind)
        except SuspendNotSupported:
            self.notify("This terminal cannot be handed to another program",
                        severity="warning", timeout=5)  # fmt: skip
            return
        self.app.refresh()
        if text is None:
            self.notify(problem, severity="warning", timeout=6, markup=False)
            return
        text = steady(target, text)
        if text == target.text and target.known:
            self.notify("Nothing was changed", timeout=2.5)
            return
        try:
            value = check(target, text, target.kind)
        except typed.NotThat as error:
            self.notify(f"Not kept: {error.message}", severity="error", timeout=8, markup=False)
            return
        self._keep(subject, target, value)

    def _keep(self, subject: Subject, target: Target, value: Any) -> None:
        identity = identity_of(subject.node.checkpoint)
        said = f"the {target.title}"
        if target.what == OUTPUT:
            was = target.recorded if isinstance(target.recorded, str) else None
            changed = self.edits.set_output(identity, target.index, value, was, said)
        elif target.what == RESULT:
            recorded = {} if target.recorded is None else {target.index: target.recorded}
            changed = self.edits.set_result(identity, target.index, value, recorded, said)
        elif target.what == STATE:
            changed = self.edits.set_state(identity, value, said)
        else:
            info = subject.info
            given = info.inputs if info is not None else None
            if info is not None and info.question is not None:
                given = {QUESTION: info.question}
            changed = self.edits.set_input(identity, target.name, value, given, said)
        if not changed:
            self.notify("Nothing was changed", timeout=2.5)
        self.show_edits()
        if not target.known:
            self.show_row((target.key,) if target.what == STATE else target.name)

    def action_undo(self) -> None:
        """Take the last edit of this checkpoint back."""
        subject = self.shown_subject()
        if subject is None:
            return
        said = self.edits.undo(identity_of(subject.node.checkpoint))
        if said is not None:
            self.notify(f"Undone: {one_line(said, 120)}", timeout=2.5, markup=False)
        elif self.edits.total:
            places = words.many(self.edits.places, "other checkpoint")
            self.notify(f"Nothing to undo here; there are edits in {places}", timeout=4)
        else:
            self.notify("There is nothing to undo", timeout=2.5)
        self.show_edits()

    def action_drop_edits(self) -> None:
        """Take all edits of this checkpoint back."""
        subject = self.shown_subject()
        if subject is None:
            return
        count = self.edits.drop(identity_of(subject.node.checkpoint))
        said = f"Dropped {words.many(count, 'edit')}: u brings back" if count else "No edits here"
        self.notify(said, timeout=4)
        self.show_edits()


def _an(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" else f"a {what}"


def _in_editor(text: str, kind: str) -> tuple[str | None, str]:
    """A text after a person's editor has had it, or what went wrong."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    suffix = ".txt" if kind == typed.TEXT else ".json"
    handle, path = tempfile.mkstemp(prefix="crewcheck-", suffix=suffix)
    try:
        with open(handle, "w", encoding="utf-8", newline="", errors="surrogatepass") as file:
            file.write(text)
        try:
            code = subprocess.call([*shlex.split(command), path])
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return None, f"The editor {command} cannot be started: {reason}"
        if code:
            return None, f"The editor {command} ended with {code}: nothing was kept"
        with open(path, encoding="utf-8", newline="", errors="surrogatepass") as file:
            return file.read(), ""
    except (OSError, UnicodeError) as error:
        return None, f"The text cannot be handed over: {error}"
    finally:
        os.unlink(path)
