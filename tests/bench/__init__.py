"""How fast crewcheck is, against CrewAI's own commands or a floor: ``make bench``."""
