"""A small stand-in for an OpenAI-compatible model, for the demo crew.

It listens on the loopback address only, needs nothing but the standard library, and answers chat
completions with hand-made texts. Which text depends on what the prompt asks (facts, angle, brief,
final edit), on the inputs named in it, and on the earlier output it was given: the brief opens with
the angle's words, and the edit is made of the brief's own sentences. So an edited input or output
visibly changes everything after it, and the same prompt always gets the same answer.

    with serve() as server:
        os.environ["DEMO_MODEL_URL"] = server.url
        crew.kickoff(inputs=...)

By hand: `python -m crewcheck.demo.model_server --port 8765`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from crewcheck.demo.answers import answer, message_text, read_request, tokens, words

DEFAULT_PORT = 8765
OVERLOADED = "The model is overloaded right now. Please try again in a few minutes."


@dataclass
class Failure:
    """A request whose task contains `match` is answered with an error."""

    match: str
    status: int
    message: str


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    seconds_per_word: float = 0.0
    failure: Failure | None = None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep the terminal for the demo."""

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send({"object": "list", "data": [{"id": "gpt-4o-mini", "object": "model"}]})
        else:
            self._refuse(404, f"There is nothing at {self.path}.")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.path.rstrip("/").endswith("/chat/completions"):
            self._refuse(404, f"There is nothing at {self.path}.")
            return
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._refuse(400, "The request is not a JSON object.")
            return
        with contextlib.suppress(ConnectionError):  # whoever asked has gone
            self._chat(body)

    def _chat(self, body: dict[str, Any]) -> None:
        server = self.server
        assert isinstance(server, _Http)
        failure = server.failure
        if failure is not None and failure.match in read_request(body).task:
            self._refuse(failure.status, failure.message)
            return
        text = answer(body)
        time.sleep(words(text) * server.seconds_per_word)
        prompt = "".join(
            message_text(m.get("content"))
            for m in body.get("messages") or []
            if isinstance(m, dict)
        )
        asked, said = tokens(prompt), tokens(text)
        head = {
            "id": "chatcmpl-" + hashlib.sha256((prompt + text).encode()).hexdigest()[:24],
            "created": int(time.time()),
            "model": body.get("model") or "gpt-4o-mini",
        }
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        if body.get("stream"):
            self._stream(head, text, usage)
            return
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": text},
        }
        self._send({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _stream(self, head: dict[str, Any], text: str, usage: dict[str, int]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        deltas: list[tuple[dict[str, str], str | None]] = [
            ({"role": "assistant", "content": ""}, None)
        ]
        deltas += [({"content": piece}, None) for piece in re.findall(r"\S+\s*|\s+", text)]
        deltas.append(({}, "stop"))
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
            for delta, reason in deltas
        ]
        chunks.append({"choices": [], "usage": usage})
        for chunk in chunks:
            line = json.dumps({**head, "object": "chat.completion.chunk", **chunk})
            self.wfile.write(f"data: {line}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def _refuse(self, status: int, message: str) -> None:
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self._send(
            {"error": {"message": message, "type": kind, "param": None, "code": None}}, status
        )

    def _send(self, data: dict[str, Any], status: int = 200) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class ModelServer:
    """A running server; close it, or use it in a `with` statement."""

    def __init__(self, port: int = 0, *, seconds_per_word: float = 0.0) -> None:
        """Listen on a loopback port (0: any free one) and answer from a thread.

        `seconds_per_word` makes answers take time, as those of a real model do.
        """
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.seconds_per_word = seconds_per_word
        self._thread = threading.Thread(
            target=self._http.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="demo-model",
            daemon=True,
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def fail(self, match: str, *, status: int = 503, message: str = OVERLOADED) -> None:
        """From now on, answer requests whose task contains `match` with an error."""
        self._http.failure = Failure(match, status, message)

    def recover(self) -> None:
        """Answer everything again."""
        self._http.failure = None

    def close(self) -> None:
        """Stop listening. May be called twice."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def serve(port: int = 0, *, seconds_per_word: float = 0.0) -> ModelServer:
    """Start a server in a thread of this process."""
    return ModelServer(port, seconds_per_word=seconds_per_word)


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A stand-in model for the demo crew.")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="loopback port (default: %(default)s)"
    )
    parser.add_argument("--seconds-per-word", type=float, default=0.0, help="let answers take time")
    parser.add_argument(
        "--fail", metavar="TEXT", help="answer tasks that contain TEXT with an error"
    )
    options = parser.parse_args(argv)
    with serve(options.port, seconds_per_word=options.seconds_per_word) as server:
        if options.fail:
            server.fail(options.fail)
        print(f"The demo model answers at {server.url} (Ctrl+C stops it)", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
