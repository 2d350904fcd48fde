"""The methods of a flow as a graph with the route that was taken, or its calls one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from crewcheck.engine.flow_graph import MAY_COME, NEXT, NOT_TAKEN, FlowNode
from crewcheck.engine.inspect import CallLine
from crewcheck.model import words
from crewcheck.model.flow import Method
from crewcheck.model.flow_calls import DONE
from crewcheck.tui.glyphs import style_of
from crewcheck.tui.layout import Block, Cell, Line, Piece, Table, widest
from crewcheck.tui.pages.base import (
    Page,
    Subject,
    fact,
    heading,
    plain,
    preview,
)
from crewcheck.tui.pages.tasks import chosen_first, joined
from crewcheck.tui.route import Route, kind_words

#: Of a loop's calls so many are listed with the method; all of them one by one.
CALLS = 12
#: Of so many methods it is looked at whether they wait for others.
LOOKED_AT = 20
#: Longer names are cut in the rows, and those of this length only where there is no room.
MOST_NAME, LEAST_NAME = 34, 18
_NOT_BEGUN = {
    NEXT: "It has not begun: a resume runs it next.",
    MAY_COME: "It has not begun: the flow may come to it.",
    NOT_TAKEN: "The flow did not come to it.",
}


class MethodsPage(Page):
    """A row for each method of the graph; ``by_call`` one for each call, as they began."""

    tab = "work"
    title = "Methods"
    share = 0.55
    needs_classes = True

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.by_call = subject.by_call
        self.nodes: Sequence[FlowNode] = subject.graph.nodes if subject.graph is not None else ()
        self.calls: list[CallLine] = self.info.calls if self.info is not None else []
        rows: Sequence[FlowNode | CallLine] = self.nodes
        if self.by_call and self.nodes:
            rows = self.calls
        self.count = len(rows)
        self.start = chosen_first([row.state for row in rows])

    @cached_property
    def _route(self) -> Route:
        assert self.subject.graph is not None
        return Route(self.subject.graph, self.subject.glyphs, self.subject.shown)

    @cached_property
    def _name_width(self) -> int:
        """Names are told apart by their ends, too: they get the room that they need."""
        shown = self.subject.shown
        return widest((shown(node.name) for node in self.nodes), 8, MOST_NAME)

    @cached_property
    def _label_width(self) -> int:
        """The same with the numbers of calls."""
        most = max((node.calls for node in self.nodes), default=0)
        return min(MOST_NAME, self._name_width + (len(f"#{most}") if most > 1 else 0))

    @cached_property
    def _waits(self) -> bool:
        """Whether it is known of any method what it waits for."""
        looked_at = range(min(len(self.nodes), LOOKED_AT))
        return any(self._route.waits(at) for at in looked_at)

    @cached_property
    def _loops(self) -> bool:
        """Whether any method was called more than once."""
        return any(node.calls > 1 for node in self.nodes)

    @cached_property
    def _spends(self) -> bool:
        """Whether any call has cost tokens."""
        return any(call.tokens for call in self.calls)

    @cached_property
    def _methods(self) -> dict[str, Method]:
        return {one.name: one for one in self.info.methods} if self.info is not None else {}

    def _place(self, index: int) -> tuple[FlowNode, CallLine | None]:
        """The method of a row, and its call (the last one of the method)."""
        if self.by_call:
            call = self.calls[index]
            return next(node for node in self.nodes if node.name == call.method), call
        node = self.nodes[index]
        return node, self.calls[node.last] if node.last is not None else None

    def call_at(self, index: int) -> CallLine | None:
        """The call whose result is edited on a row, None where there is none."""
        return self._place(index)[1]

    def key_of(self, index: int) -> object:
        return self.calls[index].label if self.by_call else self.nodes[index].name

    def row_like(self, other: MethodsPage, index: int) -> int:
        """The row that is about what a row of the other list was about."""
        if not other.count:
            return 0
        node, call = other._place(index)
        if self.by_call:
            return call.index if call is not None else self.start
        return self.nodes.index(node)

    def _mine(self, call: CallLine | None) -> list[Any]:
        """A person's result of a call: one, or none."""
        results = self.subject.edits.results
        return [results[call.index]] if call is not None and call.index in results else []

    # -- the rows

    def heads(self) -> Sequence[Cell]:
        if self.by_call:
            return self._call_row("", "", "call", "result", "took", "tokens", "", "muted", "muted",
                                  "")  # fmt: skip
        rails = self._route.empty() if self.count else Cell("", "", 1)
        return self._node_row(rails, "method", "waits for", "result", "calls", "took",
                              "muted", "muted", "muted")  # fmt: skip

    def cells(self, index: int) -> Sequence[Cell]:
        node, call = self._place(index)
        state = call.state if call is not None and self.by_call else node.state
        mine = self._mine(call)
        glyphs = self.subject.glyphs
        sign, style = glyphs.of_state(state), style_of(state)
        said, side = self._said(node, call, state)
        if mine:
            sign, style, side, said = glyphs.edited, "edited", "edited", preview(mine[0], 80)
        if self.by_call and call is not None:
            spent = f"{call.tokens:,}" if call.tokens else ""
            return self._call_row(
                str(index + 1), sign, self.subject.shown(call.label), said,
                words.took(call.seconds), spent, style, "", side, "muted",
            )  # fmt: skip
        main = {NEXT: "title", MAY_COME: "muted", NOT_TAKEN: "faint"}.get(state, "")
        method = self._methods.get(node.name)
        return self._node_row(
            self._route.cell(index, sign, style),
            self.subject.shown(node.name),
            self._route.waits(index),
            said,
            f"{node.calls}" if node.calls > 1 else "",
            words.took(method.seconds) if method is not None else "",
            "edited" if mine else main,
            "faint" if state == NOT_TAKEN else "muted",
            side,
        )

    def _said(self, node: FlowNode, call: CallLine | None, state: str) -> tuple[str, str]:
        """What a row says of the result: it, or why there is none; and its style."""
        if state == DONE:
            result = call.result if call is not None else None
            return (preview(result, 80) if result is not None else ""), "muted"
        method = self._methods.get(node.name)
        if method is not None and state == "failed" and method.error:
            return preview(method.error, 80), "bad"
        if method is not None and state == "paused" and method.message:
            return preview(method.message, 80), "warn"
        return {"running": "under way", NEXT: "runs next"}.get(state, state), style_of(state)

    def _node_row(
        self, rails: Cell, name: str, waits: str, result: str, calls: str, took: str, main: str,
        side: str, said: str,
    ) -> tuple[Cell, ...]:  # fmt: skip
        width = self._name_width
        cells = [rails, Cell(name, main, least=min(width, LEAST_NAME), most=width)]
        if self._waits:
            cells.append(Cell(waits, side, rank=4, least=12, most=26))
        cells.append(Cell(result, said, rank=1, least=12))
        if self._loops:
            cells.append(Cell(calls, "muted", 5, right=True, rank=5))
        return (*cells, Cell(took, "muted", 7, right=True, rank=2))

    def _call_row(
        self, number: str, sign: str, label: str, result: str, took: str, tokens: str, state: str,
        main: str, said: str, side: str,
    ) -> tuple[Cell, ...]:  # fmt: skip
        width = self._label_width
        cells = (
            Cell(number, side or "muted", 4, right=True),
            Cell(sign, state, 1),
            Cell(label, main, least=min(width, LEAST_NAME), most=width),
            Cell(result, said, rank=3, least=16),
            Cell(took, side or "muted", 7, right=True, rank=1),
        )
        spent = Cell(tokens, side or "muted", 7, right=True, rank=2)
        return (*cells, spent) if self._spends else cells

    # -- the text

    def blocks(self, index: int) -> list[Block]:
        if self.info is None:
            return self.waiting()
        if not self.count:
            return [Line(), Line([("  No method of this flow has begun yet.", "muted")])]
        node, call = self._place(index)
        label = call.label if self.by_call and call is not None else node.name
        blocks: list[Block] = [
            Line([(self.subject.shown(label), "title")]),
            Line(self._about(node, call)),
            Line(),
            *self._of_result(node, call),
        ]
        if not self.by_call:
            if node.calls > 1:
                blocks += [*self._of_calls(node), Line()]
            blocks += self._of_route(index)
        return blocks

    def _of_result(self, node: FlowNode, call: CallLine | None) -> list[Block]:
        """What went wrong, is asked, and was returned."""
        blocks: list[Block] = []
        mine = self._mine(call)
        several = call is not None and call.label != node.name
        for value in mine:
            of = f"  of {self.subject.shown(call.label)}" if call is not None and several else ""
            blocks += [
                Line([(f"{self.subject.glyphs.edited} ", "edited"), ("Your result", "heading"),
                      (f"{of}  not forked yet: f forks, u undoes", "muted")]),
                *self._returned(value),
                Line(),
            ]  # fmt: skip
        method = self._methods.get(node.name)
        if method is None or call is None:
            return [*blocks, Line([(_NOT_BEGUN.get(node.state, ""), "muted")]), Line()]
        if call.state == "failed" and method.error:
            blocks += [*heading("Error"), *self.long(method.error), Line()]
        if call.state == "paused" and method.message:
            blocks += [*heading("It asks"), *self.long(method.message), Line()]
        if call.state == DONE:
            notes = [f"of {self.subject.shown(call.label)}"] if several and not self.by_call else []
            if self._edited_before(call):
                notes.append("edited by a person")
            blocks += heading("Recorded result" if mine else "Result", ", ".join(notes))
            blocks += [*self._returned(call.result), Line()]
        elif not method.error and not method.message:
            said = {
                "running": "It had begun when this checkpoint was written.",
                "paused": "It waits for a person.",
            }.get(call.state, "What it returned is not in the checkpoint.")
            blocks += [Line([(said, "muted")]), Line()]
        return blocks

    def _of_calls(self, node: FlowNode) -> list[Block]:
        """The last calls of a loop's method, a line each."""
        calls = [call for call in self.calls if call.method == node.name]
        rows = [
            (
                Cell(self.subject.glyphs.of_state(call.state), style_of(call.state), 1),
                Cell(f"#{call.number}", "", 5),
                Cell(words.took(call.seconds), "muted", 7, right=True, rank=1),
                *([Cell(f"{call.tokens:,}" if call.tokens else "", "muted", 7, right=True, rank=2)]
                  if self._spends else []),
                Cell(preview(call.result, 120) if call.result is not None else call.state, ""),
            )
            for call in calls[-CALLS:]
        ]  # fmt: skip
        more = len(calls) - len(rows)
        note = (
            f"the last {len(rows)} of {len(calls):,}: v lists them all" if more else "v lists them"
        )
        return [*heading("Calls", note), Table(rows, 2)]

    def _of_route(self, index: int) -> list[Block]:
        """What it waits for, and where it leads."""
        blocks: list[Block] = []
        if waits := self._route.waits(index, in_full=True):
            blocks.append(fact("Waits for", waits))
        if ways := self._route.ways(index):
            blocks += [Line([("Leads to", "label")]), *ways]
        graph = self.subject.graph
        if graph is not None and not graph.class_known:
            said = "The flow's class was not found for certain: what has not begun is not known."
            blocks += [*([Line()] if blocks else []), Line([(said, "muted")])]
        return blocks

    def _edited_before(self, call: CallLine) -> bool:
        """Whether the result is what a person wrote into a fork."""
        return self.info is not None and any(
            one.path == f"methods.{call.label}.result" for one in self.info.edits
        )

    def _about(self, node: FlowNode, call: CallLine | None) -> list[Piece]:
        one = call if self.by_call else None
        state = one.state if one is not None else node.state
        method = self._methods.get(node.name)
        parts: list[Piece] = [(kind_words(node), "")] if kind_words(node) else []
        parts.append((state, style_of(state)))
        if one is None and node.calls > 1:
            parts.append((f"called {node.calls:,} times", ""))
        seconds = one.seconds if one is not None else method.seconds if method is not None else None
        if seconds is not None:
            parts.append((words.took(seconds), ""))
        tokens = one.tokens if one is not None else method.tokens.total if method is not None else 0
        if tokens:
            parts.append((words.many(tokens, "token"), ""))
        if one is not None and one.cause is not None:
            parts.append((f"set off by {self.subject.shown(self.calls[one.cause].label)}", "muted"))
        return joined(parts, f" {self.subject.glyphs.between} ")

    def _returned(self, result: Any) -> list[Block]:
        if result is None or result == "":
            said = "nothing" if result is None else "an empty text"
            return [Line([(f"It returned {said}.", "muted")])]
        return self.long(result)

    def copied(self, index: int) -> tuple[str, str]:
        if not self.count:
            return "", ""
        node, call = self._place(index)
        mine = self._mine(call)
        if mine:
            return "your result", plain(mine[0])
        if call is not None and call.state == DONE and call.result is not None:
            return "the method's result", plain(self.whole(call.result))
        method = self._methods.get(node.name)
        if method is not None and (method.error or method.message):
            return "the method's error", self.whole(method.error or method.message or "")
        return "the method's name", node.name
