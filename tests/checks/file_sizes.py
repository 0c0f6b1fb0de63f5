"""No file over half a megabyte: data, weights and packages lie outside the repository, and history keeps them for good."""

from tree import finish, root_argument, tracked_files

MOST_BYTES = 512 * 1024


def complaints(root):
    for path in tracked_files(root):
        size = path.stat().st_size
        if size > MOST_BYTES:
            yield f"{path.relative_to(root)}: {size // 1024} KiB, more than {MOST_BYTES // 1024}"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
