"""What every page has: maybe a list of rows, and the text for the chosen one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from crewcheck.engine.cut import Cut, pretty
from crewcheck.engine.flow_graph import FlowGraph
from crewcheck.engine.inspect import Info
from crewcheck.lineage import Node
from crewcheck.model import words
from crewcheck.model.edits import Edits
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.json_path import changed_at
from crewcheck.tui.compared import Compared
from crewcheck.tui.glyphs import UNICODE, Glyphs
from crewcheck.tui.layout import MEASURE, Block, Body, Cell, Line, Piece, paint_json, paint_prose
from crewcheck.tui.runs import Run
from crewcheck.tui.session import Loaded
from crewcheck.tui.whole import Whole

LABEL = 13
#: Longer texts are not looked at for being JSON: that would be felt.
PARSED = 200_000


@dataclass(frozen=True)
class Subject:
    """The checkpoint that pages are about, and what has been read of it.

    ``loaded`` is None until its document has come. ``shown`` makes a name harmless and
    free of secrets. ``edits`` are a person's, ``runs`` all runs that the app knows of.
    ``base`` is what it is compared with (the marked one, else its parent), ``compared``
    how, None until that has come.
    ``whole`` is what only some pages need, None until it has come. ``graph`` is a flow's,
    ``by_call``: its calls are listed, not its methods.
    """

    node: Node
    loaded: Loaded | None
    now: float
    shown: Callable[[str], str] = harmless_name
    glyphs: Glyphs = UNICODE
    foreign: int = 0
    edits: Edits = field(default_factory=Edits)
    runs: tuple[Run, ...] = ()
    base: Node | None = None
    compared: Compared | None = None
    whole: Whole | None = None
    graph: FlowGraph | None = None
    by_call: bool = False

    @cached_property
    def info(self) -> Info | None:
        return self.loaded.info if self.loaded is not None else None

    @cached_property
    def state(self) -> Any:
        """The state that a fork of a flow goes on with, with a person's edits."""
        if self.info is None:
            return None
        state = self.info.state_to_edit
        for path, value in self.edits.state.items():
            state, _ = changed_at(state, path, value, "the state")
        return state

    @property
    def kind(self) -> str | None:
        if self.info is not None:
            return self.info.summary.kind
        summary = self.node.checkpoint.summary
        return summary.kind if summary is not None else None

    @property
    def unreadable(self) -> bool:
        """Whether the document cannot be read."""
        if self.loaded is not None:
            if self.loaded.error is not None:
                return True
            if self.node.checkpoint.gone:  # it was read before
                return False
        damage = self.node.checkpoint.damage
        return damage is not None and not damage.readable


class Page:
    """One tab. A page with rows shows the text of the chosen row below them.

    ``share`` is how much of the height the rows may take. A ``steady`` page is the same
    for every checkpoint: its text stays where it is. ``tail``: its end is what is new.
    What ``needs_whole`` has the document read once more, all of it, when it is opened, what
    ``needs_classes`` the project's text looked at.
    """

    tab: ClassVar[str] = ""
    title: ClassVar[str] = ""
    share: ClassVar[float] = 0.45
    steady: ClassVar[bool] = False
    needs_whole: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = False
    count: int = 0
    #: the row that is chosen at first
    start: int = 0

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.info = subject.info

    @property
    def waits(self) -> bool:
        """Whether what it shows is still on its way."""
        return self.info is None or (self.needs_whole and self.subject.whole is None)

    def heads(self) -> Sequence[Cell]:
        """The headings of the columns, as wide as :meth:`cells`."""
        return ()

    def cells(self, index: int) -> Sequence[Cell]:
        raise NotImplementedError

    def blocks(self, index: int) -> list[Block]:
        """The text of the page, or of one of its rows."""
        raise NotImplementedError

    def copied(self, index: int) -> tuple[str, str]:
        """What a person gets by copying here: its name, and the text in full."""
        raise NotImplementedError

    def tail(self, index: int) -> bool:
        return False

    def key_of(self, index: int) -> object:
        """What a row is about where that has a name: the cursor stays on it when rows come
        and go. None where the rows are told by their numbers."""
        return None

    def row_of(self, key: object) -> int | None:
        """The row that is about something, None if there is none."""
        return next((at for at in range(self.count) if self.key_of(at) == key), None)

    def whole(self, value: Any) -> Any:
        """A value, or of a cut text the whole where that has been fetched."""
        loaded = self.subject.loaded
        if not isinstance(value, Cut) or loaded is None:
            return value
        return loaded.texts.get(value.number, value)

    def long(self, value: Any, indent: int = 0) -> list[Block]:
        """A value in full, as far as it is here."""
        whole = self.whole(value)
        if isinstance(value, Cut) and value.kind != "text":
            blocks: list[Block] = [Body(whole, "", indent, paint_json)]
        else:
            blocks = [text_or_json(whole, indent)]
        if isinstance(whole, Cut):
            blocks.append(Line([(f"… {words.many(whole.missing, 'more character')}", "muted")]))
        return blocks

    def waiting(self) -> list[Block]:
        return [Line(), Line([("  reading the document…", "muted")])]


def heading(text: str, note: str = "") -> list[Block]:
    pieces: list[Piece] = [(text, "heading")]
    if note:
        pieces.append((f"  {note}", "muted"))
    return [Line(pieces)]


def fact(label: str, *value: Piece | str) -> Line:
    """A labelled value; long ones go on below the value."""
    pieces: list[Piece] = [(f"{label:<{LABEL}}", "label")]
    pieces += [(part, "") if isinstance(part, str) else part for part in value]
    return Line(pieces, hang=LABEL)


def prose(text: str, indent: int = 0, style: str = "") -> Body:
    return Body(text, style, indent, paint_prose, MEASURE)


def json_body(value: Any, indent: int = 0) -> Body:
    return Body(pretty(value), "", indent, paint_json)


def text_or_json(value: Any, indent: int = 0) -> Body:
    """A value in full: texts as they are (JSON in a text laid out), the rest as JSON."""
    if not isinstance(value, str):
        return json_body(value, indent)
    structured = parsed(value)
    return prose(value, indent) if structured is None else json_body(structured, indent)


def parsed(text: str) -> Any:
    """The object or list that a text is the JSON of, else None."""
    start = text[:64].lstrip()[:1]
    if start not in ("{", "[") or len(text) > PARSED:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def preview(value: Any, limit: int = 200) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return one_line(value, limit)
    if isinstance(value, (dict, list)) and len(value) > 50:
        count = len(value)
        return f"{{… {count} keys}}" if isinstance(value, dict) else f"[… {count} items]"
    return one_line(json.dumps(value, ensure_ascii=False, default=str), limit)


def plain(value: Any) -> str:
    """A value as it is copied."""
    return value if isinstance(value, str) else pretty(value)
