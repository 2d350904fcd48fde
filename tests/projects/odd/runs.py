# mypy: ignore-errors
"""A module that runs its crew as soon as it is imported."""

from zoo import INPUTS, crew

crew.kickoff(inputs=INPUTS)
