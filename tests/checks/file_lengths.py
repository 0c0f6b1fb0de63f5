"""No source file over 400 lines: a longer one holds more than one concept."""

from tree import CODE, finish, root_argument, tracked_files

MOST_LINES = 400


def complaints(root):
    for path in tracked_files(root):
        if path.suffix not in CODE | {".py", ".sh", ".cmake"}:
            continue
        lines = len(path.read_bytes().splitlines())
        if lines > MOST_LINES:
            yield f"{path.relative_to(root)}: {lines} lines, more than {MOST_LINES}"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
