"""What the dialog of a fork or resume says about its plan. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.json_path import REMOVED
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.launching import Change
from crewcheck.tui.layout import Block, Line, Piece, Pieces
from crewcheck.tui.pages.base import fact, heading, preview, text_or_json
from crewcheck.tui.pages.state import TAKEN
from crewcheck.tui.typed import kind_of

#: Losses and warnings about where a key goes come first.
_PROMINENT = ("endpoint", "tool", "key")


def change_blocks(changes: Iterable[Change], glyphs: Glyphs) -> list[Block]:
    """The edits: what was, and what is."""
    blocks: list[Block] = []
    for change in changes:
        blocks.append(Line([(f"{glyphs.edited} ", "edited"), (one_line(change.what, 80), "title"),
                            ("  new" if change.new else "", "muted")]))  # fmt: skip
        start = 0 if change.new else _parting(change.before, change.after)
        if not change.new:
            blocks.append(_value("  was  ", change.before, "muted", start))
        blocks.append(_value("  now  ", change.after, "", start))
    return blocks


def _parting(before: Any, after: Any) -> int:
    """Where two texts are shown from: a little before the place where they part."""
    if not isinstance(before, str) or not isinstance(after, str):
        return 0
    pairs = zip(before, after, strict=False)
    parted = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))
    return 0 if parted < 60 else max(0, parted - 30)


def _value(label: str, value: Any, style: str, start: int) -> Line:
    if value is REMOVED:
        return Line([(label, "label"), (TAKEN, style)])
    kind = "" if isinstance(value, str) else f"  ({kind_of(value)})"
    said = preview(value[start:] if start else value, 160) if value != "" else "(empty)"
    ahead = "…" if start else ""
    return Line([(label, "label"), (ahead + said, style), (kind, "faint")], hang=len(label))


def warning_blocks(report: dict[str, Any], glyphs: Glyphs) -> list[Block]:
    """What to beware of, where a key would go to first."""
    blocks: list[Block] = []
    warnings = sorted(
        report.get("warnings") or [],
        key=lambda one: not any(word in str(one.get("rule")) for word in _PROMINENT),
    )
    for warning in warnings:
        blocks.append(_told(warning, glyphs.damaged, "warn"))
    for difference in report.get("changed") or []:
        blocks.append(Line([(f"{glyphs.damaged} changed  ", "warn"),
                            (one_line(str(difference), 300), "")], hang=2))  # fmt: skip
    if report.get("ran_before"):
        said = "the program has already run up to its kickoff"
        blocks.append(Line([(f"{glyphs.damaged} ", "warn"), (said, "warn")], hang=2))
    return blocks


def caution_blocks(
    cautions: Sequence[str], report: dict[str, Any] | None, glyphs: Glyphs
) -> list[Block]:
    """All that there is to beware of, with a blank line after it; nothing if there is nothing."""
    blocks: list[Block] = [
        Line([(f"{glyphs.damaged} ", "warn"), (one_line(one, 300), "warn")], hang=2)
        for one in cautions
    ]
    if report is not None:
        blocks += warning_blocks(report, glyphs)
    return [*blocks, Line()] if blocks else []


def edited_blocks(changes: Iterable[Change], glyphs: Glyphs) -> list[Block]:
    """A resume of what has been edited."""
    said = "it goes on with the branch as it is. A fork takes them along, on a branch of its own."
    return [
        Line([("You have edits here, and a resume takes none: ", "title"), (said, "")]),
        Line(),
        *change_blocks(changes, glyphs),
    ]


def unknown_class_blocks() -> list[Block]:
    """What the plan of a flow does not know."""
    said = (
        "The flow's class was not found for certain: what comes later may depend on all that "
        "was before it, and where a new route leads is not known."
    )
    return [Line([(said, "muted")])]


def finished_blocks(result: str, glyphs: Glyphs, *, callbacks: bool = False) -> list[Block]:
    """A resume of what is finished. ``callbacks``: it may have more to do after it."""
    said = "This run is finished: there is nothing to resume."
    after = words.AFTER_KICKOFF
    more = [Line([(f"  {after[0].upper()}{after[1:]}.", "muted")])]
    return [
        Line([(f"{glyphs.finished} ", "ok"), (said, "title")]),
        *(more if callbacks else []),
        Line([("  To try something else, fork an earlier checkpoint (f).", "muted")]),
        Line(),
        *heading("Recorded result"),
        text_or_json(result) if result.strip() else Line([("It is empty.", "muted")]),
    ]


def doubt_blocks(doubts: Sequence[dict[str, Any]], glyphs: Glyphs) -> list[Block]:
    """What the checkpoint alone cannot tell, with a blank line after it; nothing if that is
    nothing."""
    if not doubts:
        return []
    said = "If none of it is so, accept it to go on; or name the project's own object (o)."
    return [
        *heading("What the checkpoint does not tell"),
        *(_told(one, glyphs.damaged, "warn") for one in doubts),
        Line([(said, "muted")]),
        Line(),
    ]


def facts_blocks(report: dict[str, Any], glyphs: Glyphs) -> list[Block]:
    """With what it would run: everything else that the child has told."""
    blocks: list[Block] = heading("With")
    if report.get("model"):
        blocks.append(fact("model", one_line(str(report["model"]), 120)))
    if report.get("endpoint"):
        blocks.append(fact("endpoint", one_line(str(report["endpoint"]), 200)))
    if report.get("tools"):
        blocks.append(fact("tools", one_line(", ".join(map(str, report["tools"])), 200)))
    entry = one_line(str(report.get("entry") or ""), 200)
    blocks.append(
        fact("entry", entry, (f"  {one_line(str(report.get('entry_origin') or ''), 160)}", "muted"))
    )
    crewai = f"crewai {one_line(str(report['crewai']), 40)}  " if report.get("crewai") else ""
    blocks.append(fact("python", crewai, (harmless_name(str(report.get("python") or "")), "muted")))
    blocks.append(fact("folder", (harmless_name(str(report.get("cwd") or "")), "muted")))
    losses = [one for one in report.get("losses") or [] if not one.get("doubt")]
    notes = report.get("notes") or []
    if losses or notes:
        blocks += [Line(), *heading("Good to know")]
        blocks += [_told(loss, glyphs.between, "muted") for loss in losses]
        blocks += [Line([(f"{glyphs.between} ", "muted"), (one_line(str(note), 300), "muted")],
                        hang=2) for note in notes]  # fmt: skip
    return blocks


def _told(entry: dict[str, Any], sign: str, style: str) -> Line:
    pieces: Pieces = [(f"{sign} ", style)]
    if entry.get("where"):
        pieces.append((f"{one_line(str(entry['where']), 120)}  ", "title"))
    pieces.append((one_line(str(entry.get("message") or ""), 500), style))
    return Line(pieces, hang=2)


def refusal_blocks(
    message: str, hint: str, differences: Sequence[Any], glyphs: Glyphs
) -> list[Block]:
    """Why it is not done, and the way out."""
    said = message[:1].upper() + message[1:]
    blocks: list[Block] = [
        Line([(f"{glyphs.damaged} ", "warn"), (one_line(said, 800), "title")], hang=2)
    ]
    for difference in differences[:30]:
        blocks.append(
            Line(
                [(f"  {glyphs.between} ", "muted"), (one_line(str(difference), 500), "muted")],
                hang=4,
            )
        )
    if hint:
        blocks.append(Line([("  ", ""), (one_line(hint, 500), "muted")], hang=2))
    return [*blocks, Line()]


def source_pieces(name: str, checkpoint_id: str, when: str) -> Pieces:
    """What is forked or resumed."""
    pieces: list[Piece] = [(one_line(name, 40), "title"), (" from ", "muted")]
    pieces.append((harmless_name(checkpoint_id), ""))
    if when:
        pieces.append((f"  {when}", "muted"))
    return pieces


def when_of(trigger: str | None, created_at: str | None, now: float) -> str:
    parts = [words.trigger_words(trigger), words.ago(created_at, now)]
    return ", ".join(part for part in parts if part)


#: Refusals whose way out is to change the state that was edited.
STATE_RULES = frozenset({"state-class", "no-such-state"})

#: The refusal to ask a model at an address that only the checkpoint names.
NOT_TRUSTED = "endpoint-not-trusted"

#: Refusals whose way out is to name another object.
ENTRY_RULES = frozenset(
    {
        "different-crew",
        "different-flow",
        "different-agent",
        "several-found",
        "nothing-found",
        "module-not-found",
        "attribute-not-found",
        "no-crew",
        "no-flow",
        "no-agent",
        "wrong-kind",
        "entry-needs-arguments",
        "entry-is-async",
    }
)


def for_here(hint: str) -> str:
    """A hint for the command line, as it is done in this dialog."""
    if "--allow-changed" in hint:
        return "The changes are all in work that is not done: accept them to go on."
    if "--trust-endpoint" in hint:
        return "If it is yours, trust it; or name it in the environment (OPENAI_BASE_URL)."
    if "--without-project" in hint:
        return "Name it below as module:attr, and press enter; or go on without the project."
    if "--state" in hint:
        return "The state can be changed: i on the State tab."
    if "--entry" in hint:
        return "Name it below as module:attr, and press enter."
    if "--python" in hint:
        return "Name a Python that has crewai below, and press enter."
    if "another Python" in hint:
        return "Install crewai there, or name another Python below, and press enter."
    if "--script" in hint:
        return "The program itself can be run: its kickoff is gone on with."
    return f"{hint[:1].upper()}{hint[1:]}." if hint else ""
