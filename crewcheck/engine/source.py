"""A checkpoint, read to go on from: a crew with its tasks, a flow with its calls, an agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.mending import mended
from crewcheck.errors import CrewcheckError, NotFound, Refused, UsageProblem
from crewcheck.lineage import Node
from crewcheck.model.agent import QUESTION, AgentRun, agent_run, within
from crewcheck.model.crew import Task, tasks
from crewcheck.model.document import iter_events, kickoff_inputs, mapping, sorted_events, text
from crewcheck.model.events import Tokens, seconds_running, total_tokens
from crewcheck.model.flow_calls import DONE, Call, calls, newest_state
from crewcheck.model.flow_result import recorded_result
from crewcheck.model.harmless import name as shown
from crewcheck.model.primary import flow_name, primary
from crewcheck.model.scan import Checkpoint
from crewcheck.model.status import KEPT_OUTPUTS, awaits_callbacks, not_brought_to_an_end

CREW, FLOW, AGENT = "crew", "flow", "agent"


@dataclass(slots=True)
class Source:
    """What a run or fork starts from.

    ``kind`` is ``crew`` (then ``tasks`` are its items), ``flow`` (then ``calls`` are, and
    ``state`` is the state after the last finished one) or ``agent`` (then ``agent`` is its
    run, the one item). ``tokens`` and ``seconds`` are what the run has cost so far, from its
    first event to its last. ``mended``: the document is more than what the store has
    (`mending`). ``inputs_from`` is the id of the checkpoint that tells the inputs, where its own
    does not: a flow's first one is written before the kickoff.
    """

    catalog: Catalog
    node: Node
    document: dict[str, Any]
    entity: dict[str, Any]
    kind: str
    name: str | None
    inputs: dict[str, Any]
    tasks: list[Task] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    state: Any = None
    agent: AgentRun | None = None
    mended: bool = False
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float | None = None
    inputs_from: str | None = None

    @property
    def partial(self) -> bool:
        """Whether it is a crew of whose tasks only those with outputs are known."""
        return KEPT_OUTPUTS in self.entity

    @property
    def checkpoint(self) -> Checkpoint:
        return self.node.checkpoint

    @property
    def id(self) -> str:
        return self.checkpoint.id

    @property
    def done(self) -> int:
        """How many tasks have a result, calls have ended well, or questions an answer."""
        if self.agent is not None:
            return int(self.agent.answer is not None)
        if self.kind == FLOW:
            return sum(1 for call in self.calls if call.state == DONE)
        return sum(1 for task in self.tasks if task.output is not None)

    @property
    def total(self) -> int | None:
        """How many tasks or questions there are; of a flow's calls nobody knows."""
        if self.agent is not None:
            return 1
        return len(self.tasks) if self.kind == CREW else None

    @property
    def pending(self) -> bool:
        """Whether there is anything left to do."""
        if self.agent is not None and self.agent.answer is not None:
            return False
        if self.kind == CREW:
            events = list(iter_events(self.document))
            if not_brought_to_an_end(self.entity, events):
                return True
            if awaits_callbacks(self.document, self.entity, events):
                return True
        return self.checkpoint.summary is None or self.checkpoint.summary.status != "finished"

    @property
    def ends_with_callbacks(self) -> bool:
        """Whether the crew has callbacks after a kickoff. No checkpoint tells whether they
        were called."""
        return self.kind == CREW and bool(self.entity.get("after_kickoff_callbacks"))

    @property
    def result(self) -> str:
        """The text of the newest output there is, as CrewAI gives it for a crew; what a
        flow that has finished returned."""
        if self.kind == FLOW:
            return recorded_result(sorted_events(self.document), self.name)
        if self.agent is not None:
            return self.agent.answer or ""
        return next((task.output for task in reversed(self.tasks) if task.output), "")

    def cost_of(self, index: int) -> tuple[int, float | None]:
        """The tokens and seconds that an item has cost so far."""
        if self.agent is not None:
            return self.tokens.total, self.seconds
        items: list[Any] = self.calls if self.kind == FLOW else self.tasks
        if index >= len(items):
            return 0, None
        return items[index].tokens.total, items[index].seconds


