"""Torch's headers cost seconds a file, so they are included in sources alone, never in a header."""

import re

from tree import code_files, finish, root_argument

TORCH = re.compile(r'^\s*#\s*include\s*[<"]((?:ATen|c10|torch|caffe2)/[^>"]*)[>"]')


def complaints(root):
    for path in [*code_files(root), *code_files(root, "include")]:
        if path.suffix not in {".h", ".cuh"}:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if included := TORCH.match(line):
                yield f"{path.relative_to(root)}:{number}: a header includes {included[1]}; declare what it needs instead"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
