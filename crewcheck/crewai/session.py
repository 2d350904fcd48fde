"""One run, from the user's object to its end: agree on the plan, arm it, account for it.

What that means for a crew, a flow or an agent is in the subclass for each kind.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from crewcheck.crewai import lineage
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.earlier import Earlier
from crewcheck.crewai.objects import Kind
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.saved import Saved, load_document
from crewcheck.crewai.telling import Telling
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

S = TypeVar("S", bound=Saved)
#: What a kickoff is given, by the names of its parameters.
Named = dict[str, Any]


class NotRun(Exception):
    """CrewAI came to its end, and work that was to be done was not."""


class Session(Generic[S]):
    """Holds what a run needs. ``on_arm`` is called right before the object is prepared."""

    #: What is looked for in the user's project.
    kind: Kind

    def __init__(self, channel: Channel, spec: RunSpec, saved: S) -> None:
        self.channel = channel
        self.spec = spec
        self.saved = saved
        self.on_arm: Callable[[], None] = lambda: None
        self.telling: Telling | None = None
        self.result: str | None = None
        self.error: BaseException | None = None
        #: The fields of ``paused``, where a person must answer before it can go on.
        self.paused: dict[str, Any] | None = None
        self.branch = spec.branch or saved.branch
        #: What the new checkpoints follow: the fork's own one, once it has been written.
        self.parent_id = saved.checkpoint_id
        self.record: Any = None
        self._earlier = Earlier(saved, spec.earlier)
        #: What is lost because the object is not the user's own: said first in the plan.
        self.lost: list[dict[str, Any]] = []
        #: The positions of what such an object has been built without what it needs to run.
        self.only_kept: frozenset[int] = frozenset()

    # What each kind does its own way.

    @property
    def edited(self) -> bool:
        """Whether the person wants anything to be different."""
        raise NotImplementedError

    def say_loaded(self, target: Any, entry: str, ran_before: bool) -> None:
        """Say what was found."""
        raise NotImplementedError

    def say_plan(self, target: Any, ran_before: str = "") -> None:
        """Say what would be done. Raises `Refusal`. ``ran_before``: the program that has
        begun already."""
        raise NotImplementedError

    def take_order(self, message: Message, target: Any) -> None:
        """Take what ``go`` says. Raises `Refusal` for what cannot be done."""
        raise NotImplementedError

    def arm(self, target: Any) -> None:
        """Prepare the object. To be called where, and right before, it is kicked off."""
        raise NotImplementedError

    def disarm(self, target: Any) -> None:
        """The object is the user's own again."""
        raise NotImplementedError

    def kickoff(self, target: Any) -> Any:
        """Start an object that was loaded by its entry. To be called within `run`."""
        raise NotImplementedError

    def account(self, target: Any, result: Any) -> None:
        """Make sure that all was done that was to be done, and keep the result.

        Raises `NotRun`.
        """
        raise NotImplementedError

    def differences(self, target: Any, named: Named) -> tuple[bool, list[str]]:
        """Whether an object that a program kicks off is the checkpoint's; else what differs.

        ``named`` is what it is kicked off with.
        """
        raise NotImplementedError

    def earlier(self, kind: str, target: Any, named: Named) -> tuple[Any] | None:
        """What a program's kickoff before the checkpoint's gave, None where that is not known.
        Raises `Refusal`."""
        return self._earlier.find(kind, target, named)

    def arguments(self, named: Named) -> Named:
        """What a program's kickoff is to be called with instead, once it has been agreed on."""
        raise NotImplementedError

    def asked_with(self, response_format: Any) -> None:
        """Take what the kickoff is given besides what the checkpoint tells. Raises `Refusal`."""
        if response_format is not None:
            raise Refusal(
                "no-response-format", f"a response_format is for agents, not for a {self.kind.name}"
            )

    def recorded(self, target: Any) -> Any:
        """What the kickoff of a finished run gave, as far as it was recorded."""
        return self.saved.result

    # What is the same for all.

    @property
    def newest(self) -> str:
        """The newest checkpoint of this run, or the one that it started from."""
        return (self.telling and self.telling.newest) or self.parent_id

    @property
    def nothing_to_run(self) -> bool:
        """Whether this is a finished run that is only resumed; a program goes on behind it."""
        return self._goes_on_from_its_end and not self.spec.script

    @property
    def resumes(self) -> bool:
        """Whether it only goes on, and is no fork."""
        return self.spec.action == "resume"

    @property
    def _goes_on_from_its_end(self) -> bool:
        return self.saved.ended and not self.edited and self.resumes

    def agree(self, target: Any) -> None:
        """Wait for ``go``. Raises `Aborted`, or `Refusal` for what cannot be done."""
        reading = threading.Thread(target=self._read_record, daemon=True)
        reading.start()
        message = self.channel.decision()
        self.take_order(message, target)
        self._refuse_what_can_only_be_kept(message)
        self.branch = lineage.checked_branch(str(message.get("branch") or self.branch))
        self.parent_id = str(message.get("checkpoint_id") or self.parent_id)
        reading.join()
        document = message.get("document")
        if document:
            self.record = lineage.event_record(load_document(document))

    def _refuse_what_can_only_be_kept(self, message: Message) -> None:
        kept = {int(place) for key in ("keep", "outputs") for place in message.get(key) or ()}
        rest = sorted(self.only_kept - kept)
        if rest:
            raise Refusal(
                "only-kept",
                f"item {rest[0] + 1} was built anew to be kept, and cannot run",
                "fork with it as one that runs: --rerun, or an edit that it depends on",
            )

    def _read_record(self) -> None:
        """While the person reads the plan: a long record takes a while."""
        self.record = lineage.event_record(self.saved.document)

    def send_plan(
        self,
        items: list[dict[str, Any]],
        *,
        ran_before: str,
        changed: list[str],
        warnings: list[dict[str, str]],
        losses: list[dict[str, Any]],
        nothing_to_run: bool,
    ) -> None:
        """Send the plan, with what is the same for all kinds."""
        if ran_before:
            message = "the program's code before the kickoff has already run"
            warnings = [*warnings, {"rule": "ran-before", "where": ran_before, "message": message}]
            if self._goes_on_from_its_end:
                message = "its kickoff answers from the recording; what the program does then, runs"
                more = {"rule": "program-goes-on", "where": ran_before, "message": message}
                warnings = [*warnings, more]
        if self._earlier.answered:
            where = ", ".join(self._earlier.answered)
            message = "its kickoff before was not made again"
            losses = [*losses, {"rule": "answered-before", "where": where, "message": message}]
        beside = [one for one in self.spec.beside if one not in self._earlier.answered]
        if beside:
            where = ", ".join(beside)
            message = "it ran at the same time: where the program kicks it off, it is asked anew"
            losses = [
                {"rule": "beside", "where": where, "message": message, "doubt": True},
                *losses,
            ]
        self.channel.send(
            "plan",
            items=items,
            warnings=warnings,
            losses=[*self.lost, *losses],
            changed=changed,
            branch=self.branch,
            nothing_to_run=nothing_to_run,
        )

    def begin(self) -> None:
        """Say that it has begun. To be called at the end of `arm`."""
        self.channel.send("started", branch=self.branch, checkpoint_id=self.parent_id)

    def run(self, target: Any, kickoff: Callable[[], Any]) -> Any:
        """Arm the object, kick it off, and account for it."""
        with self._accounted(target):
            result = kickoff()
            self.account(target, result)
        return result

    async def arun(self, target: Any, kickoff: Callable[[], Awaitable[Any]]) -> Any:
        """The same for a coroutine function."""
        with self._accounted(target):
            result = await kickoff()
            self.account(target, result)
        return result

    @contextmanager
    def _accounted(self, target: Any) -> Iterator[None]:
        """Keep what goes wrong: the user's program may pass over it."""
        self.on_arm()
        self.arm(target)
        try:
            yield
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.disarm(target)

    def finished(self) -> None:
        """Say that it is done, or waits. Raises what had gone wrong, if the program did not."""
        if self.error is not None:
            raise self.error
        if self.result is None:
            raise NotRun(f"the {self.saved.kind}'s kickoff has not come to its end")
        if self.paused is not None:
            self.channel.send("paused", **self.paused, checkpoint_id=self.newest)
            return
        self.channel.send(
            "finished",
            result=self.result,
            nothing_to_run=False,
            tokens=self.telling.tokens if self.telling else 0,
        )
