"""One run of a crew: finished tasks answer from the recording, the rest is real."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from crewcheck.crewai import answers, calls, dumps, telling, tool_answers
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews import (
    facts,
    lineage,
    match,
    plan,
    planning,
    recording,
    replay,
    streaming,
    tool_cache,
)
from crewcheck.crewai.crews.objects import CrewKind
from crewcheck.crewai.crews.pairing import Pairing, pair
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.crews.telling import CrewTelling
from crewcheck.crewai.crews.tool_memory import given_else, memory
from crewcheck.crewai.session import Named, NotRun, Session
from crewcheck.engine.invalidation import FAILED, RUN, UNDER_WAY
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

_CALLBACKS = {
    "rule": "after-kickoff",
    "where": "",
    "message": "all tasks are done: its callbacks after the kickoff are called, as the checkpoint "
    "is from before that",
}


class CrewSession(Session[SavedCrew]):
    """``order`` is what was agreed on, None before. ``edits`` are by positions in the
    checkpoint, what is told of tasks by positions in the project."""

    kind = CrewKind()

    def __init__(self, channel: Channel, spec: RunSpec, saved: SavedCrew) -> None:
        super().__init__(channel, spec, saved)
        self.edits = plan.edits_of(spec, saved)
        self.order: plan.Order | None = None
        self.pairing = Pairing(())
        self._replay: replay.Replay | None = None
        self._callbacks: list[Any] = []

    @property
    def edited(self) -> bool:
        return bool(self.edits)

    def say_loaded(self, target: Any, entry: str, ran_before: bool) -> None:
        pairing = pair(target, self.saved)
        self.saved.take_up(self._with_more_to_do(target, pairing))
        states = pairing.states(self.saved)
        tasks = facts.as_loaded(target, facts.task_facts(target, states))
        self.channel.send(
            "loaded",
            entry=entry,
            kind="crew",
            name=target.name or self.saved.name,
            tasks=tasks,
            inputs=self.saved.inputs,
            tools=sorted({name for task in tasks for name in task["tools"]}),
            cwd=self.spec.cwd,
            model=next((task["model"] for task in tasks if task["model"]), None),
            endpoint=next((task["endpoint"] for task in tasks if task["endpoint"]), None),
            ran_before=ran_before,
        )

    def _with_more_to_do(self, target: Any, pairing: Pairing) -> Iterator[int]:
        """Positions in the checkpoint of the tasks that do something once they have an output, if
        that costs no model's answer."""
        if answers.has_hooks():
            return
        for index, old in enumerate(pairing.old):
            if old is None or not facts.does_more(target, target.tasks[index]):
                continue
            task_id = text(self.saved.tasks[old].get("id"))
            if task_id and calls.finished_calls(answers.within(self.saved.events, task_id)):
                yield old

    def say_plan(self, target: Any, ran_before: str = "") -> None:
        pairing = pair(target, self.saved)
        edits = plan.edits_here(self.edits, pairing, self.saved)
        made = plan.make(target, self.saved, pairing, edits, self.spec.allow_changed)
        if self.saved.finished and not self.saved.ended and self.resumes:
            made.warnings.append(_CALLBACKS)
        self.send_plan(
            [{**one.as_dict(), "saved": pairing.old[one.index]} for one in made.items],
            ran_before=ran_before,
            changed=made.changed,
            warnings=made.warnings,
            losses=made.losses,
            nothing_to_run=self.nothing_to_run
            or not (self.resumes or any(item.action == RUN for item in made.items)),
        )

    def take_order(self, message: Message, target: Any) -> None:
        self.pairing = pair(target, self.saved)
        self.order = plan.order(message, target, self.saved, self.pairing)

    def arm(self, target: Any) -> None:
        order, saved, pairing = self._agreed(), self.saved, self.pairing
        kept = {}
        for index in sorted(order.keep):
            task, old = target.tasks[index], pairing.task(saved, index)
            kept[index] = recording.output_of(
                task, old, facts.label(target, index), saved.events, order.outputs.get(index)
            )
            recording.restore(task, old)
        for index, task in enumerate(target.tasks):
            if index not in kept:
                task.output = None
        self._callbacks = list(target.before_kickoff_callbacks)
        target.before_kickoff_callbacks = []  # the recorded inputs are what they returned
        lineage.point_at_store(target, saved, self.spec)
        lineage.begin(target, saved, pairing, self.record, self.branch, self.parent_id)
        planning.arm(target, saved, pairing, order.changed)
        self._replay = replay.Replay(target, kept, order.skip)
        replay.arm(self._replay)
        done = ((target.tasks[at], text(pairing.task(saved, at).get("id"))) for at in kept)
        tool_cache.fill(target, [(task, id) for task, id in done if id], saved.events)
        dumps.say(target, functools.partial(_note, self._replay, target))
        told = self.telling = CrewTelling(self.channel, target, self._replay)
        self._answer_from_record(target, order, told)
        self.begin()
        telling.listen(told)
        told.replayed()

    def _answer_from_record(self, target: Any, order: plan.Order, told: CrewTelling) -> None:
        """For tasks that were under way, never for those that were done and run again."""
        said = answers.Answers(told.answered)
        tools = tool_answers.ToolAnswers(told.tool_answered)
        events = [*self.saved.events, *self.saved.later]
        rerun = plan.edits_here(self.edits, self.pairing, self.saved).rerun
        kept, states = order.keep | order.skip, self.pairing.states(self.saved)
        run = [index for index in range(len(target.tasks)) if index not in kept]
        again = set(run)
        for index, state in enumerate(states):
            if state not in (UNDER_WAY, FAILED) or index in order.keep | order.fresh | rerun:
                continue
            task_id = text(self.pairing.task(self.saved, index).get("id"))
            if task_id:
                said.add(target.tasks[index], task_id, events)
                if not given_else(target, states, index, kept, order.outputs, order.changed):
                    tools.add(target.tasks[index], task_id, events)
                    again.discard(index)
        answers.arm(said, target.agents, facts.models(target))
        tool_answers.arm(tools)
        if tool_answers.has_hooks():
            again = set(run)
        memory(target, self.saved, self.pairing, run, again).give_back()

    def kickoff(self, target: Any) -> Any:
        return streaming.whole(target.kickoff(inputs=self._agreed().inputs))

    def _agreed(self) -> plan.Order:
        if self.order is None:
            raise RuntimeError("there was no go")
        return self.order

    def disarm(self, target: Any) -> None:
        answers.disarm()
        tool_answers.disarm()
        if self._replay is not None:
            self._replay.ended = target._kickoff_event_id
            replay.disarm(self._replay)
        planning.disarm(target)
        target.before_kickoff_callbacks = self._callbacks
        target.checkpoint_kickoff_event_id = None  # with it a second kickoff would run nothing

    def account(self, target: Any, result: Any) -> None:
        assert self._replay is not None
        missing = [facts.label(target, index) for index in self._replay.not_done()]
        if missing:
            raise NotRun(f"CrewAI ended without running {', '.join(missing)}")
        raw = getattr(result, "raw", None)
        self.result = raw if isinstance(raw, str) else str(result)

    def differences(self, target: Any, named: Named) -> tuple[bool, list[str]]:
        saved = self.saved
        given = named.get("inputs")
        pairing = pair(target, saved)
        lines = match.compare(target, saved, pairing)
        if not target.before_kickoff_callbacks and not recording.same_inputs(given, saved.inputs):
            return False, lines + match.inputs_differ(saved.inputs, given)
        if lines and self.spec.allow_changed:
            same_name = bool(target.name) and target.name == saved.name
            return bool(pairing.told) or same_name, lines
        return not lines, lines

    def arguments(self, named: Named) -> Named:
        rest = {key: value for key, value in named.items() if key != "from_checkpoint"}
        return {**rest, "inputs": self._agreed().inputs}

    def recorded(self, target: Any) -> Any:
        return recording.finished_output(target, self.saved)


def _note(told: replay.Replay, target: Any) -> dict[str, Any]:
    """What checkpoints of the replayed kickoff say besides, also those that are written when
    it has ended; not those of a kickoff after it."""
    later = told.ended is not None and target._kickoff_event_id != told.ended
    return {} if later else told.note()
