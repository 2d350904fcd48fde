"""The main screen: the lineage on the left, one checkpoint's detail on the right."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.widget import Widget
from textual.widgets import Static

from crewcheck.engine.documents import EventPages
from crewcheck.engine.flow_graph import FlowGraph
from crewcheck.engine.redaction import Redactor
from crewcheck.lineage import Node
from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.tui.bindings import BROWSER_BINDINGS, NEEDS_STORE, SPARED
from crewcheck.tui.edit_book import identity_of
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.messages import (
    DocumentRead,
    MoreRead,
    WholeRead,
)
from crewcheck.tui.pages import Page, Subject
from crewcheck.tui.pages.methods import MethodsPage
from crewcheck.tui.runs import Run
from crewcheck.tui.screens.forest import ForestScreen
from crewcheck.tui.session import Clock, Loaded
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.cursor_view import CursorView
from crewcheck.tui.widgets.detail import Detail
from crewcheck.tui.widgets.filter_line import FilterLine
from crewcheck.tui.widgets.key_bar import KeyBar
from crewcheck.tui.widgets.lineage_tree import LineageTree
from crewcheck.tui.widgets.notice import Notice

#: The cursor must rest so long before a document is read.
SETTLE_SECONDS = 0.03
#: Longer texts are not copied.
MOST_COPIED = 2_000_000
#: How often the ages on the screen are brought up to date.
AGES_SECONDS = 20.0
#: Under this width one pane is shown at a time.
SINGLE_UNDER = 76


class BrowserScreen(ForestScreen):
    """Workers compute, messages carry, handlers draw: nothing here reads a file."""

    AUTO_FOCUS = "#tree"
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (30, "-single"),
        (SINGLE_UNDER, "-narrow"),
        (104, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (8, "-low"),
        (18, "-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = BROWSER_BINDINGS

    def __init__(
        self,
        location: str | None,
        *,
        redactor: Redactor,
        glyphs: Glyphs,
        now: Clock,
        first_hint: str | None = None,
        title: str = "crewcheck",
        following: bool = True,
        missing_hint: str = "",
    ) -> None:
        super().__init__(location, redactor, now)
        self.begin_edits()
        self.begin_launches(missing_hint)
        self.runs = []
        self.following = following
        self.glyphs = glyphs
        self.first_hint = first_hint
        self.heading = title
        self._direction = 1
        self._cursor_before = 0
        #: a flow's calls are listed, not its methods
        self._by_call = False
        self.tree_view = LineageTree(glyphs=glyphs, now=now, redactor=redactor, id="tree")
        self.detail = Detail(id="right")

    def compose(self) -> ComposeResult:
        yield Bar(id="top")
        yield Bar(id="hint")
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield FilterLine(id="filter")
                yield Static(id="filter-problem", markup=False)
                yield self.tree_view
            yield self.detail
        yield Notice()
        yield Static("too small\nmake the window larger", id="too-small", markup=False)
        yield Bar(id="status")
        yield KeyBar(SPARED, id="keys")

    def on_mount(self) -> None:
        self.query_one("#left").border_title = "Runs"
        self.begin_forest()
        self.begin_live()
        self.begin_runs()
        self.begin_comparing(self.tree_view)
        self.tree_view.edited = lambda one: self.edits.count(identity_of(one))
        if self.first_hint:
            self.add_class("-hinted")
            self.query_one("#hint", Bar).show(
                [(one_line(self.first_hint), "")], [(" esc hides this ", "muted")]
            )
        self._show_top("opening…")
        self.set_interval(AGES_SECONDS, self.tree_view.refresh)
        self.open_store()

    def on_resize(self) -> None:
        self._arrange()

    @property
    def has_store(self) -> bool:
        """Whether the panes are shown, not a message in their place."""
        return not self.has_class("-notice")

    # -- the checkpoint under the cursor

    def on_document_read(self, message: DocumentRead) -> None:
        node = self.tree_view.node
        if node is None or node.checkpoint is not message.checkpoint:
            return
        loaded, session = message.loaded, self.session
        if loaded is not self.detail.loaded:
            pages = loaded.info.events if loaded.info is not None else None
            if isinstance(pages, EventPages) and session is not None:
                pages.want = lambda page: self.fetch_events(session, node.checkpoint, loaded, page)
            self.detail.show(self._subject(node, loaded))

    def on_detail_looked(self, message: Detail.Looked) -> None:
        node, loaded = self.tree_view.node, self.detail.loaded
        if node is not None and loaded is not None and self.session is not None:
            self.fetch_texts(self.session, node.checkpoint, loaded, message.cuts)

    def on_more_read(self, message: MoreRead) -> None:
        if message.loaded is not self.detail.loaded:
            return
        if message.problem:
            said = f"Not all of it can be shown: {one_line(message.problem, 300)}"
            self.notify(said, severity="warning", markup=False)
        else:
            self.detail.redraw()

    def on_detail_whole_wanted(self) -> None:
        node = self.tree_view.node
        if node is not None and self.session is not None:
            self.read_whole(self.session, node)

    def on_detail_classes_wanted(self) -> None:
        info = self.detail.loaded.info if self.detail.loaded is not None else None
        if self.session is not None and info is not None and info.summary.name:
            self.read_class(self.session, info.summary.name)

    def on_classes_read(self) -> None:
        subject = self.shown_subject()
        if subject is not None:
            self.detail.show(subject)

    def on_whole_read(self, message: WholeRead) -> None:
        node = self.tree_view.node
        if node is not None and node.checkpoint is message.checkpoint:
            self.detail.show(self._subject(node))

    def _subject(self, node: Node, loaded: Loaded | None = None) -> Subject:
        if loaded is None and self.session is not None:
            loaded = self.session.cached(node.checkpoint)
        return Subject(
            node,
            loaded,
            self.now(),
            self.tree_view.shown,
            self.glyphs,
            edits=self.edits.of(identity_of(node.checkpoint)),
            runs=tuple(self.runs),
            base=self.base_of(node),
            compared=self.comparison_of(node),
            whole=self.session.whole(node.checkpoint) if self.session is not None else None,
            graph=self._graph(loaded),
            by_call=self._by_call,
        )

    def _graph(self, loaded: Loaded | None) -> FlowGraph | None:
        if self.session is None or loaded is None:
            return None
        return self.session.graphs.of(loaded.info)

    def look(self) -> None:
        """Show what is under the cursor: what is known now, the document when it rests."""
        node = self.tree_view.node
        self.hold()
        if self._settle is not None:
            self._settle.stop()
            self._settle = None
        if node is None:
            self.detail.clear()
            self._shown = ()
            return
        self._shown = self._face(node)
        subject = self._subject(node)
        self.detail.show(subject)
        if not subject.unreadable:
            self._settle = self.set_timer(SETTLE_SECONDS, self._settled)

    def _settled(self) -> None:
        self._settle = None
        node = self.tree_view.node
        if node is None or self.session is None:
            return
        self.compare_shown()
        ahead = self.tree_view.nodes_ahead(self._direction, 2)
        if self.session.cached(node.checkpoint) is None or any(
            self.session.cached(one.checkpoint) is None for one in ahead
        ):
            self.read_document(self.session, node, ahead)

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        self._direction = 1 if event.index >= self._cursor_before else -1
        self._cursor_before = event.index
        # the tree is painted first; of moves that come faster only the last is looked at
        if self._settle is not None:
            self._settle.stop()
            self._settle = None
        if not self._look_due:
            self._look_due = True
            self.call_after_refresh(self._look_now)

    def _look_now(self) -> None:
        self._look_due = False
        self.look()

    def on_lineage_tree_opened(self) -> None:
        self.go_to_view(self.detail.main_view)

    # -- edits and runs

    def shown_subject(self) -> Subject | None:
        node = self.tree_view.node
        return self._subject(node) if node is not None and self.has_store else None

    def shown_page(self) -> tuple[Page | None, int]:
        return self.detail.page, self.detail.rows.cursor

    def show_edits(self) -> None:
        self.tree_view.refresh()
        self.show_status()
        subject = self.shown_subject()
        if subject is not None:
            self.detail.show(subject)
        self.refresh_bindings()

    def show_row(self, key: object) -> None:
        self.detail.choose_row(key)

    def chosen_run(self) -> Run | None:
        if self.detail.tab != "run" or not self.detail.rows.count:
            return None
        at = self.detail.rows.cursor
        return self.runs[at] if at < len(self.runs) else None

    def show_runs(self) -> None:
        self.show_status()
        subject = self.shown_subject()
        if subject is not None:
            self.detail.show_runs(subject)
        self.refresh_bindings()

    def show_run_tab(self) -> None:
        self.detail.choose_tab("run")
        self._arrange(in_detail=True)
        if self.size.width < SINGLE_UNDER:
            self.detail.text.focus()

    def edit_state(self) -> None:
        self.detail.choose_tab("state")
        self._arrange(in_detail=True)
        self.go_to_view(self.detail.main_view)
        self.action_edit()

    def go_to_checkpoint(self, checkpoint_id: str) -> bool:
        newest_first = reversed(self.forest.order) if self.forest is not None else ()
        node = next((one for one in newest_first if one.checkpoint.id == checkpoint_id), None)
        if node is None:
            return False
        if self.query_text:
            self.drop_filter()
        return self.tree_view.go_to(node)

    # -- panes

    def _views(self) -> list[Widget]:
        rows = self.detail.rows
        return [self.tree_view, *([rows] if rows.display and rows.count else []), self.detail.text]

    def go_to_view(self, view: Widget) -> None:
        self._arrange(in_detail=view is not self.tree_view)
        view.focus()

    @property
    def in_detail(self) -> bool:
        focused = self.focused
        return focused is not None and self.detail in focused.ancestors

    def _arrange(self, in_detail: bool | None = None) -> None:
        """In a narrow window, show the pane that has the focus only."""
        try:
            left = self.query_one("#left")
        except NoMatches:
            return
        if in_detail is None:
            in_detail = self.in_detail
        single = self.size.width < SINGLE_UNDER
        left.display = not (single and in_detail)
        self.detail.display = not single or in_detail

    def action_pane(self, by: int) -> None:
        views = self._views()
        at = views.index(self.focused) if self.focused in views else 0
        self.go_to_view(views[(at + by) % len(views)])

    def action_back_to_tree(self) -> None:
        if self.in_detail:
            self.go_to_view(self.tree_view)

    def action_tab(self, index: int) -> None:
        self.detail.choose(index)
        self._keep_focus()
        self.refresh_bindings()

    def action_tab_step(self, by: int) -> None:
        self.detail.step(by)
        self._keep_focus()
        self.refresh_bindings()

    def _keep_focus(self) -> None:
        """The list may have gone with its tab: then the text takes the focus."""
        if self.in_detail or self.size.width < SINGLE_UNDER:
            self.go_to_view(self.detail.main_view)

    def action_by_call(self) -> None:
        """On the Methods tab, list methods or calls; the cursor stays on the method."""
        page, row = self.shown_page()
        if not isinstance(page, MethodsPage):
            return
        self._by_call = not self._by_call
        subject = self.shown_subject()
        if subject is not None:
            self.detail.show(subject)
            self.detail.choose_tab("work", MethodsPage(subject).row_like(page, row))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "tab":
            return isinstance(parameters[0], int) and parameters[0] < len(self.detail.pages)
        if action == "back_to_tree":
            return self.in_detail
        if isinstance(self.focused, FilterLine) and action == "filter":
            return False
        if action in ("edit", "edit_outside"):
            return self.has_store and self.detail.tab in ("work", "inputs", "state")
        if action == "by_call":
            return self.has_store and isinstance(self.detail.page, MethodsPage)
        if action == "add_input":
            return self.has_store and self.detail.tab in ("inputs", "state")
        if action == "remove_key":
            return self.has_store and self.detail.tab == "state"
        if action == "undo":
            return self.has_store and self.edits.can_undo
        if action == "drop_edits":
            return self.has_store and self.edits.total > 0
        if action == "cancel_run":
            return any(run.live for run in self.runs)
        if action == "answer":
            return any(run.prompts or run.paused for run in self.runs)
        return self.has_store if action in NEEDS_STORE else True

    # -- the filter

    def show_tree_pane(self) -> None:
        self._arrange(in_detail=False)

    def action_back(self) -> None:
        if self.has_class("-filtering"):
            self.drop_filter()
            self.go_to_view(self.tree_view)
        elif self.in_detail:
            self.go_to_view(self.tree_view)
        elif self.has_class("-hinted"):
            self.remove_class("-hinted")

    # -- other actions

    def action_refresh(self) -> None:
        if self.session is None or self.has_class("-notice"):
            self._show_top("opening…")
            self.open_store()
        else:
            self._show_top("looking…")
            self.refresh_store(self.session)

    def action_copy(self) -> None:
        selected = self.get_selected_text()
        if selected:
            self._copy("the selected text", selected)
        elif self.in_detail:
            self._copy(*self.detail.copied())
        elif (node := self.tree_view.node) is not None:
            self._copy("the checkpoint's id", node.checkpoint.id)

    def action_copy_path(self) -> None:
        node = self.tree_view.node
        if node is not None:
            self._copy("the checkpoint's path", node.checkpoint.header.location)

    def _copy(self, what: str, text: str) -> None:
        if not what:
            return
        if len(text) > MOST_COPIED:
            # it goes through the terminal, which would be busy with it for long
            said = f"{what} is too long for the clipboard: `crewcheck show` prints it"
            self.notify(said[:1].upper() + said[1:], severity="warning", timeout=6, markup=False)
            return
        self.app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        size = f" ({words.many(len(text), 'character')})" if len(text) > 60 else ""
        self.notify(f"Copied {what}{size}: {one_line(text, 60)}", timeout=2.5, markup=False)

    def action_copy_id(self) -> None:
        node = self.tree_view.node
        if node is not None:
            self._copy("the checkpoint's id", node.checkpoint.id)

    def action_copy_shown(self) -> None:
        self._copy(*self.detail.copied())
