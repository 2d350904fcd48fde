"""Real programs, from start to end."""
