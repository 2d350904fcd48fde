"""What the dialog of a fork or resume does in workers. They compute, and say so by messages."""

from __future__ import annotations

import time

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from crewcheck.engine.running import FORK
from crewcheck.errors import CrewcheckError
from crewcheck.tui.compared import unexpected
from crewcheck.tui.launching import Begun, Heard, Known, Launch, Outcome, Written
from crewcheck.tui.plan_board import PlanBoard
from crewcheck.tui.screens.modal import Modal

LOOK_SECONDS = 0.08


class LaunchWork(Modal[Outcome]):
    """Reads, starts, listens and confirms on other threads only."""

    class Looked(Message):
        def __init__(self, known: Known) -> None:
            super().__init__()
            self.known = known

    class Started(Message):
        """The child is on its way."""

    class Done(Message):
        def __init__(self, outcome: Outcome) -> None:
            super().__init__()
            self.outcome = outcome

    class Told(Message):
        def __init__(self, heard: Heard) -> None:
            super().__init__()
            self.heard = heard

    class Failed(Message):
        """It is not done. ``phase`` is ``look``, ``begin`` or ``go``."""

        def __init__(self, phase: str, error: CrewcheckError) -> None:
            super().__init__()
            self.phase = phase
            self.error = error

    def __init__(self, launch: Launch, *, edited: bool) -> None:
        super().__init__()
        self.launch = launch
        self.is_fork = launch.wish.action == FORK
        #: edits of a resume: they need a fork
        self.edited = edited
        self.board: PlanBoard | None = None
        #: ``looking``, ``planning``, ``ready``, ``going``; or ``refused``, ``edited``,
        #: ``finished``
        self.phase = "looking"

    # -- workers

    @work(thread=True, group="launch", exit_on_error=False)
    def look(self) -> None:
        phase = "look"
        try:
            known = self.launch.look()
            self.post_message(self.Looked(known))
            if self.edited or not (known.pending or self.is_fork):
                return
            phase = "begin"
            self.launch.begin()
        except CrewcheckError as error:
            self.post_message(self.Failed(phase, error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed(phase, unexpected(error)))
        else:
            self.post_message(self.Started())

    @work(thread=True, exclusive=True, group="follow", exit_on_error=False)
    def listen(self) -> None:
        """Wait for the plan, until it is there or nothing more will come."""
        worker = get_current_worker()
        try:
            while not worker.is_cancelled and not self.launch.given_up:
                heard = self.launch.listen()
                if heard:
                    self.post_message(self.Told(heard))
                if heard.last is not None or self.phase == "going":
                    return
                time.sleep(LOOK_SECONDS)
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("begin", unexpected(error)))

    @work(thread=True, group="launch", exit_on_error=False)
    def start_again(self, **changes: object) -> None:
        try:
            self.launch.again(**changes)
        except CrewcheckError as error:
            self.post_message(self.Failed("begin", error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("begin", unexpected(error)))
        else:
            self.post_message(self.Started())

    @work(thread=True, group="launch", exit_on_error=False)
    def confirm(self, run: bool, branch: str) -> None:
        assert self.board is not None
        try:
            outcome: Outcome
            if run:
                folder, checkpoint_id = self.launch.go(branch, self.board.items)
                outcome = Begun(folder, checkpoint_id, branch)
            else:
                outcome = Written(self.launch.write_only(branch, self.board.not_kept), branch)
        except CrewcheckError as error:
            self.post_message(self.Failed("go", error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(self.Failed("go", unexpected(error)))
        else:
            self.post_message(self.Done(outcome))

    @work(thread=True, group="launch", exit_on_error=False)
    def abandon(self) -> None:
        self.launch.give_up()
