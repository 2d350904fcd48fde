"""A child without crewai: speaks the protocol, and does what ``args`` of the spec say.

``args`` are steps, done in order: ``plan``, ``wait`` (for go or abort), ``finish``,
``say:JSON`` (send a message), ``print:TEXT``, ``error:TEXT``, ``flood:BYTES``, ``ask:ID``
(prompt, wait, print the answer), ``hang``, ``stubborn`` (ignore SIGINT and SIGTERM),
``kill:SIGNAL`` (itself), ``exit:CODE``, ``env:NAME`` and ``file:PATH`` (write the pid).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main() -> None:
    with open(sys.argv[1]) as file:
        spec = json.load(file)
    orders = os.fdopen(int(sys.argv[2]), "rb")
    out = int(sys.argv[3])

    def send(**message: object) -> None:
        line = json.dumps(message).encode() + b"\n"
        while line:
            line = line[os.write(out, line) :]

    send(type="hello", protocol=1, pid=os.getpid(), python="3", crewai="0.0")
    for step in spec["args"]:
        name, _, value = step.partition(":")
        if name == "plan":
            send(type="loaded", entry="crew:crew", kind="crew", name="zoo", tasks=[{"index": 0}])
            send(type="plan", items=[], warnings=[])
        elif name == "wait":
            order = json.loads(orders.readline() or b'{"type": "abort"}')
            if order["type"] == "abort":
                sys.exit(5)
            send(type="started", branch=order.get("branch"), checkpoint_id="c0")
        elif name == "finish":
            send(type="finished", result="all done", tokens=3)
        elif name == "say":
            send(**json.loads(value))
        elif name == "print":
            print(value, flush=True)
        elif name == "error":
            print(value, file=sys.stderr, flush=True)
        elif name == "raw":
            os.write(1, bytes.fromhex(value))
        elif name == "garbage":
            os.write(out, value.encode() + b"\n")
        elif name == "flood":
            line = "x" * 99 + "\n"
            for _ in range(int(value) // 100):
                sys.stdout.write(line)
            sys.stdout.flush()
        elif name == "ask":
            send(type="prompt", id=value, message="is it so?", kind="human_input")
            print("answered", json.loads(orders.readline())["text"], flush=True)
        elif name == "hang":
            send(type="event", event="hanging")
            while True:
                time.sleep(60)
        elif name == "orphan":
            # a process that holds our stdout open
            os.spawnvp(os.P_NOWAIT, "sleep", ["sleep", value])
        elif name == "stubborn":
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif name == "kill":
            os.kill(os.getpid(), int(value))
        elif name == "exit":
            os._exit(int(value))
        elif name == "env":
            print(value, repr(os.environ.get(value)), flush=True)
        elif name == "file":
            with open(value, "w") as file:
                file.write(str(os.getpid()))
        else:
            raise SystemExit(f"no such step: {step}")


if __name__ == "__main__":
    main()
