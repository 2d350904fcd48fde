"""Tells which of the flow's calls an event is about."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from crewcheck.crewai import prompts
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.flows.values import as_text
from crewcheck.crewai.telling import SILENT, Telling
from crewcheck.model.flow_calls import Call

#: The call that something happens in: its position, and the method.
inside: ContextVar[tuple[int, str] | None] = ContextVar("call of a method", default=None)


class FlowTelling(Telling):
    """Sends messages about one run of a flow."""

    silent = SILENT

    def __init__(self, channel: Channel, name: str) -> None:
        super().__init__(channel)
        self._name = name

    def heard(self, event: Any) -> None:
        kind = str(getattr(event, "type", ""))
        if kind == "human_feedback_requested":
            outcomes = list(event.emit or [])
            self._asks(event, "human_feedback", output=as_text(event.output), outcomes=outcomes)
        elif kind == "flow_input_requested":
            self._asks(event, "human_input")
        super().heard(event)

    def _asks(self, event: Any, kind: str, **fields: Any) -> None:
        """A question comes next: CrewAI asks it by `input`, without saying what it is about."""
        method = str(event.method_name)
        prompts.about.set({"kind": kind, "method": method, "message": str(event.message), **fields})

    def returned(self, call: Call) -> None:
        """Say that a finished call answered from the recording."""
        self.send(
            "method_execution_finished",
            task=call.index,
            task_name=call.label,
            method=call.method,
            replayed=True,
        )

    def answered(self, model: str | None) -> None:
        """Say that a model call was answered from the record."""
        self.send("llm_call_completed", **self._about(), model=model, replayed=True)

    def tool_answered(self, task: Any, tool: str) -> None:
        """Say that a tool call was answered from the record."""
        self.send("tool_usage_finished", **self._about(), tool=tool, replayed=True)

    def _about(self) -> dict[str, Any]:
        at = inside.get()
        return {"method": at[1]} if at is not None else {}

    def about(self, event: Any) -> dict[str, Any]:
        about = self._about()
        method = getattr(event, "method_name", None)
        if method is not None and str(event.type).startswith("method_execution_"):
            if event.flow_name == self._name:
                at = inside.get()
                return {
                    "task": at[0] if at is not None else None,
                    "task_name": str(method),
                    "method": str(method),
                }
            return {**about, "task_name": f"{event.flow_name}.{method}"}
        name = getattr(event, "task_name", None)
        return {**about, "task_name": name} if name else about
