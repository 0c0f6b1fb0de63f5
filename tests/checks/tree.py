"""What the checks share: the files of the tree, and how a check ends."""

import pathlib
import subprocess
import sys

SKIPPED = 77
CODE = {".h", ".cpp", ".cu", ".cuh"}


def tracked_files(root):
    """Files that git knows or would add; every file where the folder is no repository."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listing.returncode == 0 and (root / ".git").exists():
        files = [root / line for line in listing.stdout.splitlines()]
    else:
        files = sorted(root.rglob("*"))
    return [path for path in files if path.is_file()]


def code_files(root, folder="src"):
    return [path for path in tracked_files(root / folder if not (root / ".git").exists() else root)
            if path.suffix in CODE and (root / folder) in path.parents]


def finish(complaints):
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


def root_argument():
    return pathlib.Path(sys.argv[1]).resolve()
