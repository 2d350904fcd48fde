"""A small CrewAI project, its model server, and a store of its runs, for `crewcheck demo`."""
