"""The options of commands that run something of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from crewcheck.engine.invalidation import DONE, SKIPPED
from crewcheck.engine.running import Wish
from crewcheck.engine.source import AGENT, FLOW, Source, find_agent, find_call, result_value
from crewcheck.errors import NotFound, Unreadable, UsageProblem
from crewcheck.model.edits import (
    Edits,
    find_task,
    parse_input,
    parse_inputs_file,
    parse_state,
    parse_unset,
)
from crewcheck.model.harmless import name as shown
from crewcheck.model.json_path import REMOVED, changed_at

F = TypeVar("F", bound=Callable[..., Any])

_RUN = (
    click.option(
        "--entry", metavar="MODULE:ATTR|FILE",
        help="The crew, flow or agent: an object, what makes it, or a file that declares it.",
    ),
    click.option("--script", metavar="FILE", help="Run this program; its kickoff is gone on with."),
    click.option("--arg", "args", metavar="TEXT", multiple=True, help="An argument of --script."),
    click.option("--python", metavar="PATH", help="The project's Python, or its environment."),
    click.option(
        "--allow-changed", is_flag=True, help="Accept a project that differs behind what is done."
    ),
    click.option(
        "--allow-before", is_flag=True, help="Let --script kick off other crews before this one."
    ),
    click.option(
        "--without-project", is_flag=True,
        help="Rebuild the crew or agent from the checkpoint; what is lost is named.",
    ),
    click.option(
        "--allow-losses", is_flag=True,
        help="With --yes: accept what the checkpoint cannot tell.",
    ),
    click.option(
        "--trust-endpoint", is_flag=True,
        help="With --without-project: ask models where the checkpoint says.",
    ),
    click.option("--answer", "answers", metavar="TEXT", multiple=True, help="Answers a prompt."),
    click.option("--dry-run", is_flag=True, help="Show the plan, and run nothing."),
    click.option("-y", "--yes", is_flag=True, help="Do not ask for a confirmation."),
    click.option("--log", "show_log", is_flag=True, help="Show what the program prints."),
)  # fmt: skip

_EDIT = (
    click.option("--branch", metavar="NAME", help="The new branch. [default: fork/ID_xxxxxx]"),
    click.option(
        "-i", "--input", "inputs", metavar="KEY=VALUE", multiple=True,
        help="Change an input; a JSON value keeps its type.",
    ),
    click.option("--inputs", "inputs_file", metavar="FILE", help="Change inputs from a JSON file."),
    click.option(
        "-o", "--output", "outputs", metavar="ITEM=TEXT|@FILE", multiple=True,
        help="Change an output. ITEM is a task's name, id, or number from 1; of a flow a "
        "method (METHOD#2: its second call).",
    ),
    click.option(
        "--state", "state", metavar="PATH=JSON", multiple=True,
        help="Change a flow's state; PATH as in plan.steps[0].name or /plan/steps/0.",
    ),
    click.option(
        "--unset", metavar="PATH", multiple=True, help="Take a key of a flow's state away."
    ),
    click.option("--rerun", metavar="ITEM", multiple=True, help="Run this task or method again."),
    click.option("--keep", metavar="ITEM", multiple=True, help="Keep what this one gave."),
)  # fmt: skip


def run_options(function: F) -> F:
    """Options for running."""
    return _with(function, _RUN)


def edit_options(function: F) -> F:
    """Options for edits."""
    return _with(function, _EDIT)


def _with(function: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def wish_from(action: str, options: dict[str, Any], *, dry_run: bool) -> Wish:
    """What the options for running say."""
    if dry_run and options["allow_before"]:
        raise UsageProblem("--dry-run runs nothing, and --allow-before lets a program run others")
    if options["entry"] and options["script"]:
        raise UsageProblem("--entry and --script exclude each other")
    if options["args"] and not options["script"]:
        raise UsageProblem("--arg is for --script")
    alone = options["without_project"]
    if alone and (options["entry"] or options["script"]):
        raise UsageProblem("--without-project excludes --entry and --script")
    if not alone and options["trust_endpoint"]:
        raise UsageProblem("--trust-endpoint is for --without-project")
    return Wish(
        action=action,
        branch=options.get("branch"),
        entry=options["entry"],
        script=options["script"],
        args=list(options["args"]),
        python=options["python"],
        allow_changed=options["allow_changed"],
        allow_before=options["allow_before"],
        without_project=alone,
        allow_losses=options["allow_losses"],
        trust_endpoint=options["trust_endpoint"],
        answers=list(options["answers"]),
    )


def edits_from(options: dict[str, Any], source: Source) -> Edits:
    """What the options for edits say of a checkpoint. Raises `UsageProblem`, `NotFound`."""
    edits = Edits()
    if options["inputs_file"]:
        path = options["inputs_file"]
        edits.inputs.update(parse_inputs_file(_read(path), path))
    edits.inputs.update(parse_input(one) for one in options["inputs"])
    find = _finder(source)
    for one in options["outputs"]:
        item, sign, value = one.partition("=")
        if not sign:
            raise UsageProblem(f'"{shown(one)}" is no output', "write --output ITEM=TEXT")
        given = _read(value[1:]) if value.startswith("@") else value
        index = find(item)
        if source.kind == FLOW:
            edits.results[index] = result_value(source.calls[index], given)
        else:
            edits.outputs[index] = given
    for option in ("state", "unset"):
        if options[option] and source.kind != FLOW:
            raise UsageProblem(f"--{option} is for flows, and this is a {source.kind}")
    changes = [parse_state(one) for one in options["state"]]
    changes += [(parse_unset(one), REMOVED) for one in options["unset"]]
    state = source.state
    for path, value in changes:
        state, _ = changed_at(state, path, value, "the state")
        edits.state[path] = value
    edits.rerun = {find(one) for one in options["rerun"]}
    edits.keep = {find(one) for one in options["keep"]}
    for option, wanted in (("--keep", edits.keep), ("--output", {*edits.outputs, *edits.results})):
        if both := edits.rerun & wanted:
            said = ", ".join(shown(one) for one in options["rerun"] if find(one) in both)
            raise UsageProblem(f"--rerun and {option} exclude each other, and {said} is in both")
    if nothing := [one for one in options["keep"] if not _has_given(source, find(one))]:
        raise UsageProblem(f"{shown(nothing[0])} has no result that could be kept")
    return edits


def _finder(source: Source) -> Callable[[str], int]:
    """What finds the position of an item that a person names."""
    if source.kind == FLOW:
        return lambda wanted: find_call(source.calls, wanted)
    if source.kind == AGENT:
        return lambda wanted: find_agent(source, wanted)
    return lambda wanted: find_task(source.tasks, wanted)


def _has_given(source: Source, place: int) -> bool:
    if source.kind == FLOW:
        return source.calls[place].state == DONE
    if source.agent is not None:
        return source.agent.answer is not None
    return source.tasks[place].state in (DONE, SKIPPED)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise NotFound(f"no such file: {shown(path)}") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"{shown(path)} cannot be read: {reason}") from None
