"""The floor of a listing: names, sizes and times of a folder, from one process.

python names_only.py FOLDER
"""

import os
import sys


def main(root: str) -> None:
    lines = []
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".json"):
                    status = entry.stat()
                    lines.append(f"{entry.name}\t{status.st_size}\t{status.st_mtime_ns}\n")
                elif entry.is_dir():
                    folders.append(entry.path)
    lines.sort(reverse=True)
    sys.stdout.write("".join(lines))


main(sys.argv[1])
