"""The runs of this store that go on or ended lately, and the chosen one in full."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.runtimes.run_state import FINISHED, PLANNING, RunState
from crewcheck.tui.glyphs import style_of
from crewcheck.tui.layout import Block, Cell, Line, Meter, Piece, Pieces
from crewcheck.tui.pages.base import Page, Subject, fact, heading, prose, text_or_json
from crewcheck.tui.run_lines import seconds_of
from crewcheck.tui.runs import Run


class RunPage(Page):
    """A row for each run, those that go on first. The same for every checkpoint."""

    tab = "run"
    title = "Run"
    share = 0.25
    steady = True

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.runs = subject.runs
        self.count = len(self.runs)

    def heads(self) -> Sequence[Cell]:
        return _row("", "branch", "state", "now", "done", "tokens", "began", *["muted"] * 4)

    def cells(self, index: int) -> Sequence[Cell]:
        run = self.runs[index]
        state = run.state
        style = style_of(state.state)
        return _row(
            self.subject.glyphs.of_run(state.state),
            words.short_branch(self.subject.shown(run.name)),
            _state_words(run),
            one_line(_doing(state), 60),
            _done(state),
            f"{state.tokens:,}" if state.tokens else "",
            words.ago(state.created_at, self.subject.now),
            style,
            "title" if run.live else "",
            style,
            "muted",
        )

    def tail(self, index: int) -> bool:
        return bool(self.runs) and self.runs[index].live

    def blocks(self, index: int) -> list[Block]:
        if not self.runs:
            return [Line(), Line([("  Nothing runs.", "muted")])]
        run = self.runs[index]
        state = run.state
        blocks: list[Block] = [Line(self._about(run))]
        if _counts(state) and state.state != PLANNING:
            blocks.append(self._meter(run))
        elif state.done:
            # a loop calls a method again and again
            what = "call" if state.kind == "flow" else "task"
            blocks.append(Line([(words.many(len(state.done), what), ""), (" done", "")]))
        blocks += [Line(self._steps(run)), Line()]
        if not run.live:
            blocks += self._end(run)
        blocks += heading("What happened" if not run.live else "What happens")
        if run.lost:
            blocks.append(Line([(f"  {words.many(run.lost, 'earlier line')} left out", "faint")]))
        blocks += run.lines
        if not run.lines:
            blocks.append(Line([("  nothing yet", "muted")]))
        if run.live:
            blocks += [Line(), Line([("  ", ""), *self._now(run)])]
        return blocks

    def _about(self, run: Run) -> Pieces:
        state = run.state
        between = f" {self.subject.glyphs.between} "
        pieces: Pieces = [
            (f"{self.subject.glyphs.of_run(state.state)} ", style_of(state.state)),
            (self.subject.shown(run.name), "title"),
            (f"  {_state_words(run)}", style_of(state.state)),
        ]
        if state.tokens:
            pieces += [(between, "faint"), (words.many(state.tokens, "token"), "")]
        if (took := _took(state, self.subject.now)) is not None:
            pieces += [(between, "faint"), (words.took(took), "")]
        return pieces

    def _meter(self, run: Run) -> Meter:
        state, glyphs = run.state, self.subject.glyphs
        total = state.total or 0
        style = style_of(state.state)
        done = min(len(state.done), total)
        stretches: list[Piece] = [(glyphs.full, style if run.live or state.state == FINISHED
                                   else "muted")] * done  # fmt: skip
        stretches += [(glyphs.empty, "faint")] * (total - done)
        return Meter(stretches[:60], f"{done} of {words.many(total, 'task')}")

    def _steps(self, run: Run) -> Pieces:
        state = run.state
        pieces: Pieces = [("after ", "muted"), (self.subject.shown(state.checkpoint_id), "")]
        written = len(state.written)
        if written:
            between = f" {self.subject.glyphs.between} "
            pieces += [(between, "faint"), (f"{words.many(written, 'checkpoint')} written", "")]
        return pieces

    def _now(self, run: Run) -> Pieces:
        if run.prompts:
            sign = self.subject.glyphs.paused
            return [(f"{sign} it waits for your answer", "warn"), ("  p answers", "muted")]
        doing = one_line(_doing(run.state), 80)
        return [(f"{self.subject.glyphs.running} {doing or 'working'}", "live"),
                ("  x cancels", "muted")]  # fmt: skip

    def _end(self, run: Run) -> list[Block]:
        """The result, or what went wrong and how to go on."""
        state = run.state
        blocks: list[Block] = []
        if state.state == FINISHED:
            note = "recorded: nothing was left to run" if state.nothing_to_run else ""
            blocks += heading("Result", note)
            result = state.result or ""
            blocks.append(text_or_json(result) if result.strip() else Line([("Empty.", "muted")]))
            return [*blocks, Line()]
        if run.paused:
            return [*blocks, *self._asks(run), Line()]
        blocks += heading("Why it ended")
        said = state.message or ("You cancelled it." if state.state == "interrupted" else "")
        if said:
            blocks.append(prose(said, style="" if state.state == "interrupted" else "bad"))
        blocks.append(
            Line([("n", "key"), (" goes to its newest checkpoint, ", "muted"),
                  ("e", "key"), (" goes on from there", "muted")])
        )  # fmt: skip
        if state.hint:
            blocks.append(fact("in a shell", (one_line(state.hint, 600), "muted")))
        blocks.append(Line())
        if run.traceback:
            blocks += [*heading("Traceback"), prose(run.traceback), Line()]
        return blocks

    def _asks(self, run: Run) -> list[Block]:
        """What a person is asked, about what, and how it is answered."""
        asks = run.asks
        method = one_line(str(asks.get("method") or ""), 60)
        blocks = heading("It waits for a person", f"in {method}" if method else "")
        blocks.append(prose(str(asks.get("message") or run.state.message), style="warn"))
        outcomes = asks.get("outcomes")
        if isinstance(outcomes, list) and outcomes:
            blocks.append(fact("outcomes", one_line(", ".join(map(str, outcomes)), 400)))
        if asks.get("output"):
            blocks += [Line(), *heading("What it is about"), text_or_json(asks["output"])]
        return [*blocks, Line(), Line([("p", "key"), (" answers, and it goes on", "muted")])]

    def copied(self, index: int) -> tuple[str, str]:
        if not self.runs:
            return "", ""
        state = self.runs[index].state
        if state.result is not None:
            return "the run's result", state.result
        if state.message:
            return "why it ended", f"{state.message}\n{state.hint}".strip()
        return "the run's branch", self.runs[index].name


def _state_words(run: Run) -> str:
    state = run.state
    if run.prompts:
        return "asks you"
    if state.state == PLANNING:
        return "waits for a yes" if state.waiting else "planning"
    return state.state


def _doing(state: RunState) -> str:
    return state.task or ""


def _counts(state: RunState) -> bool:
    """Whether its tasks are counted: an agent is asked once, and a flow has no end in sight."""
    return bool(state.total) and state.kind != "agent"


def _done(state: RunState) -> str:
    if _counts(state):
        return f"{len(state.done)}/{state.total}"
    return f"{len(state.done)}" if state.done else ""


def _took(state: RunState, now: float) -> float | None:
    began = seconds_of(state.started_at)
    if began is None:
        return None
    ended = seconds_of(state.ended_at) if not state.live else now
    return max(0.0, ended - began) if ended is not None else None


def _row(
    glyph: str,
    branch: str,
    state: str,
    task: str,
    done: str,
    tokens: str,
    began: str,
    mark: str,
    main: str,
    side: str,
    rest: str,
) -> tuple[Cell, ...]:
    return (
        Cell(glyph, mark, 1),
        Cell(branch, main, least=20),
        Cell(state, side, 11),
        Cell(task, rest, least=10, most=16, rank=2),
        Cell(done, rest, 4, right=True, rank=1),
        Cell(tokens, rest, 7, right=True, rank=3),
        Cell(began, rest, 8, right=True, rank=4),
    )
