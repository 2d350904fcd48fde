"""The user's own check that a checkpoint is still good: ``validate`` in ``[tool.crewcheck]``.

It is called with one dict: ``checkpoint_id``, ``branch``, ``inputs`` (or None), ``tasks`` (each
``index``, ``name``, ``description``, ``state``, ``output`` as a text or None) and ``document``
(the whole checkpoint). True or None: go on. False, a text, or an exception: do not, and the
text is the reason.
"""

from __future__ import annotations

import copy
import importlib
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.saved import Saved

#: The rule of a refusal that means: this checkpoint is not good, another one may be.
NOT_VALID = "not-valid"


def ask(reference: str, saved: Saved) -> None:
    """Ask ``module:function``. Raises `Refusal` where the answer is no, or nobody can be asked."""
    check = _function(reference)
    try:
        answer = check(view_of(saved))
    except Exception as error:
        said = str(error)
        answer = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if answer is None or answer is True:
        return
    where = f"checkpoint {saved.checkpoint_id}"
    if answer is False:
        message = f"{reference} says that {where} is not valid"
    elif isinstance(answer, str):
        message = f"{reference} says that {where} is not valid: {answer}"
    else:
        raise Refusal(
            "validate-answer",
            f"{reference} returned {type(answer).__name__}, not True, False, None or a text",
        )
    raise Refusal(NOT_VALID, message, "resume from a checkpoint before it: `crewcheck list`")


def view_of(saved: Saved) -> dict[str, Any]:
    """What the check is given. Its own: whatever it does with it changes nothing."""
    return {
        "checkpoint_id": saved.checkpoint_id,
        "branch": saved.branch,
        "inputs": copy.deepcopy(saved.inputs),
        **saved.view(),
        "document": copy.deepcopy(dict(saved.document)),
    }


def _function(reference: str) -> Any:
    module_name, _, path = reference.partition(":")
    hint = "correct `validate` in [tool.crewcheck] of pyproject.toml: module:function"
    try:
        value: Any = importlib.import_module(module_name)
        for part in path.split("."):
            value = getattr(value, part)
    except Exception as error:
        raise Refusal(
            "validate-not-found",
            f"validate = {reference!r} cannot be loaded: {type(error).__name__}: {error}",
            hint,
        ) from None
    if not callable(value):
        raise Refusal("validate-not-found", f"validate = {reference!r} is no function", hint)
    return value
