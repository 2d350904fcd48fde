"""The start of a supervisor's process, run as a script: leaves its parent, then supervises.

It needs our own package and the standard library, so the interpreter is started without
site-packages; the package is loaded from its folder, whatever is installed elsewhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Become a daemon. What is printed first is ``ready`` or one line that says why not."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    _load_our_package()
    from crewcheck.runtimes.supervisor import supervise

    try:
        supervise(folder, ready=_ready)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        raise


def _ready() -> None:
    """Tell the one who waits for us, and stop talking to them."""
    os.write(1, b"ready\n")
    os.dup2(2, 1)


def _load_our_package() -> None:
    package = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        "crewcheck", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["crewcheck"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
