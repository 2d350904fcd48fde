"""Resuming flows: finished calls of methods answer from the recording."""
