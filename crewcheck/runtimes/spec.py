"""What a run is to do: written to ``spec.json`` in its folder before anything starts.

Stdlib only and Python 3.10, for the child reads it too. The child is started as

    PYTHON BOOT SPEC.JSON IN OUT

in the project's folder: ``IN`` and ``OUT`` are the numbers of two descriptors, the first
to read what the supervisor says, the second to write messages to (`wire`).
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from typing import Any

SPEC_VERSION = 1


@dataclass
class RunSpec:
    """One run. All paths are absolute.

    Of the checkpoint: ``store`` (as it is opened) and ``store_kind``, ``checkpoint_id``,
    ``source_branch``, ``document_path`` (the document as a JSON file; empty: the run
    folder gets one), ``kind`` and ``name`` of the primary entity, ``total`` tasks.

    Of the project: ``python``, ``cwd``, ``path`` (put on ``sys.path``), ``env`` (added to
    the environment, never written to disk), and ``entry`` (``module:attr``) or ``script``
    with its ``args`` (``earlier``: documents of what it may kick off before this
    one, ``beside``: names of what ran at the same time); neither: the child restores from
    the document.

    Of the work: ``action`` (``resume`` or ``fork``), ``branch`` of what will be written
    (None: the source's), ``inputs`` (what is changed), ``outputs`` (position of a task ->
    text), of a flow ``results`` (position of a call -> JSON value) and ``state`` (pairs of a
    path, as a list of keys, and a value; without a value the key is taken away), ``rerun``
    and ``keep`` (positions), ``allow_changed``, ``allow_before``; ``answers`` are given to the
    first prompts, in order;
    ``work`` are files with what earlier runs had done behind the checkpoint (`work_file`).
    ``validate`` (``module:function``) is asked before the plan whether the checkpoint is
    still good.

    Without the project ``trust_endpoint`` accepts an address of a model that only the
    document names.

    ``unattended_seconds``: how long the supervisor waits for `go` while nobody is
    attached; ``grace_seconds``: how long for the child to end after each signal.
    ``boot`` is the program that the child runs, None for ours.
    """

    store: str
    checkpoint_id: str
    python: str
    cwd: str
    store_kind: str = "json"
    source_branch: str = "main"
    document_path: str = ""
    kind: str | None = None
    name: str | None = None
    total: int | None = None
    path: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict, repr=False)
    entry: str | None = None
    script: str | None = None
    args: list[str] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list, repr=False)
    beside: list[str] = field(default_factory=list)
    action: str = "resume"
    branch: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    state: list[Any] = field(default_factory=list)
    rerun: list[int | str] = field(default_factory=list)
    keep: list[int | str] = field(default_factory=list)
    allow_changed: bool = False
    allow_before: bool = False
    trust_endpoint: bool = False
    answers: list[str] = field(default_factory=list)
    work: list[str] = field(default_factory=list)
    validate: str | None = None
    unattended_seconds: float = 30.0
    grace_seconds: float = 8.0
    boot: str | None = None
    run_id: str = ""
    created_at: str = ""

    def to_json(self) -> bytes:
        """The spec as it is written down: of the environment only the names."""
        values = {**asdict(self), "env": sorted(self.env), "version": SPEC_VERSION}
        return json.dumps(values, indent=1, default=str).encode("ascii") + b"\n"


def read_spec(path: str | os.PathLike[str]) -> RunSpec:
    """The spec in a file. Keys that this version does not know are passed over.

    Raises `OSError`, or `ValueError` for what is no spec.
    """
    with open(path, "rb") as file:
        values = json.load(file)
    if not isinstance(values, dict):
        raise ValueError("a spec is one JSON object")
    known = {one.name for one in fields(RunSpec)} - {"env"}
    try:
        return RunSpec(**{key: value for key, value in values.items() if key in known})
    except TypeError as error:
        raise ValueError(str(error)) from None
