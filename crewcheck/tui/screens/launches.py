"""What the main screen does about forks and resumes: open the dialog, take up what it made."""

from __future__ import annotations

from textual import work

from crewcheck.engine.branches import new_branch
from crewcheck.engine.running import FORK, RESUME, Wish
from crewcheck.errors import CrewcheckError
from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.scan import DELETED
from crewcheck.tui.edit_book import identity_of
from crewcheck.tui.launching import Begun, EditState, ForkInstead, Launch, Outcome, Written
from crewcheck.tui.layout import Pieces
from crewcheck.tui.messages import OrderFailed, RunStarted
from crewcheck.tui.pages import Subject
from crewcheck.tui.runs import Run, begun
from crewcheck.tui.screens.editing import EditingScreen
from crewcheck.tui.screens.launch import LaunchScreen
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.lineage_tree import LineageTree


class LaunchingScreen(EditingScreen):
    """Nothing of a person's is run without the dialog's yes."""

    #: the program that children run, None for ours
    boot: str | None = None
    tree_view: LineageTree

    def begin_launches(self, missing_hint: str) -> None:
        """To be called when the screen is made."""
        self.missing_hint = missing_hint
        #: the Python that a person has named in the dialog, by store, while the app is open
        self._pythons: dict[str, str] = {}

    def action_fork(self) -> None:
        self._launch(FORK)

    def action_resume(self) -> None:
        self._launch(RESUME)

    def resume_at(self, checkpoint_id: str) -> None:
        if self.go_to_checkpoint(checkpoint_id):
            self.action_resume()
        else:
            self.notify("Its checkpoint is not in the store any more", severity="warning")

    def _launch(self, action: str) -> None:
        subject = self.shown_subject()
        if subject is None or self.session is None or self.forest is None:
            return
        checkpoint = subject.node.checkpoint
        if checkpoint.gone:
            self.notify(f"Nothing can go on from it: {DELETED}", severity="warning", timeout=6)
            return
        whole_run = action == RESUME and self.tree_view.on_a_run
        if subject.unreadable and not whole_run:
            damage = checkpoint.damage
            why = damage.message if damage is not None else "it cannot be read"
            way = " e on the run's own line takes the newest valid one." if action == RESUME else ""
            self.notify(
                f"Nothing can go on from a damaged checkpoint: {one_line(why, 200)}.{way}",
                severity="warning", timeout=6, markup=False,
            )  # fmt: skip
            return
        location, identity = self.session.location, identity_of(checkpoint)
        edits = self.edits.of(identity)
        is_fork = action == FORK
        branch = new_branch(checkpoint.id) if is_fork else checkpoint.branch
        wish = Wish(
            action=action,
            edits=edits.copy(),
            branch=branch if is_fork else None,
            python=self._pythons.get(location),
        )
        launch = Launch(location, identity, wish, self.redactor, self.boot, whole_run)

        def closed(outcome: Outcome) -> None:
            # one that was refused is not remembered: it is not there, or has no crewai
            named = launch.prepared.wish.python if launch.prepared is not None else None
            if named is not None:
                self._pythons[location] = named
            self._launched(subject, outcome)

        self.app.push_screen(
            LaunchScreen(
                launch,
                subject.node,
                branch=branch,
                taken=frozenset(one.checkpoint.branch for one in self.forest.order),
                glyphs=self.glyphs,
                now=self.now(),
                cautions=() if is_fork else self._cautions(subject),
                edited=bool(edits) and not is_fork,
                missing_hint=self.missing_hint,
            ),
            closed,
        )

    def _cautions(self, subject: Subject) -> tuple[str, ...]:
        """What a person should know before a branch is gone on with."""
        branch = subject.node.checkpoint.branch
        said = []
        if any(run.state.branch == branch for run in begun(self.runs)):
            said.append("a run is going on on this branch: both would write to it")
        if any(child.checkpoint.branch == branch for child in subject.node.children):
            said.append(
                "this branch has newer checkpoints: what is done after this one is done again"
            )
        return tuple(said)

    def _launched(self, subject: Subject, outcome: Outcome) -> None:
        if self.session is None:
            return
        identity = identity_of(subject.node.checkpoint)
        if isinstance(outcome, ForkInstead):
            self.action_fork()
        elif isinstance(outcome, EditState):
            self.edit_state()
        elif isinstance(outcome, Written):
            self.edits.forget(identity)
            self.expect(outcome.checkpoint_id)
            branch = harmless_name(self.redactor.text(outcome.branch))
            self.notify(f"Forked to {branch}. e runs it.", timeout=5, markup=False)
            self.show_edits()
            self.refresh_store(self.session, quiet=True)
        elif isinstance(outcome, Begun):
            self.edits.forget(identity)
            self.expect(outcome.checkpoint_id)
            self.show_edits()
            self.take_up(outcome)
            self.refresh_store(self.session, quiet=True)
        else:
            # a fork may have been written although its run could not begin
            self._refresh_soon()

    @work(thread=True, group="orders", exit_on_error=False)
    def take_up(self, begun: Begun) -> None:
        """Begin to follow a run that was started here."""
        try:
            run = Run(begun.folder, self.redactor, self.glyphs)
        except CrewcheckError as error:
            self.post_message(OrderFailed(str(error)))
        else:
            self.post_message(RunStarted(run))

    def on_run_started(self, message: RunStarted) -> None:
        self.add_run(message.run)
        self.show_run_tab()

    def edit_state(self) -> None:
        """Show the state, and open its editor. To be filled in by the screen."""
        raise NotImplementedError

    def show_run_tab(self) -> None:
        """Show what the newest run does. To be filled in by the screen."""
        raise NotImplementedError

    def show_status(self) -> None:
        """One line above the keys: what runs, and what is edited."""
        edits = self.edits.total
        right: Pieces = []
        if edits:
            right = [(f"{self.glyphs.edited} {words.many(edits, 'edit')}", "edited"),
                     ("  f ", "key"), ("forks", "muted")]  # fmt: skip
        left = self.runs_line()
        self.query_one("#status", Bar).show(left, right)
        self.set_class(bool(left or right), "-status")
