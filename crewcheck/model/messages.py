"""Who said what to which model: the conversations of a document, one a task and agent.

A document has them up to three times: a finished task keeps its chat (``output.messages``),
the event of each model call the prompt and the answer, and the executor of an agent what
it holds at the moment. They differ by version and by moment, so the one that says most is
taken; ``source`` names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.model.crew import label_of
from crewcheck.model.document import entities, is_executor, mapping, objects, sequence, text
from crewcheck.model.events import Tokens, tokens_of
from crewcheck.model.scopes import Scopes

OUTPUT, CALLS, EXECUTOR = "output", "calls", "executor"

#: So much of a task's description tells which executor is at it.
_TELLING = 160


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asked for. ``arguments`` are JSON where they could be read."""

    id: str | None
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``content`` is a text, or a list of parts where some are no text.

    ``name`` and ``call_id`` are a tool's answer's.
    """

    role: str
    content: Any
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a task and agent, of a flow's method, or of an agent alone.

    ``task`` is the position of a crew's own task. ``calls`` counts the model calls,
    ``seconds`` what they took together. ``error`` is that of the last one.
    """

    label: str
    task: int | None
    agent: str | None
    model: str | None
    source: str
    messages: tuple[Message, ...]
    calls: int
    tokens: Tokens
    seconds: float | None
    error: str | None


@dataclass(slots=True)
class _Exchange:
    """One call: what was asked, and what came of it."""

    prompt: list[Message]
    reply: Message | None = None
    error: str | None = None


@dataclass(slots=True)
class _Talk:
    label: str
    task: int | None
    agent: str | None
    model: str | None = None
    calls: dict[str, _Exchange] = field(default_factory=dict)
    #: what an agent without a crew was asked, and what it answered
    asked: list[_Exchange] = field(default_factory=list)
    saved: list[Message] = field(default_factory=list)
    held: list[Message] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float | None = None


def conversations(
    document: Mapping[str, Any], entity: Mapping[str, Any], events: list[Mapping[str, Any]]
) -> list[Conversation]:
    """The conversations in the order in which they began. ``events`` must be sorted."""
    tasks = objects(entity.get("tasks")) if entity.get("entity_type") == "crew" else []
    book = _Book(tasks, Scopes(events))
    for event in events:
        book.take(event)
    for index, task in enumerate(tasks):
        book.take_output(index, task)
    for held in _executors(document, entity):
        book.take_executor(held)
    return [made for talk in book.in_order() if (made := _conversation(talk)) is not None]


