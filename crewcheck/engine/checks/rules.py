"""All rules of `verify`: their stable names, how bad a breach is, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

#: How bad a finding is. ``damage``: the checkpoint cannot be relied on; ``warning``: it can,
#: and a person should know; ``advice``: nothing is wrong, and something could be better.
DAMAGE, WARNING, ADVICE = "damage", "warning", "advice"
SEVERITIES = (DAMAGE, WARNING, ADVICE)


class Rule(NamedTuple):
    """A rule: what a breach of it means, and the way out."""

    name: str
    severity: str
    meaning: str
    remedy: str


_BEFORE = "resume from the checkpoint before it"
_COPY = "work on a copy: `sqlite3 COPY .recover`"
_PROJECT = "resume from your project: it has what the checkpoint lacks"

_TABLE = (
    # the text
    ("empty", DAMAGE, "the document has no content", _BEFORE),
    ("truncated", DAMAGE, "the document ends too early: its writer was stopped", _BEFORE),
    ("not-json", DAMAGE, "the document is no JSON", _BEFORE),
    ("trailing-data", DAMAGE, "something follows the document", _BEFORE),
    ("not-a-checkpoint", DAMAGE, "it is JSON, and no checkpoint", _BEFORE),
    ("unreadable", DAMAGE, "the document cannot be read", "look at permissions and disk"),
    ("being-written", WARNING, "the document is being written now", "look again in a moment"),
    ("odd-text", ADVICE, "the text is odd and can be read all the same", ""),
    # the shape
    ("wrong-type", DAMAGE, "something that CrewAI needs is missing or of another type", _BEFORE),
    ("odd-type", WARNING, "something that CrewAI does not need is of an unexpected type", ""),
    ("unknown-version", WARNING, "a version of CrewAI wrote it that crewcheck does not know",
     "update crewcheck"),
    ("unknown-kind", WARNING, "an entity is of a kind that crewcheck does not know",
     "update crewcheck"),
    ("no-record", WARNING, "there is no record of events: times and errors are not known", ""),
    # the progress
    ("output-missing", DAMAGE, "a task was completed, and its result was never stored", _BEFORE),
    ("output-early", WARNING, "a task has a result, and its events say that it is under way", ""),
    ("out-of-order", DAMAGE, "a later task is done although this one is under way", _BEFORE),
    ("finished-with-pending", WARNING, "the run has finished, and tasks have no result",
     "conditional tasks may have been skipped; `resume` runs what is pending"),
    ("method-output-missing", WARNING, "a method is done, and its result is nowhere", _BEFORE),
    ("method-counts", WARNING, "what a flow counts of its methods does not fit together", ""),
    # the references
    ("agent-missing", DAMAGE, "a task of a sequential crew has no agent", _BEFORE),
    ("agent-unlisted", WARNING, "a task's agent is not among the agents of its crew", ""),
    ("manager-missing", DAMAGE, "a hierarchical crew has neither a manager nor its model",
     _BEFORE),
    ("context-missing", DAMAGE, "a task's context names a task that is not there", _BEFORE),
    ("context-not-done", DAMAGE, "a task is done, and one that it was given is not", _BEFORE),
    ("duplicate-task", WARNING, "two tasks have one id: their events cannot be told apart", ""),
    ("kickoff-missing", WARNING, "the event of the kickoff is not in the record", ""),
    ("primary-missing", WARNING, "a fork names an entity that is not there", ""),
    # the events
    ("event-unended", WARNING, "something began and never ended, and is not under way", ""),
    ("event-unstarted", WARNING, "something ended that never began", ""),
    ("event-duplicate", WARNING, "two events have one id, or an event lies under another's", ""),
    ("event-link", WARNING, "an event refers to one that is not in the record", ""),
    ("several-runs", ADVICE, "the record holds several runs; a resume goes on with the newest",
     "use one process for each run"),
    # results with a class
    ("schema-invalid", WARNING, "the schema of a task's output is no valid JSON schema",
     _PROJECT),
    ("schema-recursive", ADVICE, "the schema of a task's output refers to itself", ""),
    ("output-unfit", WARNING, "a result does not fit the schema of its task",
     "fork with another output, or `--rerun` the task"),
    # what will not come back
    ("lost-guardrail", WARNING, "a guardrail ran, and the checkpoint does not have it", _PROJECT),
    ("lost-tool-function", WARNING, "a tool has lost its function", _PROJECT),
    ("lost-callback", ADVICE, "a callback is kept by its name only", _PROJECT),
    ("lost-condition", ADVICE, "the condition of a task is lost", _PROJECT),
    ("lost-tool", ADVICE, "a tool is kept without its private state", _PROJECT),
    ("lost-output-class", ADVICE, "an output's class is kept as a schema only", _PROJECT),
    ("lost-model-class", ADVICE, "a model's class is not kept", _PROJECT),
    ("lost-context", ADVICE, "context lists of tasks are not kept", _PROJECT),
    ("lost-templates", ADVICE, "texts before the inputs were filled in are not kept", _PROJECT),
    ("lost-agents", ADVICE, "agents are not kept", _PROJECT),
    ("lost-tasks-to-come", ADVICE, "the tasks that were still to come are not kept", _PROJECT),
    ("lost-memory", ADVICE, "the memory store may be ahead of the checkpoint", ""),
    ("lost-knowledge", ADVICE, "knowledge sources are not kept", _PROJECT),
    ("lost-flow-class", ADVICE, "a flow's class, methods and routes are not kept", _PROJECT),
    # the lineage
    ("parent-missing", WARNING, "its parent is not in the store",
     "nothing, if you deleted or pruned it"),
    ("cycle", DAMAGE, "it is among its own ancestors", "correct the parent's id"),
    ("duplicate-id", DAMAGE, "two checkpoints of the store have one id",
     "name them by their paths, or remove the copy"),
    ("parent-newer", WARNING, "its parent was written after it", "look at the clock"),
    ("parent-differs", WARNING, "its name and its document give different parents",
     "nothing: CrewAI reads the parent twice, and a race lets them differ"),
    ("branch-differs", WARNING, "its place and its document give different branches",
     "nothing: the document counts"),
    # writes
    ("write-lost", WARNING, "a checkpoint was begun and never written",
     "name fewer events, and go on from the checkpoint before"),
    ("write-failed", WARNING, "CrewAI could not write a checkpoint", "see what the event says"),
    # the store
    ("database-damaged", DAMAGE, "the database file is damaged", _COPY),
    ("index-out-of-step", DAMAGE, "an index of the database does not fit its table",
     "on a copy: `sqlite3 COPY 'REINDEX'`"),
    ("part-unreadable", DAMAGE, "a part of the store cannot be read", "look at permissions"),
    # practice
    ("secret-in-plain-text", WARNING, "a key, token or password is in the checkpoint as it is",
     "change the key if others can read the store; keep keys in the environment"),
    ("world-readable", ADVICE, "everybody on this machine can read the store",
     "`chmod -R o= STORE`"),
    ("flow-writes-nothing", ADVICE, "a flow writes checkpoints for task_completed only",
     'on_events=["method_execution_finished"]'),
    ("unlimited", ADVICE, "every event writes a checkpoint, and none is ever removed",
     "set max_checkpoints, or name the events"),
    ("event-never-fires", ADVICE, "on_events names what never causes a checkpoint",
     "leave it out"),
)  # fmt: skip

RULES = {name: Rule(name, severity, meaning, way) for name, severity, meaning, way in _TABLE}
