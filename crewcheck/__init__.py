"""crewcheck: time travel for agent runs."""

__version__ = "0.1.0"
