"""What the main screen does with runs: find, follow, cancel, answer, and tell of them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work
from textual.worker import get_current_worker

from crewcheck.engine.runs import Found, note_crash, runs_of_store
from crewcheck.errors import CrewcheckError
from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.runtimes.run_state import CRASHED, FINISHED, INTERRUPTED, PAUSED, PLANNING
from crewcheck.tui.layout import Line, Pieces
from crewcheck.tui.messages import OrderFailed, RunHeard, RunsFound
from crewcheck.tui.runs import Run, begun, marks, newest_first
from crewcheck.tui.screens.answering import AnswerScreen, question_blocks
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.screens.live import LiveScreen
from crewcheck.tui.session import Session

if TYPE_CHECKING:
    from crewcheck.tui.glyphs import Glyphs

#: How often a run's journal is looked at while something comes in, and while nothing does.
BUSY_SECONDS, IDLE_SECONDS = 0.05, 0.2
#: How often runs are looked for that others have started.
FIND_SECONDS = 4.0
#: What a run says is shown at most this often.
SHOW_SECONDS = 0.08
#: The tree follows a run at most this often.
REFRESH_SECONDS = 0.3


class RunsScreen(LiveScreen):
    """Follows runs on another thread; what they say arrives as messages."""

    glyphs: Glyphs
    #: a checkpoint that the cursor goes to when it is in the tree
    _expected = ""

    #: newest first
    runs: list[Run]

    def begin_runs(self) -> None:
        """To be called when the screen is mounted."""
        self.sought = False
        self._refresh_due = self._show_due = False
        #: the run that a person has been told of last
        self._told: Run | None = None
        self.set_interval(FIND_SECONDS, self.look_for_runs)
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        """The time that a run has taken goes on."""
        if any(run.live for run in self.runs) and self.chosen_run() is not None:
            self.show_runs()

    # -- to be filled in by the screen

    def show_runs(self) -> None:
        """Draw what is known of runs anew."""
        raise NotImplementedError

    def chosen_run(self) -> Run | None:
        """The run that the cursor is on, where runs are shown."""
        raise NotImplementedError

    def resume_at(self, checkpoint_id: str) -> None:
        """Go to a checkpoint, and ask whether it is to be resumed."""
        raise NotImplementedError

    def go_to_checkpoint(self, checkpoint_id: str) -> bool:
        """Put the cursor on a checkpoint; whether it is there."""
        raise NotImplementedError

    # -- workers

    def look_for_runs(self) -> None:
        if self.session is not None:
            self.find_runs(self.session, frozenset(run.run_id for run in self.runs))

    @work(thread=True, exclusive=True, group="runs", exit_on_error=False)
    def find_runs(self, session: Session, known: frozenset[str]) -> None:
        first = not self.sought
        try:
            found = runs_of_store(os.path.abspath(session.location), known, self.now())
            runs = [(one, Run(one.folder, self.redactor, self.glyphs)) for one in found]
            for one in found:
                if one.unseen:
                    note_crash(one)
        except (CrewcheckError, OSError):
            return  # a state folder that cannot be read holds no runs for us
        if runs or first:
            self.post_message(RunsFound(runs, first))

    @work(thread=True, exclusive=True, group="follow", exit_on_error=False)
    def follow_runs(self) -> None:
        worker = get_current_worker()
        while not worker.is_cancelled:
            runs = [run for run in self.runs if not run.heard_all]
            if not runs:
                return
            heard = False
            for run in runs:
                try:
                    news = run.listen()
                except (CrewcheckError, OSError) as error:
                    run.heard_all = True
                    self.post_message(OrderFailed(one_line(str(error), 300)))
                    continue
                if news is not None:
                    heard = True
                    if news.over and news.state.state == CRASHED:
                        note_crash(Found(run.folder, news.state))
                    self.post_message(RunHeard(run, news))
            time.sleep(BUSY_SECONDS if heard else IDLE_SECONDS)

    @work(thread=True, group="orders", exit_on_error=False)
    def cancel_run(self, run: Run) -> None:
        if said := run.cancel():
            self.post_message(OrderFailed(said))

    @work(thread=True, group="orders", exit_on_error=False)
    def answer_run(self, run: Run, prompt_id: object, text: str) -> None:
        if said := run.answer(prompt_id, text):
            run.asked.discard(prompt_id)
            self.post_message(OrderFailed(said))

    # -- what workers tell

    def on_runs_found(self, message: RunsFound) -> None:
        self.sought = True
        known = {run.run_id for run in self.runs}
        new = [(found, run) for found, run in message.runs if run.run_id not in known]
        for found, run in new:
            run.state = found.state
            # one that is over had its end told where it was started
            run.told = not found.state.live
            self.runs.append(run)
        self.runs = newest_first(self.runs)
        live = begun(run for _, run in new)
        crashed = [run for found, run in new if found.unseen]
        if message.first and live:
            said = f"{words.many(len(live), 'run')} of this store still {_go(live)} on: see tab Run"
            self.notify(said, timeout=6, markup=False)
        for run in crashed:
            self._tell_crash(run)
        if new:
            self._runs_changed()
            self.follow_runs()

    def add_run(self, run: Run) -> None:
        """A run that has been started here."""
        if run.run_id not in {one.run_id for one in self.runs}:
            self.runs = newest_first([run, *self.runs])
        self._runs_changed()
        self.follow_runs()

    def on_run_heard(self, message: RunHeard) -> None:
        run, news = message.run, message.news
        before = run.state.state
        run.take(news)
        if run.state.state != before or run.over:
            self.runs = newest_first(self.runs)
        if news.wrote or (news.over and not run.told) or run.state.state != before:
            self._mark()
            self._refresh_soon()
        if news.over and not run.told:
            run.told = True
            if run.state.state == CRASHED:
                self._tell_crash(run)
            else:
                self._tell_end(run)
        if not self._show_due:
            self._show_due = True
            self.set_timer(SHOW_SECONDS, self._show_now)
        self._ask_next()

    def _show_now(self) -> None:
        self._show_due = False
        self.show_runs()

    def on_order_failed(self, message: OrderFailed) -> None:
        self.notify(message.said, severity="warning", markup=False)

    def _runs_changed(self) -> None:
        self._mark()
        self.show_runs()

    def _mark(self) -> None:
        if self.session is not None:
            self.session.marks = marks(self.runs)

    def _refresh_soon(self) -> None:
        """The store has something new: look at it, but not for each single thing."""
        if not self._refresh_due:
            self._refresh_due = True
            self.set_timer(REFRESH_SECONDS, self._refresh_now)

    def _refresh_now(self) -> None:
        self._refresh_due = False
        if self.session is not None:
            self.refresh_store(self.session, quiet=True)

    # -- telling

    def _tell_end(self, run: Run) -> None:
        state = run.state
        if state.state in ("aborted", PLANNING):
            return
        self._told = run
        name = run.short
        if state.state == FINISHED:
            tokens = f", {words.many(state.tokens, 'token')}" if state.tokens else ""
            self.notify(
                f"{name} is finished{tokens}. n goes to its newest checkpoint.",
                title="Run finished", timeout=8, markup=False,
            )  # fmt: skip
            return
        said = one_line(state.message, 200)
        if run.paused:
            said = f"{said} p answers." if said else "p answers."
        title = {INTERRUPTED: "Run cancelled", PAUSED: "Run waits"}.get(
            state.state, f"Run {state.state}"
        )
        quiet = state.state in (INTERRUPTED, PAUSED)
        self.notify(
            f"{name}: {said}" if said else name, title=title, timeout=8,
            severity="warning" if quiet else "error", markup=False,
        )  # fmt: skip

    def _tell_crash(self, run: Run) -> None:
        self._told = run
        name = run.short
        said = one_line(self.redactor.text(run.state.message), 200) or "it ended without a word"
        self.notify(
            f"{name}: {said}. Its newest checkpoint is there: n goes to it, e goes on from it.",
            title="A run has crashed", severity="error", timeout=12, markup=False,
        )  # fmt: skip

    def runs_line(self) -> Pieces:
        """``● 2 runs · draft · 1,204 tokens``."""
        live = begun(self.runs)
        if not live:
            return []
        glyphs = self.glyphs
        between = f" {glyphs.between} "
        pieces: Pieces = [(f"{glyphs.running} ", "live")]
        if len(live) > 1:
            pieces.append((words.many(len(live), "run"), "live"))
        else:
            name = live[0].short
            pieces.append((one_line(name, 40), "live"))
        waiting = [run for run in live if run.prompts]
        tasks = [run.state.task for run in live if run.state.task]
        if waiting:
            pieces += [(between, "faint"), ("asks you", "warn"), ("  p ", "key"),
                       ("answers", "muted")]  # fmt: skip
        elif tasks:
            pieces += [(between, "faint"), (one_line(tasks[0], 30), "")]
        tokens = sum(run.state.tokens for run in live)
        pieces += [(between, "faint"), (words.many(tokens, "token"), "muted")]
        return pieces

    def leaving(self) -> Text | None:
        """What to say when the app is left while runs go on."""
        live = begun(self.runs)
        if not live:
            return None
        lines = [f"crewcheck: {words.many(len(live), 'run')} {_go(live)} on without the app:"]
        lines += [f"  {run.short}" for run in live]
        lines.append("Start crewcheck again to see them; they can be cancelled there.")
        return Text("\n".join(lines))

    # -- actions

    def run_meant(self) -> Run | None:
        """The run that a key is about: the chosen one, else the newest that goes on."""
        chosen = self.chosen_run()
        if chosen is not None:
            return chosen
        live = begun(self.runs)
        return live[0] if live else None

    def action_cancel_run(self) -> None:
        run = self.run_meant()
        if run is None or not run.live:
            self.notify("No run goes on here", timeout=2.5)
            return
        name = run.short
        counts = run.state.total and run.state.kind == "crew"
        done = f"{len(run.state.done)} of {run.state.total}" if counts else ""
        blocks = [
            Line([("Stop ", ""), (name, "title"), ("?", "")]),
            Line(),
            Line([("What it has finished is in its checkpoints"
                   + (f" ({done} tasks)" if done else "") + ", and can be gone on with. "
                   "What is under way is lost.", "muted")]),
        ]  # fmt: skip

        def answered(choice: str | None) -> None:
            if choice == "cancel":
                self.cancel_run(run)

        self.app.push_screen(
            AskScreen("Cancel the run", blocks, [("", "Let it go on"), ("cancel", "Cancel it")]),
            answered,
        )

    def action_newest(self) -> None:
        """Go to the newest checkpoint of a run: the chosen one, else that told of last."""
        run = self.chosen_run() or self._told or (self.runs[0] if self.runs else None)
        if run is None:
            self.notify("There are no runs of this store", timeout=2.5)
        else:
            self.expect(run.state.newest)
            self.go_to_expected()
            if self._expected:
                self._refresh_soon()

    def expect(self, checkpoint_id: str) -> None:
        """Go to a checkpoint as soon as it is in the tree."""
        self._expected = checkpoint_id

    def go_to_expected(self) -> None:
        """Go to a checkpoint that was waited for, if it is there."""
        if self._expected and self.go_to_checkpoint(self._expected):
            self._expected = ""

    def action_answer(self) -> None:
        """Answer the question of a run, or open it again; one that has ended with a question
        is resumed."""
        chosen = self.chosen_run()
        if chosen is not None and chosen.paused:
            self.resume_at(chosen.state.newest)
            return
        runs = [chosen] if chosen is not None and chosen.prompts else self.runs
        for run in runs:
            if run.prompts:
                self._ask(run)
                return
        paused = next((run for run in self.runs if run.paused), None)
        if paused is not None:
            self.resume_at(paused.state.newest)
        else:
            self.notify("No run asks for anything", timeout=2.5)

    def _ask_next(self) -> None:
        """Open the dialog for a question that has just come, if nothing else is open."""
        for run in self.runs:
            for prompt in run.prompts:
                if prompt.get("id") in run.asked:
                    continue
                if self.app.screen is self:
                    self._ask(run)
                else:
                    run.asked.add(prompt.get("id"))
                    self.notify("A run asks you something: p answers", timeout=6)
                return

    def _ask(self, run: Run) -> None:
        prompt = run.prompts[0]
        prompt_id = prompt.get("id")
        run.asked.add(prompt_id)
        blocks = question_blocks(prompt, run.short)

        def answered(text: str | None) -> None:
            if text is not None:
                self.answer_run(run, prompt_id, text)
            else:
                self.notify("It goes on waiting: p answers later", timeout=4)

        what = run.state.kind or "crew"
        outcomes = [one for one in prompt.get("outcomes") or [] if isinstance(one, str)]
        screen = AnswerScreen(f"Your {what} asks you", blocks, outcomes)
        self.app.push_screen(screen, answered)


def _go(runs: list[Run]) -> str:
    return "goes" if len(runs) == 1 else "go"
