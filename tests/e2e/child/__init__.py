"""The child of a run, driven over its descriptors as the supervisor does it."""
