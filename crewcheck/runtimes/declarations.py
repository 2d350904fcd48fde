"""Crews, flows and agents that are written down as data: `crew.jsonc`, `flow.yaml`.

CrewAI loads such files from 1.15 on. Stdlib only and Python 3.10, for the child reads it too.
"""

from __future__ import annotations

SUFFIXES = (".jsonc", ".json", ".yaml", ".yml")


def is_declaration(entry: str) -> bool:
    """Whether an entry names such a file."""
    return entry.lower().endswith(SUFFIXES)
