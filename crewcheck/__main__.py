"""``python -m crewcheck``."""

from crewcheck.cli.main import main

if __name__ == "__main__":
    main()
