"""Forests for tests, without documents."""

from __future__ import annotations

import time

from crewcheck.lineage import Forest, build
from crewcheck.model.scan import Checkpoint, Header, Summary

START = 1_795_910_400  # 2026-11-29


def checkpoint(
    number: int, parent: int | None = None, branch: str = "main", *, read: bool = True
) -> Checkpoint:
    """The Nth checkpoint, a second after the one before."""
    made = Checkpoint(
        Header(
            key=f"{branch}/{number}",
            id=f"id{number:06}",
            location=f"store/{branch}/{number}.json",
            parent_id=None if parent is None else f"id{parent:06}",
            branch=branch,
            created_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + number)),
            stamp=number,
            size=1000,
        )
    )
    if read:
        made.summary = Summary(
            kind="crew",
            name="newsroom",
            done=number % 5,
            total=4,
            status="finished" if number % 5 == 4 else "stopped",
            trigger="task_completed",
            run_key=f"run-{branch}-{number}" if parent is None else None,
        )
    return made


def chain(length: int, *, read: bool = True) -> Forest:
    """One run of many checkpoints."""
    return build(checkpoint(at, at - 1 if at else None, read=read) for at in range(length))


def forked() -> Forest:
    """Two runs: the older of four with a fork of its second, and that fork's own fork."""
    return build(
        [
            checkpoint(1),
            checkpoint(2, 1),
            checkpoint(3, 2),
            checkpoint(4, 3),
            checkpoint(5, 2, "exp"),
            checkpoint(6, 5, "exp"),
            checkpoint(7, 5, "deep"),
            checkpoint(20),
            checkpoint(21, 20),
        ]
    )
