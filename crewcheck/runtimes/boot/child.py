"""The first thing that runs in the user's interpreter: ``child.py SPEC.JSON IN OUT``.

It makes crewcheck's own modules loadable *by their location*, without putting anything of
ours on ``sys.path``: crewcheck need not be installed beside CrewAI, and what is installed
beside crewcheck must not be seen. This file lies in a folder of its own, since Python puts
the folder of a script on ``sys.path``, and in ours ``import crewai`` would find ours.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _register(folder: str) -> None:
    """Make the folder loadable as the package ``crewcheck``."""
    spec = importlib.util.spec_from_file_location(
        "crewcheck",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} is not readable")
    module = importlib.util.module_from_spec(spec)
    sys.modules["crewcheck"] = module
    spec.loader.exec_module(module)


def main() -> int:
    """Set up the process, then hand over to `crewcheck.crewai.runner`."""
    boot = os.path.dirname(os.path.realpath(__file__))
    ours = os.path.dirname(os.path.dirname(boot))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path or os.curdir) != boot]
    try:
        spec_path, fd_in, fd_out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    except (IndexError, ValueError):
        sys.stderr.write("usage: child.py SPEC.JSON IN OUT (started by crewcheck itself)\n")
        return 2
    for descriptor in (fd_in, fd_out):
        os.set_inheritable(descriptor, False)
    _register(ours)
    from crewcheck.crewai.runner import run

    return run(spec_path, fd_in, fd_out)


if __name__ == "__main__":
    sys.exit(main())
