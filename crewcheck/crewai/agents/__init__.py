"""Agents that are asked without a crew: one run is one question and its answer."""
