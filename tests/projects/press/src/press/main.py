# mypy: ignore-errors
"""How a generated project is started."""

from press.crew import Press


def run():
    Press().crew().kickoff(inputs={"topic": "salt", "year": 2031})


if __name__ == "__main__":
    run()
