"""Output classes, of the schemas that a document has of them."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import mapping

_HINT = "go on with the project: --entry MODULE:ATTR or --script FILE"


def class_of(schema: object, label: str) -> Any:
    """A class for a task that runs. Raises `Refusal` where models would be asked for another."""
    made = _made(schema)
    if made is None:
        raise Refusal(
            "output-class-lost",
            f"the class of {label}'s output cannot be made of its schema",
            _HINT,
        )
    return made


def stand_in(schema: object) -> Any:
    """A class for a task that is done, for which no model is asked any more: with the same
    fields, whatever is in them."""
    from pydantic import create_model

    made = _made(schema)
    if made is not None:
        return made
    names = mapping(mapping(schema).get("properties"))
    fields: dict[str, Any] = {name: (Any, None) for name in names}
    try:
        return create_model(str(mapping(schema).get("title") or "Output"), **fields)
    except Exception:  # a name that no field can have
        return None


def _made(schema: object) -> Any:
    """A class that has exactly this schema, None where there is none."""
    from crewai.utilities.pydantic_schema_utils import create_model_from_schema

    try:
        made = create_model_from_schema(dict(mapping(schema)))
        return made if made.model_json_schema() == schema else None
    except Exception:
        return None
