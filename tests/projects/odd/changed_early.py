# mypy: ignore-errors
"""The zoo with another first task."""

from zoo import crew, first

crew.tasks[0] = first.model_copy(update={"description": "Watch the {animal} closely"})
