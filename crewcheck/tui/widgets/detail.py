"""The detail of a checkpoint: tabs, and one list and one text for the app's whole life."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from crewcheck.engine.cut import Cut
from crewcheck.tui.layout import Body
from crewcheck.tui.pages import Page, Subject, pages_of
from crewcheck.tui.session import Loaded
from crewcheck.tui.widgets.bars import TabBar
from crewcheck.tui.widgets.cursor_view import CursorView
from crewcheck.tui.widgets.row_list import ColumnHeads, RowList
from crewcheck.tui.widgets.text_view import TextView


class Detail(Vertical):
    """Shows the pages of one checkpoint. The tab stays when another one is shown."""

    class Left(Message):
        """A person wants to go back to the tree."""

    class WholeWanted(Message):
        """The shown page needs all of the document."""

    class ClassesWanted(Message):
        """The shown page tells more with the project's flow classes."""

    class Looked(Message):
        """Somebody looks at texts of which only the beginnings are here."""

        def __init__(self, cuts: list[Cut]) -> None:
            super().__init__()
            self.cuts = cuts

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = TabBar(id="tabs")
        self.heads = ColumnHeads(id="heads")
        self.rows = RowList(id="rows")
        self.text = TextView(id="text")
        self.pages: list[Page] = []
        #: the tab a person chose; where a checkpoint has none such, its overview is shown
        self.tab = "overview"
        #: the row a person chose on a tab, of how many, and what it is about: kept while there
        #: is such a row, or as many of them
        self._chosen: dict[str, tuple[int, int, object]] = {}
        self._identity: object = None
        self._edits: object = None
        #: told of each tab that is shown
        self.tab_shown: Callable[[], object] = lambda: None
        #: the document that is shown
        self.loaded: Loaded | None = None

    def compose(self) -> ComposeResult:
        yield self.tabs
        yield self.heads
        yield self.rows
        yield self.text

    @property
    def page(self) -> Page | None:
        """The page that is shown."""
        if not self.pages:
            return None
        return next((page for page in self.pages if page.tab == self.tab), self.pages[0])

    @property
    def main_view(self) -> Widget:
        """What gets the focus: the rows where there are any, else the text."""
        return self.rows if self.rows.display and self.rows.count else self.text

    def show(self, subject: Subject) -> None:
        """Show a checkpoint. Of the same one as before, the place in the text is kept."""
        header = subject.node.checkpoint.header
        identity = header.key, header.id
        same = identity == self._identity and subject.edits == self._edits
        self._edits = subject.edits
        self._identity = identity
        self.loaded = subject.loaded
        self.pages = pages_of(subject)
        self._draw(keep_place=same)

    def clear(self) -> None:
        self.pages = []
        self._identity = self.loaded = None
        self.tabs.show_tabs([], 0)
        self.heads.display = self.rows.display = False
        self.text.show([])

    def choose(self, index: int) -> None:
        """Show a tab by its number."""
        if 0 <= index < len(self.pages):
            self.tab = self.pages[index].tab
            self._draw()
            self.tab_shown()

    def step(self, by: int) -> None:
        """Show the next tab, or the one before."""
        page = self.page
        if page is not None:
            self.choose((self.pages.index(page) + by) % len(self.pages))

    def _draw(self, keep_place: bool = False) -> None:
        page = self.page
        if page is None:
            return
        self.tabs.show_tabs([one.title for one in self.pages], self.pages.index(page))
        heads = page.heads()
        waiting = bool(heads) and page.waits
        index = self._row_of(page)
        # while a document is on its way the list keeps its place, so that nothing jumps
        if not waiting or not self.rows.display:
            shown = bool(heads) and page.count > 0
            self.heads.display = self.rows.display = shown
            self.set_class(shown, "-rows")
            self._fit_rows()
        if heads:
            self.heads.show(1 if page.count else 0, lambda _index: page.heads())
            self.rows.show(page.count, page.cells, index)
        else:
            self.rows.show(0, page.cells)
        self._show_text(page, index, keep_place=keep_place or page.steady)
        if page.needs_whole and page.waits and page.info is not None:
            self.post_message(self.WholeWanted())
        if page.needs_classes and page.info is not None:
            self.post_message(self.ClassesWanted())

    def _show_text(self, page: Page, index: int, keep_place: bool = False) -> None:
        blocks = page.blocks(index)
        self.text.show(blocks, keep_place=keep_place, tail=page.tail(index))
        cuts = [one.text for one in blocks if isinstance(one, Body) and isinstance(one.text, Cut)]
        if cuts:
            self.post_message(self.Looked(cuts))

    def redraw(self) -> None:
        """More of the same document has come."""
        self._draw(keep_place=True)

    def show_runs(self, subject: Subject) -> None:
        """The runs have gone on: nothing else is drawn anew."""
        tabs = [page.tab for page in self.pages]
        self.pages = pages_of(subject)
        if [page.tab for page in self.pages] != tabs or self.tab == "run":
            self._draw(keep_place=True)

    def choose_tab(self, tab: str, row: int = 0) -> None:
        """Show a tab by its name, if there is such."""
        page = next((page for page in self.pages if page.tab == tab), None)
        if page is not None:
            self._choose_row(page, row)
            self.choose(self.pages.index(page))

    def choose_row(self, key: object) -> None:
        """Put the cursor of the shown page on what it is about, if that is there."""
        page = self.page
        row = page.row_of(key) if page is not None else None
        if page is not None and row is not None:
            self._choose_row(page, row)
            self._draw()

    def _choose_row(self, page: Page, row: int) -> None:
        key = page.key_of(row) if 0 <= row < page.count else None
        self._chosen[page.tab] = row, page.count, key

    def _row_of(self, page: Page) -> int:
        if not page.count:
            return 0
        index, count, key = self._chosen.get(page.tab, (page.start, page.count, None))
        if key is not None:
            if index < page.count and page.key_of(index) == key:
                return index
            if (row := page.row_of(key)) is not None:
                return row
        return index if count == page.count else page.start

    def _fit_rows(self) -> None:
        """Give the list the height of its rows, up to the page's share."""
        page = self.page
        if page is None or not page.count:
            return
        most = max(2, int((self.size.height - 2) * page.share))
        height = min(page.count, most)
        if self.rows.styles.height is None or self.rows.styles.height.value != height:
            self.rows.styles.height = height

    def on_resize(self) -> None:
        self._fit_rows()
        page = self.page
        if page is not None:
            self.tabs.show_tabs([one.title for one in self.pages], self.pages.index(page))

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        event.stop()
        page = self.page
        if page is not None and event.index < page.count:
            self._choose_row(page, event.index)
            self._show_text(page, event.index)

    def on_cursor_view_chosen(self, event: CursorView.Chosen) -> None:
        event.stop()
        self.text.focus()

    def on_tab_bar_picked(self, event: TabBar.Picked) -> None:
        event.stop()
        self.choose(event.index)

    def copied(self) -> tuple[str, str]:
        """What copying gives here: its name and the text."""
        page = self.page
        return page.copied(self.rows.cursor if page.count else 0) if page is not None else ("", "")
