"""What runs beside CrewAI, in the user's own interpreter.

Nothing here is imported by crewcheck's own process. Stdlib and CrewAI only, Python 3.10.
"""
