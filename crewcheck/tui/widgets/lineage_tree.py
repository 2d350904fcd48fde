"""The tree of runs, forks and checkpoints. Flat at any size: it draws what is seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message

from crewcheck.engine.redaction import Redactor
from crewcheck.engine.selection import Match
from crewcheck.lineage import Forest, Node, Segment
from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.glyphs import Glyphs, style_of
from crewcheck.tui.layout import Piece, Pieces, fit, text_of, width_of
from crewcheck.tui.rows import ELBOW, TEE, Folding, RowKey, Rows, View, key_of, node_of
from crewcheck.tui.widgets.cursor_view import CursorView

#: From these widths on there is room for dots, and for the count in words.
DOTS_FROM, WORDS_FROM = 54, 48
DOTS = 8
#: How many of a run's newest checkpoints are asked for its status.
LOOK_BACK = 16
_ASCII_GUIDES = str.maketrans("│├└╴", "||`-")


class LineageTree(CursorView):
    """Runs, newest first, and what hangs on them. Cursor and folds outlive a refresh."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "unfold", "Unfold", id="tree.unfold",
                tooltip="Unfold a run or fork; on a checkpoint, go to its detail", show=False),
        Binding("left,h", "fold", "Fold", id="tree.fold",
                tooltip="Fold a run or fork, or go to what the row hangs on", show=False),
        Binding("plus,asterisk", "unfold_all", "Unfold all", id="tree.unfold_all",
                tooltip="Unfold every run and fork", show=False),
        Binding("minus", "fold_all", "Fold all", id="tree.fold_all",
                tooltip="Fold every run", show=False),
    ]  # fmt: skip

    class Opened(Message):
        """A person wants to see a checkpoint's detail."""

    def __init__(
        self, *, glyphs: Glyphs, now: Callable[[], float], redactor: Redactor, id: str | None = None
    ) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self.now = now
        self.rows: Rows | None = None
        self.folding = Folding()
        #: where the cursor was put when the store was opened, as long as it is being read
        self._opened_at: RowKey | None = None
        #: the store is still being read: what comes first may not be the latest
        self.opening = True
        self.match: Match | None = None
        #: told of checkpoints that are drawn without their summary
        self.want: Callable[[Checkpoint], object] = lambda _checkpoint: None
        #: how many edits a checkpoint has that are not forked yet
        self.edited: Callable[[Checkpoint], int] = lambda _checkpoint: 0
        #: whether a checkpoint is marked for a comparison
        self.marked: Callable[[Checkpoint], bool] = lambda _checkpoint: False
        self.unicode = glyphs.last == "└"
        self.shown: Callable[[str], str] = lru_cache(4096)(
            lambda text: harmless_name(redactor.text(text))
        )

    # -- what is shown

    def show(self, forest: Forest, match: Match | None = None, rows: Rows | None = None) -> None:
        """Show another forest, or another part of it; the cursor stays with its row.

        ``rows`` are those of a match, if they have been worked out already.
        """
        before = self.rows
        key = self._key_at(self.cursor)
        offset = self.scroll_offset.y
        place = self.cursor - offset
        # a person may have scrolled away from the cursor
        aside = match is None and self.match is None and not 0 <= place < max(1, self.size.height)
        top = self._key_at(offset) if aside else None
        if before is not None and before.forest is not forest:
            moved = self.folding.carry(before.forest, forest)
            key, top = (moved.get(one, one) if one else None for one in (key, top))
        self.match = match
        if rows is None:
            rows = Rows(forest, self.folding, match.shown if match else None)
        self.rows = rows
        found = self._where(rows, key)
        self.cursor = max(0, min(found, len(rows) - 1))
        self.set_line_count(len(rows))
        if top is not None:
            found_top = rows.find(top)
            self.scroll_to(y=offset if found_top is None else found_top, animate=False)
        else:
            # at the top new runs and checkpoints are to be seen as they come
            self.scroll_to(y=max(0, self.cursor - place) if offset else 0, animate=False)
            self.show_cursor()
        self.refresh()

    def _key_at(self, index: int) -> RowKey | None:
        rows = self.rows
        return key_of(rows.list[index]) if rows is not None and index < len(rows) else None

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The checkpoint whose own row the cursor is on."""
        if self.rows is None or not 0 <= self.cursor < len(self.rows):
            return None
        node = self.rows.list[self.cursor][1]
        return node.checkpoint if node is not None else None

    def _where(self, rows: Rows, key: RowKey | None) -> int:
        """Where the cursor goes: to its row, else to the latest checkpoint or its place."""
        match = self.match
        if match is not None:
            found = rows.find(key) if key is not None else None
            if found is not None and id(node_of(rows.list[found])) in match.hits:
                return found
            hits = (at for at, (_, node) in enumerate(rows.list) if id(node) in match.hits)
            return next(hits, 0)
        if key is not None and not (self.opening and key == self._opened_at):
            found = rows.reveal(key)
            return self.cursor if found is None else found
        latest = rows.forest.latest
        if latest is None:
            return 0
        place: RowKey = ("checkpoint", latest.checkpoint.key)
        self._opened_at = place
        return rows.find(place) or 0

    @property
    def count(self) -> int:
        return len(self.rows) if self.rows is not None else 0

    @property
    def node(self) -> Node | None:
        """The checkpoint under the cursor; of a run's or fork's own line, its newest."""
        if self.rows is None or not 0 <= self.cursor < len(self.rows):
            return None
        return node_of(self.rows.list[self.cursor])

    @property
    def on_a_run(self) -> bool:
        """Whether the cursor is on a run's or fork's own line."""
        return (
            self.node is not None
            and self.rows is not None
            and (self.rows.list[self.cursor][1] is None)
        )

    def go_to(self, node: Node) -> bool:
        """Put the cursor on a checkpoint, unfolding what hides it; whether it is shown."""
        if self.rows is None:
            return False
        found = self.rows.reveal(("checkpoint", node.checkpoint.key))
        if found is None:
            return False
        self.set_line_count(self.count)
        self.refresh()
        self.move_to(found)
        return True

    def nodes_ahead(self, direction: int, number: int = 1) -> list[Node]:
        """The checkpoints that the cursor meets next, going up or down."""
        if self.rows is None:
            return []
        at = [self.cursor + direction * step for step in range(1, number + 1)]
        return [node_of(self.rows.list[one]) for one in at if 0 <= one < len(self.rows)]

    # -- folding

    def action_unfold(self) -> None:
        rows = self.rows
        if rows is None or not self.count:
            return
        view, node = rows.list[self.cursor]
        if node is not None:
            self.post_message(self.Opened())
        elif rows.is_open(view):
            self.move_to(self.cursor + 1)
        else:
            rows.unfold(self.cursor)
            self._spliced()

    def action_fold(self) -> None:
        rows = self.rows
        if rows is None or not self.count:
            return
        if rows.fold(self.cursor):
            self._spliced()
            return
        parent = rows.parent(self.cursor)
        if parent is not None:
            self.move_to(parent)

    def action_choose(self) -> None:
        rows = self.rows
        if rows is None or not self.count:
            return
        view, node = rows.list[self.cursor]
        if node is not None:
            self.post_message(self.Opened())
        elif rows.is_open(view):
            rows.fold(self.cursor)
            self._spliced()
        else:
            self.action_unfold()

    def on_cursor_view_chosen(self, event: CursorView.Chosen) -> None:
        event.stop()
        self.action_choose()

    def action_fold_all(self) -> None:
        if self.rows is not None:
            view = self.rows.list[self.cursor][0] if self.count else None
            self.rows.fold_all()
            self.cursor = 0
            if view is not None:
                run = next(
                    (v.key for v, _ in self.rows.list if view.segment in v.segment.walk()), None
                )
                self.cursor = (self.rows.find(run) if run else None) or 0
            self._spliced(moved=True)

    def action_unfold_all(self) -> None:
        if self.rows is not None and self.count:
            key = key_of(self.rows.list[self.cursor])
            self.rows.unfold_all()
            self.cursor = self.rows.find(key) or 0
            self._spliced(moved=True)

    def _spliced(self, moved: bool = False) -> None:
        self.set_line_count(self.count)
        self.show_cursor()
        self.refresh()
        if moved:
            self.post_message(self.Moved(self, self.cursor))

    # -- drawing

    def pieces(self, index: int) -> Pieces:
        assert self.rows is not None
        view, node = self.rows.list[index]
        if node is None:
            return self._segment_pieces(view)
        return self._checkpoint_pieces(view, node)

    def _guides(self, guides: str) -> Piece:
        return (guides if self.unicode else guides.translate(_ASCII_GUIDES), "guide")

    def _segment_pieces(self, view: View) -> Pieces:
        """``▸ ✗ Launch brief · 6 checkpoints        2/4  ●●○○   3m ago``."""
        assert self.rows is not None
        segment, glyphs = view.segment, self.glyphs
        face = self._face(segment)
        newest = segment.newest.checkpoint
        mark = glyphs.opened if self.rows.is_open(view) else glyphs.folded
        status = face.status
        left: Pieces = [
            self._guides(view.head),
            (f"{mark} ", "accent"),
            (f"{glyphs.of_status(status)} ", style_of(status)),
            *self._segment_name(segment, face),
        ]
        damage = newest.damage
        if damage is not None and not damage.readable:
            left.append((f" {glyphs.damaged}", "bad"))
        count = self.rows.size_of(segment)
        said = words.many(count, "checkpoint") if self.room >= WORDS_FROM else f"{count:,}"
        left.append((f" {glyphs.between} {said}", "muted"))
        marks = [] if self.rows.is_open(view) else self._edits(newest)
        when = words.ago(newest.header.created_at, self.now())
        return self._row(left, marks, face, when, True)

    def _segment_name(self, segment: Segment, face: Checkpoint) -> Pieces:
        branch = words.short_branch(self.shown(segment.branch))
        if not segment.is_run:
            return [(branch, "title")]
        summary = face.summary
        if summary is None or not (summary.name or summary.kind):
            return [(branch, "title")]
        name = self.shown(summary.name) if summary.name else summary.kind or ""
        pieces: Pieces = [(name, "title")]
        if summary.kind and summary.kind != name and self.room >= WORDS_FROM:
            pieces.append((f" {summary.kind}", "muted"))
        if segment.branch != "main":
            pieces.append((f" {branch}", "accent"))
        return pieces

    def _checkpoint_pieces(self, view: View, node: Node) -> Pieces:
        """``├ ○ task done                            2/4  ●●○○ 17:42:38``."""
        checkpoint, glyphs = node.checkpoint, self.glyphs
        is_last = node is view.oldest
        left: Pieces = [self._guides(view.body + (ELBOW if is_last else TEE))]
        damage = checkpoint.damage
        summary = checkpoint.summary
        hit = self.match is None or id(node) in self.match.hits
        if damage is not None and not damage.readable:
            style = "muted" if damage.rule == "being-written" else "bad"
            left += [(f"{glyphs.damaged} ", style), (one_line(damage.message, 200), style)]
        else:
            status = checkpoint.status
            left.append((f"{glyphs.of_status(status)} ", style_of(status)))
            trigger = summary.trigger if summary is not None else None
            said = words.trigger_words(self.shown(trigger)) if trigger else ""
            if not said:
                said = self.shown(checkpoint.id) if summary is None else status or ""
                left.append((said, "muted"))
            else:
                left.append((said, "" if hit else "context"))
            if damage is not None:
                left.append((f"  {glyphs.damaged} {damage.rule.replace('-', ' ')}", "warn"))
        when = words.clock(checkpoint.header.created_at)
        return self._row(left, self._edits(checkpoint), checkpoint, when, hit)

    def _edits(self, checkpoint: Checkpoint) -> Pieces:
        count = self.edited(checkpoint)
        mark: Pieces = [(f" {self.glyphs.marked}", "accent")] if self.marked(checkpoint) else []
        return [*mark, (f" {self.glyphs.edited}{count}", "edited")] if count else mark

    def _row(self, left: Pieces, marks: Pieces, face: Checkpoint, when: str, hit: bool) -> Pieces:
        """The left part, and right of it progress and time in columns of their own.

        The words of the left part are cut before the marks behind them are.
        """
        if face.summary is None and face.header.damage is None:
            self.want(face)
        width = self.room
        done, total = self._progress(face)
        right: Pieces = []
        style = "muted" if hit else "context"
        if width >= 26:
            right.append((f" {done:>{6 if width >= 40 else 4}}", style))
            if width >= DOTS_FROM:
                right += [("  ", ""), *self._dots(face, total)]
        right.append((f" {when:>8}", style))
        room = width - width_of(text_of(right))
        if room < 8:
            room, right = width, []
        if marks:
            room_left = max(0, room - width_of(text_of(marks)))
            if width_of(text_of(left)) > room_left:
                left = fit(left, room_left)
            left = left + marks
        return fit(left, room) + right

    def _face(self, segment: Segment) -> Checkpoint:
        """The checkpoint that a run or fork shows itself by: its newest that can be read."""
        for node in reversed(segment.nodes[-LOOK_BACK:]):
            if node.checkpoint.status is not None:
                return node.checkpoint
        return segment.newest.checkpoint

    def _progress(self, checkpoint: Checkpoint) -> tuple[str, int]:
        summary = checkpoint.summary
        if summary is None or summary.done is None or summary.kind == "agent":
            return "", 0
        if summary.total is None:
            return (f"{summary.done} done" if summary.done < 100 else str(summary.done)), 0
        return f"{summary.done}/{summary.total}", summary.total

    def _dots(self, checkpoint: Checkpoint, total: int) -> Pieces:
        summary = checkpoint.summary
        if summary is None or total <= 0 or summary.done is None:
            return [(" " * DOTS, "")]
        length = min(total, DOTS)
        done = min(summary.done, total) * length // total
        glyphs = self.glyphs
        return [
            (glyphs.full * done, style_of(checkpoint.status) if summary.done else "muted"),
            (glyphs.empty * (length - done), "faint"),
            (" " * (DOTS - length), ""),
        ]

    def line_text(self, index: int) -> Text:
        """One row as a plain text, for notifications and tests."""
        return Text(text_of(self.pieces(index)).rstrip())
