"""What checks have found, as the overview and the screen for a whole store show it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from crewcheck.engine.checks.rules import ADVICE, DAMAGE, WARNING
from crewcheck.engine.inspect import Check
from crewcheck.engine.verify import Finding
from crewcheck.model.harmless import one_line
from crewcheck.model.words import many
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.layout import Block, Line, Piece
from crewcheck.tui.pages.base import heading

_STYLES = {DAMAGE: "bad", WARNING: "warn", ADVICE: "muted"}
#: So many findings are shown at most.
MOST = 300


def check_blocks(checks: Sequence[Check], most: int, glyphs: Glyphs) -> list[Block]:
    """The findings of one checkpoint."""
    if not checks:
        return []
    blocks = heading("Checks", "" if len(checks) <= most else f"{len(checks):,} findings")
    for check in checks[:most]:
        pieces = [_mark(check.severity, glyphs), (one_line(check.message, 300), "")]
        pieces.append((f"  {check.rule}", "faint"))
        blocks.append(Line(pieces, hang=2))
    return blocks


def finding_blocks(
    findings: Sequence[Finding], count: int, glyphs: Glyphs, shown: Callable[[str], str]
) -> list[Block]:
    """The findings of a store of ``count`` checkpoints, grouped by checkpoint."""
    told = [one for one in findings if one.severity != ADVICE]
    damage = sum(1 for one in told if one.severity == DAMAGE)
    found = f"damage in {many(damage, 'place')}" if damage else "no damage"
    warnings = many(len(told) - damage, "warning") if len(told) > damage else "no warnings"
    blocks: list[Block] = [
        Line([(f"{many(count, 'checkpoint')} read whole: ", ""),
              (found, "bad" if damage else "ok"), (f", {warnings}", "")]),
    ]  # fmt: skip
    for (where, _), group in groupby(
        told[:MOST], key=lambda one: (one.id or one.location, one.key)
    ):
        blocks += [Line(), Line([(shown(where), "title")])]
        for one in group:
            pieces = [_mark(one.severity, glyphs), (shown(one_line(one.message, 400)), "")]
            if one.checkpoints > 1:
                pieces.append((f"  and in {many(one.checkpoints - 1, 'older one')}", "muted"))
            pieces.append((f"  {one.rule}", "faint"))
            blocks.append(Line(pieces, hang=2))
            if one.remedy:
                blocks.append(Line([(f"  {one_line(one.remedy, 200)}", "muted")], hang=2))
    hidden = len(told) - MOST
    if hidden > 0:
        blocks += [Line(), Line([(f"and {hidden:,} more: crewcheck verify", "muted")])]
    if len(findings) > len(told):
        said = f"{many(len(findings) - len(told), 'piece')} of advice: crewcheck verify"
        blocks += [Line(), Line([(f"{said} --severity advice", "muted")])]
    return blocks


def _mark(severity: str, glyphs: Glyphs) -> Piece:
    sign = glyphs.damaged if severity != ADVICE else glyphs.between
    return f"{sign} ", _STYLES[severity]
