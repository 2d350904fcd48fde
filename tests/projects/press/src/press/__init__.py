# mypy: ignore-errors
"""A user's package in the layout that CrewAI generates."""
