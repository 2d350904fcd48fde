"""An environment that looks as if crewai were in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def make_python(folder: Path) -> Path:
    """An environment that says that it has crewai."""
    base = os.path.realpath(sys.executable)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = folder / "lib" / version / "site-packages"
    (packages / "crewai-9.9.dist-info").mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(base)}\n")
    return folder
