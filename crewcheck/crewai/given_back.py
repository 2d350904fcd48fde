"""A recorded answer of a model as the object that its call had returned."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

#: CrewAI writes down what is as deep as this as a text, whatever it was.
_DEPTH = 5

#: What a provider's tool call is, by the keys that are in all of them.
_TOOL_CALLS = {
    "function": (
        "openai.types.chat",
        ("ChatCompletionMessageFunctionToolCall", "ChatCompletionMessageToolCall"),
    ),
    "input": ("anthropic.types", ("ToolUseBlock",)),
}


def answer(llm: Any, response: Any, named: Mapping[str, Any]) -> Any:
    """What a call with these arguments had returned; None where that cannot be told."""
    model = named.get("response_model")
    if isinstance(response, list):
        return None if named.get("available_functions") or model else _tool_calls(response)
    if model is None and isinstance(response, dict):
        model = getattr(llm, "response_format", None)
    if model is None:
        return response if isinstance(response, str) else None
    return _structured(llm, model, response)


def _structured(llm: Any, model: Any, response: Any) -> Any:
    """An answer in the form of a class: the object, or its text, as the provider gives it."""
    try:
        if isinstance(response, str):
            made = model.model_validate_json(response)
        elif _depth(response) < _DEPTH:
            return model.model_validate(response)
        else:
            return None
    except Exception:
        return None
    return made if type(llm).__module__.startswith("crewai.llms.providers.") else response


def _tool_calls(response: list[Any]) -> list[Any] | None:
    if _depth(response) >= _DEPTH or not all(isinstance(one, dict) for one in response):
        return None
    made = [_tool_call(one) for one in response]
    return None if None in made else made


def _tool_call(call: Mapping[str, Any]) -> Any:
    if "toolUseId" in call or ("name" in call and "arguments" in call):
        return call  # Bedrock, and OpenAI's responses: plain dicts
    for key, (module, names) in _TOOL_CALLS.items():
        if key not in call:
            continue
        try:
            classes = [getattr(importlib.import_module(module), name, None) for name in names]
            kind: Any = next(one for one in classes if one is not None)
            return kind.model_validate(call)
        except Exception:
            return None
    return None


def _depth(value: Any) -> int:
    """How deep the deepest value is inside of this one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return max((1 + _depth(one) for one in inner), default=0)
