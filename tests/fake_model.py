"""An OpenAI-compatible model for tests, that always answers the same. Stdlib only.

A request's *key* is a hash of its messages, and a plain answer holds the key: two runs whose
final texts are equal have sent equal prompts all the way. Tests say before a run what is to
go wrong, and look at `FakeModel.requests` after it.

    with FakeModel() as model:
        model.fail("Draft about", status=400)
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@dataclass
class Request:
    """A request as it came. ``status`` 0: it is held back."""

    key: str
    system: str
    user: str
    messages: list[dict[str, Any]]
    status: int


@dataclass
class _Rule:
    """What to do with requests whose last user message matches."""

    match: re.Pattern[str]
    status: int = 200
    text: str | None = None
    until: threading.Event | None = None


@dataclass
class FakeModel:
    """The server. Rules are asked in the order in which they were made."""

    requests: list[Request] = field(default_factory=list)
    _rules: list[_Rule] = field(default_factory=list)

    def __enter__(self) -> FakeModel:
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.reset()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """What to give a model as its ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def keys(self) -> list[str]:
        """The keys of the requests so far."""
        return [request.key for request in self.requests]

    def reset(self) -> None:
        """Forget requests and rules, and let go what is held."""
        for rule in self._rules:
            if rule.until is not None:
                rule.until.set()
        self._rules.clear()
        self.requests.clear()

    def fail(self, match: str, status: int = 400) -> None:
        """Answer with an error."""
        self._rules.append(_Rule(re.compile(match), status=status))

    def say(self, match: str, text: str) -> None:
        """Answer with a text of the test's own."""
        self._rules.append(_Rule(re.compile(match), text=text))

    def hold(self, match: str) -> None:
        """Do not answer until `reset`."""
        self._rules.append(_Rule(re.compile(match), status=0, until=threading.Event()))

    def answer(self, messages: list[dict[str, Any]]) -> tuple[int, str]:
        """Note a request. Returns a status and what to say."""
        user = next((_text(one) for one in reversed(messages) if one.get("role") == "user"), "")
        system = next((_text(one) for one in messages if one.get("role") == "system"), "")
        key = key_of(messages)
        rule = next((one for one in self._rules if one.match.search(user)), _Rule(re.compile("")))
        self.requests.append(Request(key, system, user, messages, rule.status))
        if rule.until is not None:
            rule.until.wait(60)
            return 503, "held back by the test"
        if rule.status != 200:
            return rule.status, "an error wanted by the test"
        task = user.partition("Current Task:")[2] or user
        return 200, rule.text or f"ANSWER-{key} for: {' '.join(task.split())[:40]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: FakeModel

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        status, text = self.model.answer(body.get("messages") or [])
        with contextlib.suppress(ConnectionError):  # who asked may be gone
            self._send(status, text, body.get("model"))

    def _send(self, status: int, text: str, model: object) -> None:
        message = {"role": "assistant", "content": text}
        answer: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": _USAGE,
        }
        if status != 200:
            answer = {"error": {"message": text, "type": "invalid_request_error"}}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def key_of(messages: list[dict[str, Any]]) -> str:
    """A short name for a list of messages."""
    plain = [[one.get("role"), _text(one)] for one in messages]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:8]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
