"""What the main screen does with what the store tells: draw the tree, or say why there is none."""

from __future__ import annotations

from crewcheck.lineage import Forest, Node
from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.edit_book import identity_of
from crewcheck.tui.layout import Pieces
from crewcheck.tui.messages import (
    StoreFailed,
    StoreOpened,
    StoreRefreshed,
    SummariesRead,
)
from crewcheck.tui.screens.comparing import ComparingScreen
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.lineage_tree import LineageTree
from crewcheck.tui.widgets.notice import Notice


class ForestScreen(ComparingScreen):
    """Draws what is known of the store. Cursor, folds and edits outlive each change of it."""

    tree_view: LineageTree
    heading: str

    def begin_forest(self) -> None:
        """To be called when the screen is mounted."""
        self._left_to_read = 0
        #: what of the checkpoint under the cursor is drawn
        self._shown: tuple[object, ...] = ()
        self._told_gone: set[Checkpoint] = set()

    # -- what workers tell

    def on_store_opened(self, message: StoreOpened) -> None:
        if self.session is not None:
            self.session.close()
        self.session = message.session
        self._mark()
        self.tree_view.want = message.session.wanted.append
        self._show_forest(message.forest)
        self.look_for_runs()
        self.live()
        self._tell_lost(message.forest)

    def on_store_refreshed(self, message: StoreRefreshed) -> None:
        self._show_forest(message.forest)
        self._continue_reading()
        self.go_to_expected()
        if message.quiet:
            return
        self.look_for_runs()
        self.notify(message.said, timeout=2.5, markup=False)

    def on_store_failed(self, message: StoreFailed) -> None:
        self.workers.cancel_group(self, "summaries")
        error = message.error
        self._show_top("")
        hint = f"{error.hint[:1].upper()}{error.hint[1:]}." if error.hint else ""
        if self.session is not None:
            self.session.close()
        said = error.message
        if said.startswith("no "):
            said = "No " + said[3:]
        self._show_notice("This store cannot be shown", one_line(said, 500), hint)
        self.live()

    def on_summaries_read(self, message: SummariesRead) -> None:
        self._left_to_read = message.left
        if message.forest is not None:
            self._show_forest(message.forest)
        else:
            self.tree_view.refresh()
            self._show_top()
        if not message.left:
            self.tree_view.opening = False

    # -- drawing

    def _show_forest(self, forest: Forest) -> None:
        same = forest is self.forest
        self._tell_gone()
        self.forest = forest
        self._show_top()
        if same and forest.order and not self.has_class("-notice"):
            # what is known of its checkpoints may be more than before
            self.tree_view.refresh()
            self.look()
            return
        if not forest.order:
            self._show_empty()
            return
        self._hide_notice()
        self.show_filtered(forest)

    def _continue_reading(self) -> None:
        assert self.session is not None
        self._left_to_read = self.session.left
        self._show_top()
        if self._left_to_read:
            self.read_summaries(self.session)
        else:
            self.tree_view.opening = False

    def _show_top(self, doing: str = "") -> None:
        session, forest = self.session, self.forest
        between = f" {self.glyphs.between} "
        left: Pieces = [(self.heading, "heading")]
        place = session.location if session is not None else self.location
        if place:
            left.append((f"  {harmless_name(self.redactor.text(place))}", "muted"))
        right: Pieces = []
        if self.redactor.show:
            right.append(("secrets are shown  ", "warn"))
        if not doing and self._left_to_read:
            doing = f"reading {self._left_to_read:,} more"
        if doing:
            right.append((doing, "accent"))
        elif forest is not None and forest.order:
            parts = [
                words.many(len(forest.runs), "run"),
                words.many(len(forest.order), "checkpoint"),
            ]
            if session is not None and session.problems:
                parts.append(words.many(len(session.problems), "problem"))
            right.append((between.join(parts), "muted"))
        self.query_one("#top", Bar).show(left, right)

    def _show_empty(self) -> None:
        session = self.session
        where = harmless_name(session.location) if session is not None else "this store"
        message = f"{where} holds no checkpoints yet."
        if session is not None and session.foreign:
            message += f" {words.many(session.foreign, 'other file')} there left out."
        self._show_notice(
            "No checkpoints yet",
            message,
            "Run a crew with checkpoint=True or checkpoint=CheckpointConfig(...), "
            "or look around with `crewcheck demo`.",
        )

    def _show_notice(self, title: str, message: str, hint: str) -> None:
        self.query_one(Notice).show(title, message, hint, "r  try again     q  quit")
        self.add_class("-notice")

    def _hide_notice(self) -> None:
        if self.has_class("-notice"):
            self.remove_class("-notice")
            self.call_after_refresh(self.tree_view.focus)

    # -- what is gone

    def hold(self) -> None:
        """What is under the cursor or has edits stays in sight should it be deleted."""
        session = self.session
        if session is None:
            return
        held = {key for key, _ in self.edits.identities()}
        shown = self.tree_view.checkpoint
        if shown is not None:
            held.add(shown.key)
        if any(one.key not in held for one in session.gone):
            self._refresh_soon()
        session.held = frozenset(held)

    def _tell_gone(self) -> None:
        """Say, once, that a checkpoint with edits was deleted."""
        for one in self.session.gone if self.session is not None else ():
            count = self.edits.count(identity_of(one))
            if count and one not in self._told_gone:
                self._told_gone.add(one)
                name = harmless_name(one.id)
                said = f"{name} was deleted from the store. Its {words.many(count, 'edit')} "
                said += f"{'is' if count == 1 else 'are'} kept here."
                self.notify(said, severity="warning", timeout=8, markup=False)

    def _tell_lost(self, forest: Forest) -> None:
        """Say that another store does not have a checkpoint with edits."""
        edited = {key for key, _ in self.edits.identities()}
        if edited and (lost := edited - {node.checkpoint.key for node in forest.order}):
            said = f"{words.many(len(lost), 'checkpoint')} with edits cannot be found any more"
            self.notify(said, severity="warning", timeout=8, markup=False)

    def look_if_changed(self) -> None:
        """The forest is another one: what is under the cursor may be as it was."""
        node = self.tree_view.node
        if node is None or self._face(node) != self._shown:
            self.look()

    def _face(self, node: Node) -> tuple[object, ...]:
        """Differs where the detail of a checkpoint does, but for its document."""
        one = node.checkpoint
        parent = node.parent.checkpoint if node.parent is not None else None
        return one, one.status, one.gone, one.damage, parent, len(node.children)
