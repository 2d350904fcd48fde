"""What the main screen does about comparisons: the mark, and the worker that compares."""

from __future__ import annotations

from dataclasses import replace

from textual import work
from textual.worker import get_current_worker

from crewcheck.lineage import Node
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.compared import Compared
from crewcheck.tui.messages import ComparisonRead
from crewcheck.tui.pages.diff import DiffPage
from crewcheck.tui.screens.filtering import FilteringScreen
from crewcheck.tui.session import Session
from crewcheck.tui.widgets.detail import Detail
from crewcheck.tui.widgets.lineage_tree import LineageTree


class ComparingScreen(FilteringScreen):
    """A checkpoint is compared with the marked one, without a mark with its parent."""

    detail: Detail
    #: the key and the id of the marked checkpoint
    _marked: tuple[str | int, str] | None = None

    def begin_comparing(self, tree: LineageTree) -> None:
        tree.marked = self.is_marked
        self.detail.tab_shown = self.compare_shown

    def is_marked(self, checkpoint: Checkpoint) -> bool:
        return self._marked == (checkpoint.key, checkpoint.id)

    def base_of(self, node: Node) -> Node | None:
        """What a checkpoint is compared with, None where there is nothing."""
        if self._marked is None or self.forest is None or self.is_marked(node.checkpoint):
            return node.parent
        marked = self.forest.by_key.get(self._marked[0])
        there = marked is not None and self.is_marked(marked.checkpoint)
        return marked if there else node.parent

    def comparison_of(self, node: Node) -> Compared | None:
        """How it differs from that, if that is known already."""
        base = self.base_of(node)
        if base is None or self.session is None:
            return None
        return self.session.compared(base, node)

    def action_mark(self) -> None:
        """Mark the checkpoint under the cursor, or take its mark off."""
        subject = self.shown_subject()
        if subject is None:
            return
        checkpoint = subject.node.checkpoint
        if self.is_marked(checkpoint):
            self._marked = None
        else:
            self._marked = checkpoint.key, checkpoint.id
            self.notify("Marked. Go to another checkpoint, and d compares it with this one.",
                        timeout=3, markup=False)  # fmt: skip
        self.show_edits()
        self.compare_shown()

    def action_diff(self) -> None:
        """Show what is different."""
        for index, page in enumerate(self.detail.pages):
            if page.tab == DiffPage.tab:
                self.action_tab(index)

    def action_tab(self, index: int) -> None:
        """Show a tab by its number. To be filled in by the screen."""
        raise NotImplementedError

    def compare_shown(self) -> None:
        """Compare what is under the cursor, if a person looks and it is not known yet."""
        subject, page = self.shown_subject(), self.detail.page
        if subject is None or self.session is None or page is None or page.tab != DiffPage.tab:
            return
        if subject.base is not None and subject.compared is None:
            self.read_comparison(self.session, subject.base, subject.node)

    @work(thread=True, exclusive=True, group="comparison", exit_on_error=False)
    def read_comparison(self, session: Session, old: Node, new: Node) -> None:
        worker = get_current_worker()
        compared = session.compare(old, new)
        if not worker.is_cancelled:
            self.post_message(ComparisonRead(compared))

    def on_comparison_read(self, message: ComparisonRead) -> None:
        subject, compared = self.shown_subject(), message.compared
        if subject is not None and subject.node is compared.new and subject.base is compared.old:
            self.detail.show(replace(subject, compared=compared))
