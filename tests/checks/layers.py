"""A layer may include only itself and the layers before it."""

import re

from tree import code_files, finish, root_argument

ORDER = ["core", "stats", "trace", "data", "roofline", "report", "engine", "models", "measure", "profile", "train",
         "optimize", "lab", "cli", "cuda"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"/]+)/[^"]*"')


def complaints(root):
    for path in code_files(root):
        layer = path.relative_to(root / "src").parts[0]
        name = path.relative_to(root)
        if layer not in ORDER:
            yield f"{name}: '{layer}' is no layer; tests/checks/layers.py lists them"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = INCLUDE.match(line)
            if not included:
                continue
            if included[1] not in ORDER:
                yield f"{name}:{number}: includes from '{included[1]}', which is no layer"
            elif ORDER.index(included[1]) > ORDER.index(layer):
                yield f"{name}:{number}: layer '{layer}' may not include from '{included[1]}'"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
