"""What a supervisor starts in place of a child, where the child is a fork of the zygote.

    PYTHON relay.py SPEC.JSON IN OUT

It hands its descriptors over, waits, and ends as the fork has ended. The zygote's socket is
named in the environment. Stdlib only.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress

SOCKET_VARIABLE = "FIDELITY_ZYGOTE"


def main() -> None:
    spec, theirs_in, theirs_out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    job = {"kind": "child", "cwd": os.getcwd(), "env": dict(os.environ), "spec": spec}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(os.environ[SOCKET_VARIABLE])
        data = json.dumps(job).encode() + b"\n"
        sent = socket.send_fds(connection, [data], [1, 2, theirs_in, theirs_out])
        connection.sendall(data[sent:])
        for one in (1, 2, theirs_in, theirs_out):
            os.close(one)
        with connection.makefile("rb") as lines:
            lines.readline()  # its pid
            code = os.waitstatus_to_exitcode(int(lines.readline()))
    if code < 0:
        with suppress(OSError):  # some cannot be handled anyway
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
