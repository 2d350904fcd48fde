"""The pages of the detail: what the tabs show. Pure: from a checkpoint to lines."""

from __future__ import annotations

from crewcheck.tui.pages.answer import AnswerPage
from crewcheck.tui.pages.base import Page, Subject
from crewcheck.tui.pages.diff import DiffPage
from crewcheck.tui.pages.events import EventsPage
from crewcheck.tui.pages.inputs import InputsPage
from crewcheck.tui.pages.messages import MessagesPage
from crewcheck.tui.pages.methods import MethodsPage
from crewcheck.tui.pages.overview import OverviewPage
from crewcheck.tui.pages.raw import RawPage
from crewcheck.tui.pages.run import RunPage
from crewcheck.tui.pages.state import StatePage
from crewcheck.tui.pages.tasks import TasksPage

__all__ = ["Page", "Subject", "pages_of"]


def pages_of(subject: Subject) -> list[Page]:
    """The pages that a checkpoint has, in the order of their tabs.

    A damaged one has its overview only; of one whose document has not come yet the
    others are there already as far as its kind is known, and say that they are waiting.
    """
    pages: list[Page] = [OverviewPage(subject)]
    runs: list[Page] = [RunPage(subject)] if subject.runs else []
    if subject.unreadable:
        return pages + runs
    kind = subject.kind
    if kind == "flow":
        pages.append(MethodsPage(subject))
    elif kind == "agent":
        pages.append(AnswerPage(subject))
    else:
        pages.append(TasksPage(subject))
    if kind != "agent":
        pages.append(InputsPage(subject))
    if kind == "flow":
        pages.append(StatePage(subject))
    pages += [MessagesPage(subject), EventsPage(subject), DiffPage(subject), RawPage(subject)]
    return pages + runs
