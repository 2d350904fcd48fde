"""The wire protocol between a run's child, its supervisor and those who follow it.

Stdlib only and Python 3.10: the child loads this module by its location, in the user's
interpreter. A message is one JSON object on one line, ASCII, with a ``type``.

The child is started as ``PYTHON .../runtimes/boot/child.py SPEC.JSON IN OUT`` (`spec`), in
the project's folder and with its environment. It leaves with 0 (finished), 1 (failed), 5
(refused, aborted), 6 (paused) or 130 (interrupted). A finished run that is resumed says
``finished`` with ``nothing_to_run`` right after its ``plan``, and does not wait for ``go``.

**Child to supervisor**, on a private descriptor; the supervisor appends each to the run's
journal with ``at`` (UTC ISO time) and ``n`` (1, 2, ...):

``hello``    protocol, pid, python, executable, crewai (version), seconds (of the import)
``loaded``   entry, kind, name, tasks (see below), inputs (recorded), tools, cwd, model,
             endpoint, ran_before (true: a script's code before the kickoff has run);
             of a flow methods (see below)
``plan``     items (see `engine.invalidation`; of a crew by positions in the project, with
             ``saved``, the position in the checkpoint, null for a new task; of a flow
             `engine.flow_plan`: first the recorded calls, then methods to come), warnings and
             losses (each {rule, where, message}), changed (differences that were accepted),
             branch, nothing_to_run
``refused``  reason (a rule), message, hint, differences (list of lines); the rule is
             ``not-valid`` where the user's own check (``validate`` of the spec, asked
             before ``loaded``) says that the checkpoint is not good any more
``started``  branch, checkpoint_id
``event``    event (CrewAI's type), task (position of the task, of a flow's call for
             ``method_execution_*``, or null), task_name, agent, method (of a flow), tool,
             model, tokens, seconds, replayed (true: answered from the recording), error
``record``   event: one of a call, tool or piece of work as a checkpoint would have it, but for
             a model's messages, of which only a digest is given (``asked``); kept for a later
             resume (`work_file`), and not in the journal
``checkpoint``  id, branch, parent_id, location, trigger; or ``lost`` (the error)
``prompt``   id, message, kind (``human_input``, or of a flow ``human_feedback``), what it is
             about: task (name or description), agent, output (the text that is judged), each
             or null; of a flow method, output, outcomes (list), and waits (true: without an
             answer it ends as ``paused``); answered by ``answer``
``paused``   method, message, output (what a person is asked about, as a text), outcomes (list),
             flow_id, checkpoint_id (newest)
``finished`` result (text), nothing_to_run (true: it was finished already), tokens
``failed``   error, error_type, traceback, hint, checkpoint_id (newest valid one, or null)
``interrupted``  signal, checkpoint_id

**Supervisor's own**, in the same journal: ``supervised`` (protocol, pid; always the first
line), ``log`` (stream ``stdout``/``stderr``, text), ``forked`` (checkpoint_id, branch,
location), the orders as it took them (``go``, ``abort`` with the reason as ``message``,
``answer``, ``cancel``), ``exited`` (code, signal or null; always the last line of a journal
whose supervisor ended in order). Where the child is gone without a last message it says
``failed`` or ``interrupted`` in its place, ``crashed`` true if nobody asked it to end.

**To the child**, on its other descriptor, from the supervisor:

``go``       branch, checkpoint_id (parent of what will be written), keep (positions of the
             tasks that answer from the recording; of a flow, of the calls), outputs
             (position -> edited text), results (of a flow: position -> JSON value), inputs
             (what is changed, over the recorded ones; or null); optional: document (path of
             the fork's own document: its event record is gone on with; what a flow keeps is
             told by it alone), fresh (positions of tasks whose model calls are asked again
             although they had been answered)
``abort``    without more
``answer``   id, text (null: nobody is there to answer)

**To the supervisor**, on its socket, from a command or the app: the same three, and
``cancel`` (SIGINT, then SIGTERM, then SIGKILL), ``attach`` (stay connected: while nobody
is attached before ``go``, the supervisor gives up after a while).

A task in ``loaded``: ``index``, ``name``, ``template``, ``agent``, ``state`` (``done``,
``under-way`` or ``pending``), ``depends_on`` (positions whose outputs its prompt holds),
``names`` (inputs that its own and its agent's templates name), ``asynchronous``,
``output_class`` (name or null), ``model``, ``endpoint``, ``tools``, ``human_input`` (whether
it asks a person before its result counts).

A method in ``loaded``: ``name``, ``kind``, ``waits_for``, ``all_of``, ``labels`` (see
`runtimes.static_values.Step`), ``calls`` (positions of its recorded calls).
"""

from __future__ import annotations

import json
from typing import Any

PROTOCOL = 1

#: Types after which a run says nothing more, but for `exited`.
LAST = frozenset({"finished", "failed", "refused", "paused", "interrupted"})

Message = dict[str, Any]


def dump(message: Message) -> bytes:
    """A message as a line. What is no JSON becomes its text."""
    return json.dumps(message, default=str).encode("ascii") + b"\n"


class Reader:
    """Takes bytes as they come and gives the messages that have come in whole.

    A line that is no JSON object is passed over: `bad` counts them.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.bad = 0

    def feed(self, data: bytes) -> list[Message]:
        """The messages that ``data`` completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        messages: list[Message] = []
        for line in lines:
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError:
                self.bad += 1
                continue
            if isinstance(value, dict) and isinstance(value.get("type"), str):
                messages.append(value)
            else:
                self.bad += 1
        return messages
