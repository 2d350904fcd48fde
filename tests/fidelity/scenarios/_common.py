# mypy: ignore-errors
"""What the scenarios share. Imported by its plain name, as a user's own module would be.

The environment says where the model is (``MODEL_URL``), into which kind of store is written
(``FIDELITY_PROVIDER``), and whether this is the run that is to go wrong (``FIDELITY_FAULT``).
"""

import os

MODEL_URL = os.environ.get("MODEL_URL", "http://127.0.0.1:9/v1")
KEY = "sk-fake-0123456789abcdef"


def llm(**more):
    """The model for tests."""
    from crewai import LLM

    return LLM(model="openai/gpt-4o-mini", base_url=MODEL_URL, api_key=KEY, **more)


def checkpoint(*events, **more):
    """A checkpoint at each event that can cause one, or at those that are named."""
    from crewai import CheckpointConfig

    if os.environ.get("FIDELITY_PROVIDER") == "sqlite":
        from crewai.state.provider.sqlite_provider import SqliteProvider

        more.setdefault("provider", SqliteProvider())
        more.setdefault("location", "./.checkpoints.db")
    return CheckpointConfig(on_events=list(events) or ["*"], **more)


def fails(where):
    """Raises in the run that is to be gone on with, and in no other."""
    if os.environ.get("FIDELITY_FAULT"):
        raise RuntimeError(f"{where} fails, as the test wants it to")


def used(tool):
    """A tool was really used: what it does to the world is not to be done twice."""
    with open("used.log", "a", encoding="utf-8") as file:
        file.write(tool + "\n")
