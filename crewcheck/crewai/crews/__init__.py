"""Resuming crews: finished tasks answer from the recording."""