class _Book:
    """The talks by whom they are of: a task and an agent, a method, or an agent."""

    def __init__(self, tasks: list[Mapping[str, Any]], scopes: Scopes) -> None:
        self.tasks = tasks
        self.scopes = scopes
        self.of_id = {one: at for at, task in enumerate(tasks) if (one := text(task.get("id")))}
        self.talks: dict[tuple[str, str], _Talk] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        kind = text(event.get("type")) or ""
        if kind.startswith("lite_agent_execution_"):
            self._take_agent(event, kind)
        elif kind == "llm_call_started":
            talk = self._of_event(event)
            talk.model = text(event.get("model")) or talk.model
            talk.calls[_call_id(event)] = _Exchange(messages_of(event.get("messages")))
        elif kind in ("llm_call_completed", "llm_call_failed"):
            talk = self._of_event(event)
            exchange = talk.calls.setdefault(_call_id(event), _Exchange([]))
            talk.model = text(event.get("model")) or talk.model
            talk.tokens += tokens_of(event)
            took = self.scopes.seconds(event)
            if took is not None:
                talk.seconds = (talk.seconds or 0.0) + took
            if kind == "llm_call_failed":
                exchange.error = text(event.get("error")) or "the call failed"
                return
            exchange.reply, exchange.error = _reply(event.get("response")), None
            if not exchange.prompt:
                exchange.prompt = messages_of(event.get("messages"))

    def _take_agent(self, event: Mapping[str, Any], kind: str) -> None:
        role = text(mapping(event.get("agent_info")).get("role")) or text(event.get("agent_role"))
        talk = self._talk("", role or "", role or "agent", None, role)
        asked = messages_of(event.get("messages"))
        if kind == "lite_agent_execution_started" or not talk.asked:
            talk.asked.append(_Exchange(asked))
        exchange = talk.asked[-1]
        exchange.prompt = exchange.prompt or asked
        if kind == "lite_agent_execution_completed":
            exchange.reply = _reply(event.get("output"))
        elif kind == "lite_agent_execution_error":
            exchange.error = text(event.get("error"))

    def _of_event(self, event: Mapping[str, Any]) -> _Talk:
        agent = text(event.get("agent_role"))
        task_id = text(event.get("task_id"))
        if task_id:
            index = self.of_id.get(task_id)
            label = label_of(self.tasks[index], index) if index is not None else ""
            label = label or text(event.get("task_name")) or "task"
            return self._talk(task_id, agent or "", label, index, agent)
        method = self.scopes.method(event)
        if method and not agent:
            return self._talk(f"method {method}", "", method, None, None)
        return self._talk("", agent or "", agent or "model calls", None, agent)

    def _talk(self, of: str, who: str, label: str, task: int | None, agent: str | None) -> _Talk:
        found = self.talks.get((of, who))
        if found is None:
            found = self.talks[of, who] = _Talk(label, task, agent)
        return found

    def _of_task(self, index: int, agent: str | None) -> _Talk:
        """The talk of a task: that with its own agent, else the first there is."""
        of_task = [talk for talk in self.talks.values() if talk.task == index]
        own = next((talk for talk in of_task if talk.agent == agent), None)
        if own is not None or (of_task and agent is None):
            return own or of_task[0]
        task = self.tasks[index]
        key = text(task.get("id")) or f"task {index}"
        return self._talk(key, agent or "", label_of(task, index), index, agent)

    def take_output(self, index: int, task: Mapping[str, Any]) -> None:
        output = mapping(task.get("output"))
        saved = messages_of(output.get("messages"))
        if saved:
            agent = text(output.get("agent")) or text(mapping(task.get("agent")).get("role"))
            self._of_task(index, agent).saved = saved

    def take_executor(self, held: list[Message]) -> None:
        """Give what an executor holds to the unfinished task that it is about."""
        question = next((one.content for one in reversed(held) if one.role == "user"), None)
        if not isinstance(question, str):
            return
        for index, task in enumerate(self.tasks):
            wanted = (text(task.get("description")) or "").strip()[:_TELLING]
            if wanted and wanted in question and task.get("output") is None:
                talk = self._of_task(index, text(mapping(task.get("agent")).get("role")))
                if len(held) > len(talk.held):
                    talk.held = held
                return

    def in_order(self) -> list[_Talk]:
        """By their first event; what has none stands where its task stands."""
        order: list[_Talk] = []
        for talk in self.talks.values():
            if talk.calls or talk.asked or talk.task is None:
                order.append(talk)
                continue
            before = [at for at, one in enumerate(order) if (one.task or 0) <= talk.task]
            order.insert(before[-1] + 1 if before else 0, talk)
        return order


def _conversation(talk: _Talk) -> Conversation | None:
    said = _merged(talk.calls.values()) or _merged(talk.asked)
    source = CALLS
    for other, name in ((talk.held, EXECUTOR), (talk.saved, OUTPUT)):
        if other and (len(other) > len(said) or (name == OUTPUT and len(other) == len(said))):
            said, source = other, name
    last = next(reversed((*talk.asked, *talk.calls.values())), None)
    error = last.error if last is not None and last.reply is None else None
    if not said and error is None:
        return None
    return Conversation(
        label=talk.label,
        task=talk.task,
        agent=talk.agent,
        model=talk.model,
        source=source,
        messages=tuple(said),
        calls=len(talk.calls),
        tokens=talk.tokens,
        seconds=talk.seconds,
        error=error,
    )