def read_source(catalog: Catalog, node: Node) -> Source:
    """Read a checkpoint to go on from. Raises `DamagedDocument`, `NotFound`, `Refused`."""
    checkpoint = node.checkpoint
    catalog.read_summaries([checkpoint])
    node = catalog.forest.by_key[checkpoint.key]
    stored = document = catalog.store.document(checkpoint.header)
    entity: Any = primary(document, list(iter_events(document)))
    kind = text(mapping(entity).get("entity_type"))
    if kind not in (CREW, FLOW, AGENT):
        raise Refused(
            f"{shown(checkpoint.id)} is a checkpoint of {_article(kind)}, "
            "and only crews, flows and agents can be forked"
        )
    if kind == AGENT:
        document = mended(catalog, node, document)
        entity = primary(document, list(iter_events(document)))
    events = sorted_events(document)
    source = Source(
        catalog,
        node,
        document,
        entity,
        kind,
        text(entity.get("name")),
        kickoff_inputs(entity, events) or {},
        tokens=total_tokens(events),
        mended=document is not stored,
    )
    if kind == AGENT:
        source.agent = agent_run(document, entity, events)
        source.name = text(entity.get("role")) or source.name
        if source.agent.question is not None:
            source.inputs = {QUESTION: source.agent.question}
        events = within(events, source.agent.kickoff_id)
        source.tokens = total_tokens(events)
    source.seconds = seconds_running(events)
    if kind == CREW:
        source.tasks = tasks(document, entity, events)
    elif kind == FLOW:
        source.name = flow_name(entity, events)
        source.calls = calls(entity, source.name, events)
        done = (call for call in source.calls if call.state == DONE)
        source.state = newest_state(entity, done)
        if not source.calls and not any(one.get("type") == "flow_started" for one in events):
            _learn_inputs(source)
    return source


def _learn_inputs(source: Source) -> None:
    """Take a flow's inputs from the checkpoint after the one before its kickoff."""
    for node in source.node.children:
        try:
            document = source.catalog.store.document(node.checkpoint.header)
        except CrewcheckError:
            continue
        found = kickoff_inputs({"entity_type": FLOW}, sorted_events(document))
        if node.checkpoint.branch == source.checkpoint.branch and found:
            source.inputs, source.inputs_from = found, node.checkpoint.id
            return


def _article(kind: str | None) -> str:
    if kind is None:
        return "a thing of unknown kind"
    return f"an {shown(kind)}" if kind[:1] in "aeiou" else f"a {shown(kind)}"


def find_call(found: list[Call], wanted: str) -> int:
    """The position of a call that a person names: ``METHOD`` (its last call), ``METHOD#2``.

    Raises `NotFound` with the calls there are.
    """
    method, _, number = wanted.partition("#")
    of_it = [call for call in found if call.method == method]
    if number:
        of_it = [call for call in of_it if str(call.number) == number]
    if of_it:
        return of_it[-1].index
    known = ", ".join(shown(call.label) for call in found)
    raise NotFound(
        f'no call of "{shown(wanted)}" in this checkpoint',
        f"there are: {known}" if known else "none of its methods has begun",
    )


def find_agent(source: Source, wanted: str) -> int:
    """The position of an agent's one run: it is named by 1, or by the role. Raises `NotFound`."""
    role = (source.name or "").strip()
    if wanted.strip() in ("1", AGENT, role):
        return 0
    raise NotFound(f'no "{shown(wanted)}" in this checkpoint', f"there is: 1 {shown(role)}")


def result_value(call: Call, given: str) -> Any:
    """An edited result, as what the recorded one is: a text, or else any JSON.

    Raises `UsageProblem`.
    """
    if call.gives_text:
        return given
    import json

    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        kinds = {dict: "an object", list: "a list", bool: "a truth value"}
        was = kinds.get(type(call.result), "a number")
        raise UsageProblem(
            f"the new result of {shown(call.label)} must be JSON, for the old one is {was}: {error}"
        ) from None
