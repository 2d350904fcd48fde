"""The graph of a flow for a person: a row for each method, with rails between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from crewcheck.cli import marks
from crewcheck.cli.console import unicode_output
from crewcheck.cli.info_text import TextPage
from crewcheck.engine.flow_rails import PLAIN, rows
from crewcheck.model.harmless import one_line, width

if TYPE_CHECKING:
    from crewcheck.engine.showing import Shown

#: state -> (sign, ASCII sign, style); others as `marks` has them.
_SIGNS = {
    "next": ("▸", ">", "bold cyan"),
    "may come": ("○", "o", "dim"),
    "not taken": ("·", ".", "dim"),
}
_NAME, _WAITS = 30, 40


def print_graph(page: TextPage, shown: Shown) -> None:
    """Print it; what was gone is drawn with heavy lines, and green."""
    graph = shown.graph()
    if graph is None or not graph.nodes:
        said = "no flow" if graph is None else "no method has begun"
        page.rich.print(Text(f"  {said}", "dim"))
        return
    unicode = unicode_output()
    hide = shown.redactor.text
    names = [one_line(hide(node.name), _NAME) for node in graph.nodes]
    waits = [
        one_line(graph.waits(at, lambda name: one_line(hide(name), _NAME), "↺" if unicode else "^"),
                 _WAITS)
        for at in range(len(names))
    ]  # fmt: skip
    made = rows(graph)
    wide = max(len(row.cells) for row in made)
    wide_names, wide_waits = max(map(width, names)), max(map(width, waits))
    for row, name, wait in zip(made, names, waits, strict=True):
        node = graph.nodes[row.node]
        sign, style = _sign(node.state, unicode)
        line = Text("  ", no_wrap=True, overflow="ellipsis")
        for at, (box, gone) in enumerate(row.cells):
            if at == row.place:
                line.append(sign, style)
            else:
                line.append(box if unicode else PLAIN.get(box, box), "green" if gone else "dim")
        line.append(" " * (wide - len(row.cells) + 2))
        quiet = "dim" if node.state in ("may come", "not taken") else ""
        line.append(name + " " * (wide_names - width(name) + 2), quiet or "bold")
        line.append(wait + " " * (wide_waits - width(wait) + 2), "dim")
        times = f" {node.calls} times" if node.calls > 1 else ""
        line.append(f"{node.state}{times}", style)
        page.rich.print(line)
    if not graph.class_known:
        said = "the flow's class was not found for certain: only what has begun is drawn"
        page.rich.print(Text(f"  {said}", "dim"))


def _sign(state: str, unicode: bool) -> tuple[str, str]:
    status = {"done": "finished"}.get(state, state)
    full, plain, style = _SIGNS.get(state, marks.STATUS.get(status, ("·", ".", "")))
    return (full if unicode else plain), style