def _merged(exchanges: Iterable[_Exchange]) -> list[Message]:
    """One list of several calls: a prompt that begins with the one before goes on from it.

    Recorded prompts can have grown after they were sent, up to and with the answer.
    """
    said: list[Message] = []
    before: list[Message] = []
    answered = False
    for exchange in exchanges:
        prompt = exchange.prompt
        after = prompt[len(before) :]
        if before and prompt[: len(before)] == before and _goes_on(after, answered):
            # the same prompt once more, without an answer between, has grown already
            fresh = prompt[len(said) :] if answered or after else said
            said = list(prompt)
            before = prompt
        elif prompt and not answered and before[: len(prompt)] == prompt:
            fresh = said
        else:
            fresh, said = prompt, said + prompt
            before = prompt
        answered = exchange.reply is not None and not _is_in(exchange.reply, fresh)
        if exchange.reply is not None and answered:
            said.append(exchange.reply)
    return said


def _goes_on(after: list[Message], answered: bool) -> bool:
    """Whether what follows the earlier prompt begins with what the model gave to that."""
    return not answered or (bool(after) and after[0].role == "assistant")


def _is_in(reply: Message, said: list[Message]) -> bool:
    calls = [call.id for call in reply.tool_calls]
    return any(
        one.role == reply.role
        and ([call.id for call in one.tool_calls] == calls if calls else one == reply)
        for one in said
    )


def _executors(document: Mapping[str, Any], entity: Mapping[str, Any]) -> Iterator[list[Message]]:
    """What executors hold: entities of their own, before 1.14.5 within the agents."""
    holders = [one for one in entities(document) if is_executor(one)]
    for agent in [*objects(entity.get("agents")), mapping(entity.get("manager_agent"))]:
        holders.append(mapping(agent.get("agent_executor")))
    for holder in holders:
        state = mapping(holder.get("checkpoint_state")) or holder
        if held := messages_of(state.get("messages")):
            yield held


def messages_of(value: object) -> list[Message]:
    """A list of messages as CrewAI writes them; a text is one of the user's."""
    if isinstance(value, str):
        return [Message("user", value)] if value else []
    return [
        Message(
            role=text(one.get("role")) or "?",
            content=_content(one.get("content")),
            name=text(one.get("name")),
            tool_calls=_tool_calls(one.get("tool_calls")),
            call_id=text(one.get("tool_call_id")),
        )
        for one in objects(value)
    ]


def _content(value: object) -> Any:
    """Texts in parts as one text; with pictures and the like in it, the parts as they are."""
    if value is None or isinstance(value, str):
        return value or ""
    parts = sequence(value)
    texts = [text(mapping(part).get("text")) if isinstance(part, dict) else text(part)
             for part in parts]  # fmt: skip
    if parts and None not in texts:
        return "\n".join(part for part in texts if part is not None)
    return value


def _reply(value: object) -> Message | None:
    """What a model gave: a text, calls of tools, or an object."""
    if value is None:
        return None
    calls = _tool_calls(value)
    if calls:
        return Message("assistant", "", tool_calls=calls)
    return Message("assistant", _content(value))


def _tool_calls(value: object) -> tuple[ToolCall, ...]:
    """Calls in OpenAI's form (``function``) or with ``name`` and ``input`` of their own."""
    calls = []
    for one in objects(value):
        inner = mapping(one.get("function")) or one
        name = text(inner.get("name"))
        given = inner.get("arguments", inner.get("input"))
        if name is not None and given is not None:
            calls.append(ToolCall(text(one.get("id")), name, _parsed(given)))
    return tuple(calls)


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _call_id(event: Mapping[str, Any]) -> str:
    return (
        text(event.get("call_id"))
        or text(event.get("started_event_id"))
        or str(event.get("event_id"))
    )
