"""No file names a place that exists on one machine alone: home folders, scratch folders."""

import re

from tree import finish, root_argument, tracked_files

# Spelled in parts, so that this file does not find itself.
PLACES = ["/" + "home/", "/" + "root/", "/" + "work/", "/" + "Users/", "/" + "tmp/", "/" + "mnt/"]
MACHINE_PATH = re.compile(r"(?<![\w.$}~/-])(?:" + "|".join(re.escape(place) for place in PLACES) + r")[\w./-]*\w")
# Text in which such a path is data, not a place: recorded traces and golden files.
DATA_FOLDERS = {"golden", "data"}


def complaints(root):
    for path in tracked_files(root):
        name = path.relative_to(root)
        if DATA_FOLDERS & set(name.parts) and "tests" in name.parts:
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if found := MACHINE_PATH.search(line):
                yield f"{name}:{number}: '{found[0]}' exists on one machine alone"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
