"""One run, from the user's crew to its end: agree on the plan, arm the crew, account for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai import answers, facts, lineage, plan, recording, replay, telling
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.saved import Saved, load_document
from crewcheck.engine.invalidation import FAILED, RUN, UNDER_WAY, to_keep
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec


class NotRun(Exception):
    """CrewAI came to its end, and work that was to be done was not."""


class Session:
    """Holds what a run needs. ``armed`` when the crew has been prepared."""

    def __init__(self, channel: Channel, spec: RunSpec, saved: Saved) -> None:
        self.channel = channel
        self.spec = spec
        self.saved = saved
        self.on_arm: Callable[[], None] = lambda: None
        self.edits = plan.edits_of(spec, saved)
        self.order: plan.Order | None = None
        self.telling: telling.Telling | None = None
        self.result: str | None = None
        self.error: BaseException | None = None
        self._replay: replay.Replay | None = None
        self._callbacks: list[Any] = []
        self._record: Any = None

    @property
    def newest(self) -> str:
        """The newest checkpoint of this run, or the one that it started from."""
        begun_from = self.order.checkpoint_id if self.order else self.saved.checkpoint_id
        return (self.telling and self.telling.newest) or begun_from

    @property
    def nothing_to_run(self) -> bool:
        """Whether this is a finished run that is only resumed."""
        return self.saved.finished and not self.edits and self.spec.action == "resume"

    def say_loaded(self, crew: Any, entry: str, ran_before: bool) -> None:
        """Say what was found."""
        found = facts.task_facts(crew, self.saved.states)
        tasks = facts.as_loaded(crew, found)
        self.channel.send(
            "loaded",
            entry=entry,
            kind="crew",
            name=crew.name or self.saved.name,
            tasks=tasks,
            inputs=self.saved.inputs,
            tools=sorted({name for task in tasks for name in task["tools"]}),
            cwd=self.spec.cwd,
            model=next((task["model"] for task in tasks if task["model"]), None),
            endpoint=next((task["endpoint"] for task in tasks if task["endpoint"]), None),
            ran_before=ran_before,
        )

    def say_plan(self, crew: Any, ran_before: str = "") -> None:
        """Say what would be done. Raises `Refusal`. ``ran_before``: the program that has
        begun already."""
        made = plan.make(crew, self.saved, self.edits, self.spec.allow_changed)
        if ran_before:
            message = "the program's code before the kickoff has already run"
            made.warnings.append({"rule": "ran-before", "where": ran_before, "message": message})
        for index in to_keep(made.items):
            old = self.saved.tasks[index] if index < len(self.saved.tasks) else {}
            if index in self.edits.outputs or old.get("output") is None:
                continue
            if not recording.is_parsed(crew.tasks[index], old):
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

    def agree(self, crew: Any) -> None:
        """Wait for ``go``. Raises `Aborted`, or `Refusal` for what cannot be done."""
        reading = threading.Thread(target=self._read_record, daemon=True)
        reading.start()
        message = self.channel.decision()
        branch = self.spec.branch or self.saved.branch
        self.order = plan.order(message, crew, self.saved, branch)
        reading.join()
        if self.order.document:
            self._record = lineage.event_record(load_document(self.order.document))

    def _read_record(self) -> None:
        """While the person reads the plan: a long record takes a while."""
        self._record = lineage.event_record(self.saved.document)

    def arm(self, crew: Any) -> None:
        """Prepare the crew. To be called where, and right before, it is kicked off."""
        order, saved = self._agreed(), self.saved
        self.on_arm()
        kept = {}
        for index in sorted(order.keep):
            task = crew.tasks[index]
            old = saved.tasks[index] if index < len(saved.tasks) else {}
            kept[index] = recording.output_of(
                task, old, saved.label(index), order.outputs.get(index)
            )
            recording.restore(task, old)
        for index, task in enumerate(crew.tasks):
            if index not in kept:
                task.output = None
        self._callbacks = list(crew.before_kickoff_callbacks)
        crew.before_kickoff_callbacks = []  # the recorded inputs are what they returned
        lineage.point_at_store(crew, saved, self.spec)
        lineage.begin(crew, saved, self._record, order.branch, order.checkpoint_id)
        self._replay = replay.Replay(crew, kept)
        replay.arm(self._replay)
        self.telling = telling.Telling(self.channel, crew, saved, self._replay)
        self._answer_from_record(crew, order)
        self.channel.send("started", branch=order.branch, checkpoint_id=order.checkpoint_id)
        telling.listen(self.telling)
        self.telling.replayed()

    def _answer_from_record(self, crew: Any, order: plan.Order) -> None:
        """For tasks that were under way, never for those that were done and run again."""
        assert self.telling is not None
        found = answers.Answers(self.telling.answered)
        agents = []
        for index, state in enumerate(self.saved.states):
            if state not in (UNDER_WAY, FAILED) or index in order.keep | order.fresh:
                continue
            if index >= len(crew.tasks) or index in self.edits.rerun:
                continue
            task_id = text(self.saved.tasks[index].get("id"))
            if task_id:
                found.add(crew.tasks[index], task_id, self.saved.events)
                agents.append(crew.tasks[index].agent)
        answers.arm(found, agents)

    def run(self, crew: Any, kickoff: Callable[[dict[str, Any] | None], Any]) -> Any:
        """Arm the crew, kick it off, and account for it."""
        self.arm(crew)
        with self._accounted(crew):
            result = kickoff(self._agreed().inputs)
            self.account(result)
        return result

    async def arun(self, crew: Any, kickoff: Callable[[dict[str, Any] | None], Any]) -> Any:
        """The same for a coroutine function."""
        self.arm(crew)
        with self._accounted(crew):
            result = await kickoff(self._agreed().inputs)
            self.account(result)
        return result

    @contextmanager
    def _accounted(self, crew: Any) -> Iterator[None]:
        """Keep what goes wrong: the user's program may pass over it."""
        try:
            yield
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._disarm(crew)

    def _agreed(self) -> plan.Order:
        if self.order is None:
            raise RuntimeError("there was no go")
        return self.order

    def _disarm(self, crew: Any) -> None:
        """The crew is the user's own again."""
        answers.disarm()
        if self._replay is not None:
            replay.disarm(self._replay)
        crew.before_kickoff_callbacks = self._callbacks

    def account(self, result: Any) -> None:
        """Make sure that all was done that was to be done. Raises `NotRun`."""
        assert self._replay is not None
        missing = [
            self.saved.label(i) for i in self._replay.not_done() if i < len(self.saved.tasks)
        ]
        if missing:
            raise NotRun(f"CrewAI ended without running {', '.join(missing)}")
        raw = getattr(result, "raw", None)
        self.result = raw if isinstance(raw, str) else str(result)

    def finished(self) -> None:
        """Say that it is done. Raises what had gone wrong, if the program did not."""
        if self.error is not None:
            raise self.error
        if self.result is None:
            raise NotRun("the crew's kickoff has not come to its end")
        self.channel.send(
            "finished",
            result=self.result,
            nothing_to_run=False,
            tokens=self.telling.tokens if self.telling else 0,
        )
