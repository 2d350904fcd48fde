# mypy: ignore-errors
"""The zoo with a task in front that is new, and without its second one."""

from crewai import Task
from zoo import crew, first, fourth, pen, second

extra = Task(name="feed", description="Feed them", expected_output="food", agent=pen)
first.context = []
crew.tasks.insert(0, extra)
crew.tasks.remove(second)
fourth.context = [crew.tasks[1], crew.tasks[2]]
