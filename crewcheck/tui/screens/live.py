"""What the main screen does to follow the store: what changes there appears by itself."""

from __future__ import annotations

import threading
import time

from textual import work
from textual.worker import get_current_worker

from crewcheck.engine.following import TROUBLE_SECONDS, Follower, appearance
from crewcheck.engine.watching import Where
from crewcheck.errors import CrewcheckError, NotFound, Unreadable
from crewcheck.model.harmless import one_line
from crewcheck.tui.compared import unexpected
from crewcheck.tui.messages import StoreFailed, StoreMoved, StoreRefreshed
from crewcheck.tui.screens.store import StoreScreen
from crewcheck.tui.session import Session

#: How often a store that cannot be opened is looked for, and tried again all the same.
SEEK_SECONDS, TRY_SECONDS = 0.3, 5.0


class LiveScreen(StoreScreen):
    """Waits on another thread, for changes of the store or for the store itself."""

    #: whether changes are shown as they happen
    following = True

    def begin_live(self) -> None:
        """To be called when the screen is mounted."""
        self._left = threading.Event()
        #: what the store looked like from outside when it was tried last
        self._seen_outside: object = self
        #: since when the store cannot be read, 0 where it can
        self._trouble_since = 0.0

    def on_unmount(self) -> None:
        self._left.set()

    @work(thread=True, exclusive=True, group="live", exit_on_error=False)
    def follow_store(self, session: Session) -> None:
        """Look at the store again when and where something may have changed."""
        worker = get_current_worker()
        follower = session.follower()
        try:
            while not (worker.is_cancelled or session.closed):
                where = follower.wait()
                if where is None or worker.is_cancelled:
                    continue
                if not self._look_again(session, follower, where):
                    return
        except NotFound as error:
            if not session.closed:
                self.post_message(StoreFailed(error))
        except Exception as error:  # whatever it is, a person must be told
            if not session.closed:
                said = one_line(unexpected(error).message, 300)
                self.notify(said, severity="error", markup=False)
        finally:
            follower.close()

    def _look_again(self, session: Session, follower: Follower, where: Where) -> bool:
        """Look, and tell what has changed; False where another store is to be opened.

        Raises `NotFound`.
        """
        try:
            with follower.looking(where):
                changed = session.refresh(where)
        except Unreadable as error:
            if session.has_moved(self.location):
                self.post_message(StoreMoved())
                return False
            now = time.monotonic()
            self._trouble_since = self._trouble_since or now
            if now - self._trouble_since > TROUBLE_SECONDS:
                self._trouble_since = float("inf")  # told once
                said = one_line(self.redactor.text(str(error)), 300)
                self.notify(f"{said}. Trying again.", severity="warning", markup=False)
            return True
        self._trouble_since = 0.0
        if not session.forest.order and session.has_moved(self.location):
            self.post_message(StoreMoved())
            return False
        if changed and not session.closed:
            self.post_message(StoreRefreshed(session.forest, quiet=True))
        return True

    @work(thread=True, exclusive=True, group="live", exit_on_error=False)
    def seek_store(self) -> None:
        """Wait until the store can perhaps be opened after all."""
        worker = get_current_worker()
        until = time.monotonic() + TRY_SECONDS
        while not self._left.wait(SEEK_SECONDS) and not worker.is_cancelled:
            try:
                seen = appearance(self.location)
            except CrewcheckError:
                continue
            if seen != self._seen_outside or time.monotonic() > until:
                self._seen_outside = seen
                self.post_message(StoreMoved())
                return

    def on_store_moved(self) -> None:
        self.open_store()

    def live(self) -> None:
        """Follow the store, or seek it where there is none; nothing while that is paused."""
        if not self.following:
            self.workers.cancel_group(self, "live")
        elif self.session is not None and not self.session.closed:
            self.follow_store(self.session)
        else:
            self.seek_store()

    def action_pause(self) -> None:
        """Hold still what is shown, or go on."""
        self.following = not self.following
        self.live()
        if self.following and self.session is not None:
            self.refresh_store(self.session, quiet=True)
        said = "Following the store again" if self.following else "Not following: r looks again"
        self.notify(said, timeout=2.5)
