"""An interpreter with crewai, a model, and stores that real runs have written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.child.driver import Child, Place, Written, make_place, written
from tests.fake_model import FakeModel


@pytest.fixture(scope="session")
def one_model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model


@pytest.fixture
def model(one_model: FakeModel) -> FakeModel:
    """The model, as if new."""
    one_model.reset()
    return one_model


@pytest.fixture(scope="session")
def zoo_run(
    tmp_path_factory: pytest.TempPathFactory, crewai_python: str, one_model: FakeModel
) -> tuple[Place, list[str], str]:
    """A run of the zoo without trouble: its place, requests in order, and final text.

    CrewAI loses some of its writes: it is run until there is a checkpoint of each stage.
    """
    for _ in range(5):
        one_model.reset()
        place = make_place(tmp_path_factory.mktemp("zoo"), crewai_python, one_model.url, "zoo")
        ended = place.run("zoo.py")
        assert ended.returncode == 0, ended.stderr
        stages = {len(one.done) for one in written(place.project / ".checkpoints")}
        if stages == {0, 1, 2, 3, 4}:
            break
    else:
        pytest.fail("CrewAI loses too many of its writes")
    result = next(line for line in ended.stdout.splitlines() if line.startswith("result "))
    return place, one_model.keys, result.removeprefix("result ")


@pytest.fixture
def zoo(tmp_path: Path, zoo_run: tuple[Place, list[str], str], model: FakeModel) -> Place:
    """The zoo's project after that run, in a folder of its own; ``odd`` modules beside it."""
    original, _, _ = zoo_run
    place = Place(tmp_path, original.python, original.model_url)
    shutil.copytree(original.folder, tmp_path, dirs_exist_ok=True)
    odd = Path(__file__).resolve().parents[2] / "projects" / "odd"
    shutil.copytree(odd, place.project, dirs_exist_ok=True)
    return place


Start = Callable[..., Child]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a child for a checkpoint: ``start(place, checkpoint, entry=...)``."""
    children: list[Child] = []

    def begin(place: Place, checkpoint: Written, **spec: Any) -> Child:
        environment = spec.pop("environment", None)
        values = {
            "store": str(place.project / ".checkpoints"),
            "store_kind": "json",
            "checkpoint_id": checkpoint.id,
            "source_branch": checkpoint.document["branch"],
            "document_path": str(checkpoint.path),
            "python": place.python,
            "cwd": str(place.project),
            **spec,
        }
        child = Child(place, values, environment)
        children.append(child)
        return child

    yield begin
    for child in children:
        child.close()


@pytest.fixture
def at(zoo: Place) -> Callable[..., Written]:
    """``at(done, trigger)``: the zoo's checkpoint with so many tasks done, of that trigger
    if CrewAI has not lost it."""

    def find(done: int, trigger: str = "task_completed") -> Written:
        found = [one for one in written(zoo.project / ".checkpoints") if len(one.done) == done]
        return next((one for one in found if one.document["trigger"] == trigger), found[0])

    return find
