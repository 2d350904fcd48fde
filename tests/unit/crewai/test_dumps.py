"""What a checkpoint is relieved of before it is written."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.dumps import keep_only


def test_events_that_came_while_the_entities_were_dumped_are_left_out() -> None:
    record: dict[str, Any] = {
        "nodes": {
            "a": {"event": {}, "edges": {"child": ["b", "c"], "next": ["b"]}},
            "b": {"event": {}, "edges": {"parent": ["a"], "next": ["c"], "completed_by": ["c"]}},
            "c": {"event": {}, "edges": {"parent": ["a"]}},
        }
    }
    keep_only(record, {"a", "b"})
    assert record["nodes"] == {
        "a": {"event": {}, "edges": {"child": ["b"], "next": ["b"]}},
        "b": {"event": {}, "edges": {"parent": ["a"]}},
    }


def test_a_record_with_nothing_new_is_left_as_it_is() -> None:
    # a fork of ours has events whose neighbours were taken out
    record: dict[str, Any] = {"nodes": {"a": {"event": {}, "edges": {"next": ["gone"]}}}}
    keep_only(record, {"a"})
    assert record["nodes"] == {"a": {"event": {}, "edges": {"next": ["gone"]}}}
