"""Every repository path that README.md and ARCHITECTURE.md name in backticks exists."""

import re

from tree import finish, root_argument

DOCUMENTS = ["README.md", "ARCHITECTURE.md"]
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Folders of the repository; a span that begins with one is meant as a path. build/ and runs/ are made.
PATH = re.compile(r"^(?:src|include|tests|docs|cmake|tools|bench|examples|\.ci)(?:/[\w.*{},<>+-]+)*/?$")
# A bare file name counts when its ending is one of ours and it lies at the top.
TOP_FILE = re.compile(r"^(?:[A-Z][A-Z_]+\.md|LICENSE|Makefile|CMakeLists\.txt|CMakePresets\.json|\.clang-(?:format|tidy))$")
PLACEHOLDER = re.compile(r"[<>]|\bNAME\b|\bLAYER\b")


def exists(root, span):
    if any(mark in span for mark in "*{"):
        patterns = [span]
        if brace := re.search(r"\{([^}]*)\}", span):
            patterns = [span.replace(brace[0], choice) for choice in brace[1].split(",")]
        return all(next(root.glob(pattern.rstrip("/")), None) for pattern in patterns)
    return (root / span).exists()


def complaints(root):
    for document in DOCUMENTS:
        path = root / document
        if not path.is_file():
            yield f"{document}: missing"
            continue
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), path.read_text(), flags=re.S | re.M)
        for number, line in enumerate(text.splitlines(), 1):
            for span in CODE_SPAN.findall(line):
                if PLACEHOLDER.search(span) or not (PATH.match(span) or TOP_FILE.match(span)):
                    continue
                if not exists(root, span):
                    yield f"{document}:{number}: `{span}` does not exist"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
