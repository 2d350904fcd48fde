"""An OpenAI-compatible model for tests, that always answers the same. Stdlib only.

A request's *key* is a hash of its messages, and a plain answer holds the key: two runs whose
final texts are equal have sent equal prompts all the way. Tests say before a run what is to
go wrong, and look at `FakeModel.requests` after it. What it says is in `fake_replies`;
answers are streamed where that is asked for, and texts have embeddings, too.

    with FakeModel() as model:
        model.fail("Draft about", status=400)
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.fake_replies import Reply, key_of, reply_to, text_of, vector_of

_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@dataclass
class Request:
    """A request as it came, ``at`` a time of the clock. ``status`` 0: it is held back."""

    key: str
    system: str
    user: str
    messages: list[dict[str, Any]]
    status: int
    at: float = field(default_factory=time.time)


@dataclass
class _Rule:
    """What to do with requests whose last user message matches."""

    match: re.Pattern[str]
    status: int = 200
    text: str | None = None
    until: threading.Event | None = None


@dataclass
class FakeModel:
    """The server. Rules are asked in the order in which they were made.

    ``embedded`` are the texts that embeddings were asked of.
    """

    requests: list[Request] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    _rules: list[_Rule] = field(default_factory=list)

    def __enter__(self) -> FakeModel:
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()
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
        self.embedded.clear()

    def fail(self, match: str, status: int = 400) -> None:
        """Answer with an error."""
        self._rules.append(_Rule(re.compile(match), status=status))

    def say(self, match: str, text: str) -> None:
        """Answer with a text of the test's own."""
        self._rules.append(_Rule(re.compile(match), text=text))

    def hold(self, match: str) -> None:
        """Do not answer until `reset`."""
        self._rules.append(_Rule(re.compile(match), status=0, until=threading.Event()))

    def answer(self, body: dict[str, Any]) -> tuple[int, Reply]:
        """Note a request. Returns a status and what to say."""
        messages = body.get("messages") or []
        user = next((text_of(one) for one in reversed(messages) if one.get("role") == "user"), "")
        system = next((text_of(one) for one in messages if one.get("role") == "system"), "")
        key = key_of(messages)
        rule = next((one for one in self._rules if one.match.search(user)), _Rule(re.compile("")))
        self.requests.append(Request(key, system, user, messages, rule.status))
        if rule.until is not None:
            rule.until.wait(60)
            return 503, Reply("held back by the test")
        if rule.status != 200:
            return rule.status, Reply("an error wanted by the test")
        reply = Reply(rule.text) if rule.text is not None else reply_to(body, key)
        if reply.seconds:
            time.sleep(reply.seconds)
        return 200, reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: FakeModel

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # a client was killed
            super().handle()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        with contextlib.suppress(ConnectionError):  # who asked may be gone
            if self.path.endswith("/embeddings"):
                self._embed(body)
                return
            status, reply = self.model.answer(body)
            if status != 200:
                error = {"message": reply.content, "type": "invalid_request_error"}
                self._send({"error": error}, status)
            elif body.get("stream"):
                self._stream(reply, body.get("model"))
            else:
                message: dict[str, Any] = {"role": "assistant", "content": reply.content}
                if reply.tool_calls:
                    message["tool_calls"] = reply.tool_calls
                choice = {"index": 0, "finish_reason": _finish(reply), "message": message}
                base = _base("chat.completion", body.get("model"))
                self._send({**base, "choices": [choice], "usage": _USAGE})

    def _embed(self, body: dict[str, Any]) -> None:
        given = body.get("input") or []
        texts = [given] if isinstance(given, str) else given
        self.model.embedded += map(str, texts)
        made = [
            {"object": "embedding", "index": place, "embedding": vector_of(str(one))}
            for place, one in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._send({"object": "list", "data": made, "model": body.get("model"), "usage": usage})

    def _stream(self, reply: Reply, model: object) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        base = _base("chat.completion.chunk", model)

        def piece(delta: dict[str, Any], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            self._line({**base, "choices": [choice]})

        piece({"role": "assistant", "content": ""})
        if reply.tool_calls:
            piece({"tool_calls": [{**c, "index": i} for i, c in enumerate(reply.tool_calls)]})
        text = reply.content or ""
        for start in range(0, len(text), 24):
            piece({"content": text[start : start + 24]})
        piece({}, _finish(reply))
        self._line({**base, "choices": [], "usage": _USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def _line(self, value: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")

    def _send(self, answer: dict[str, Any], status: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _base(kind: str, model: object) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.tool_calls else "stop"
