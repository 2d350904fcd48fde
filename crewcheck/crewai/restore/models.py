"""The model that an agent asks, from what was saved of it: never with the key of a document."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import mapping, text
from crewcheck.runtimes.spec import RunSpec

#: Where providers look for an address of their own.
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL", "AZURE_ENDPOINT")
#: The keys of providers, any of which will do.
_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "azure": ("AZURE_API_KEY",),
}
_SECRETS = frozenset({
    "api_key", "client_params", "default_headers", "default_query", "additional_headers",
    "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "extra_headers",
})  # fmt: skip

MISSING = "model-class"


def model_of(saved: object, where: str, spec: RunSpec) -> Any:
    """A model. Raises `Refusal` for a class of the project's own, for an address that the
    environment does not name, and where the key is not in the environment."""
    settings = mapping(saved)
    kind = text(settings.get("llm_type"))
    known = _known_types()
    if kind not in known or not text(settings.get("model")):
        raise Refusal(
            MISSING,
            f"{where} asks a model of the project's own, and its class is not in the checkpoint",
            "go on with the project: --entry MODULE:ATTR or --script FILE",
        )
    _check_address(settings, where, spec)
    keys = _KEYS.get(kind or "", ())
    if keys and not any(os.environ.get(key) for key in keys):
        raise Refusal(
            "no-key",
            f"there is no {' or '.join(keys)} in the environment for the model of {where}",
            "set it there or in .env: keys are never taken from a checkpoint",
        )
    given = {
        key: value
        for key, value in settings.items()
        if key not in _SECRETS and value is not None and value != "REDACTED"
    }
    from crewai.agents.agent_builder import base_agent

    try:
        return base_agent._validate_llm_ref(given)
    except Exception as error:
        raise Refusal(
            "model-not-made",
            f"the model of {where} ({settings.get('model')}) cannot be made: {error}",
            "keys are taken from the environment (or .env), never from a checkpoint",
        ) from None


def _known_types() -> set[str]:
    from crewai.agents.agent_builder import base_agent

    return set(getattr(base_agent, "_LLM_TYPE_REGISTRY", {})) - {"base"}


def _check_address(settings: Mapping[str, Any], where: str, spec: RunSpec) -> None:
    for key in ("base_url", "api_base", "endpoint"):
        address = text(settings.get(key))
        named = {os.environ.get(name, "").rstrip("/") for name in _ADDRESSES}
        if address and address.rstrip("/") not in named and not spec.trust_endpoint:
            raise Refusal(
                "endpoint-not-trusted",
                f"{where} would ask at {address}, an address that only the checkpoint names: your "
                "key would be sent there",
                "if it is yours, say so with --trust-endpoint, or name it in the environment "
                "(OPENAI_BASE_URL)",
            )
