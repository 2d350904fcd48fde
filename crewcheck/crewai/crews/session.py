"""One run of a crew: finished tasks answer from the recording, the rest is real."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai import answers, telling
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews import facts, lineage, match, plan, recording, replay
from crewcheck.crewai.crews.objects import CrewKind
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.crews.telling import CrewTelling
from crewcheck.crewai.session import Args, Named, NotRun, Session
from crewcheck.engine.invalidation import FAILED, RUN, UNDER_WAY, to_keep
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


class CrewSession(Session[SavedCrew]):
    """``order`` is what was agreed on, None before."""

    kind = CrewKind()

    def __init__(self, channel: Channel, spec: RunSpec, saved: SavedCrew) -> None:
        super().__init__(channel, spec, saved)
        self.edits = plan.edits_of(spec, saved)
        self.order: plan.Order | None = None
        self._replay: replay.Replay | None = None
        self._callbacks: list[Any] = []

    @property
    def edited(self) -> bool:
        return bool(self.edits)

    def say_loaded(self, target: Any, entry: str, ran_before: bool) -> None:
        found = facts.task_facts(target, self.saved.states)
        tasks = facts.as_loaded(target, found)
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

    def say_plan(self, target: Any, ran_before: str = "") -> None:
        made = plan.make(target, self.saved, self.edits, self.spec.allow_changed)
        if ran_before:
            message = "the program's code before the kickoff has already run"
            made.warnings.append({"rule": "ran-before", "where": ran_before, "message": message})
        for index in to_keep(made.items):
            old = self.saved.tasks[index] if index < len(self.saved.tasks) else {}
            if index in self.edits.outputs or old.get("output") is None:
                continue
            if not recording.is_parsed(target.tasks[index], old):
                message = "its recorded output cannot be given back as an object of its class"
                where = self.saved.label(index)
                made.losses.append({"rule": "output-class", "where": where, "message": message})
        self.channel.send(
            "plan",
            items=[item.as_dict() for item in made.items],
            warnings=made.warnings,
            losses=made.losses,
            changed=made.changed,
            branch=self.spec.branch or self.saved.branch,
            nothing_to_run=not any(item.action == RUN for item in made.items),
        )

    def take_order(self, message: Message, target: Any) -> None:
        self.order = plan.order(message, target, self.saved)

    def arm(self, target: Any) -> None:
        order, saved = self._agreed(), self.saved
        kept = {}
        for index in sorted(order.keep):
            task = target.tasks[index]
            old = saved.tasks[index] if index < len(saved.tasks) else {}
            kept[index] = recording.output_of(
                task, old, saved.label(index), order.outputs.get(index)
            )
            recording.restore(task, old)
        for index, task in enumerate(target.tasks):
            if index not in kept:
                task.output = None
        self._callbacks = list(target.before_kickoff_callbacks)
        target.before_kickoff_callbacks = []  # the recorded inputs are what they returned
        lineage.point_at_store(target, saved, self.spec)
        lineage.begin(target, saved, self.record, self.branch, self.parent_id)
        self._replay = replay.Replay(target, kept)
        replay.arm(self._replay)
        told = self.telling = CrewTelling(self.channel, target, self._replay)
        self._answer_from_record(target, order, told)
        self.begin()
        telling.listen(told)
        told.replayed()

    def _answer_from_record(self, target: Any, order: plan.Order, told: CrewTelling) -> None:
        """For tasks that were under way, never for those that were done and run again."""
        found = answers.Answers(told.answered)
        agents = []
        for index, state in enumerate(self.saved.states):
            if state not in (UNDER_WAY, FAILED) or index in order.keep | order.fresh:
                continue
            if index >= len(target.tasks) or index in self.edits.rerun:
                continue
            task_id = text(self.saved.tasks[index].get("id"))
            if task_id:
                found.add(target.tasks[index], task_id, [*self.saved.events, *self.saved.later])
                agents.append(target.tasks[index].agent)
        answers.arm(found, agents)

    def kickoff(self, target: Any) -> Any:
        return target.kickoff(inputs=self._agreed().inputs)

    def _agreed(self) -> plan.Order:
        if self.order is None:
            raise RuntimeError("there was no go")
        return self.order

    def disarm(self, target: Any) -> None:
        answers.disarm()
        if self._replay is not None:
            replay.disarm(self._replay)
        target.before_kickoff_callbacks = self._callbacks

    def account(self, target: Any, result: Any) -> None:
        assert self._replay is not None
        missing = [
            self.saved.label(i) for i in self._replay.not_done() if i < len(self.saved.tasks)
        ]
        if missing:
            raise NotRun(f"CrewAI ended without running {', '.join(missing)}")
        raw = getattr(result, "raw", None)
        self.result = raw if isinstance(raw, str) else str(result)

    def differences(self, target: Any, args: Args, named: Named) -> tuple[bool, list[str]]:
        saved = self.saved
        given = named.get("inputs", args[0] if args else None)
        lines = [one.line for one in match.compare(target, saved)]
        if not target.before_kickoff_callbacks and not recording.same_inputs(given, saved.inputs):
            return False, lines + match.inputs_differ(saved.inputs, given)
        if lines and self.spec.allow_changed:
            return len(target.tasks) == len(saved.tasks) or target.name == saved.name, lines
        return not lines, lines

    def arguments(self, args: Args, named: Named) -> tuple[Args, Named]:
        rest = {key: value for key, value in named.items() if key != "from_checkpoint"}
        return args[1:], {**rest, "inputs": self._agreed().inputs}
