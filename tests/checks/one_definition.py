"""A type name of namespace ridgeline is defined in one file alone.

Two structs of one name in two files break the one-definition rule: it compiles, links, and then a
vector of the one is destroyed as a vector of the other. Anonymous namespaces keep theirs apart."""

import re

from tree import code_files, finish, root_argument

# Comments, strings (raw ones too) and characters: what is in them is no code.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[[^\]]*\]\]\s*|alignas\s*\([^)]*\)\s*)*(\w+)\s*(?:final\s*)?(?:$|:[^:])")
NAMESPACE = re.compile(r"\b(?:inline\s+)?namespace\s*(?:\[\[[^\]]*\]\]\s*)?([\w:]*)\s*$")


def blanked(text):
    keep_lines = lambda found: "\n" * found[0].count("\n") or " "
    return PREPROCESSOR.sub(keep_lines, NO_CODE.sub(keep_lines, text))


def definitions(text):
    """(line number, qualified name) of every type that is defined at namespace scope and visible to other files."""
    text = blanked(text)
    scopes, start = [], 0
    for mark in re.finditer(r"[{};]", text):
        before = text[start:mark.start()]
        start = mark.end()
        if mark[0] == ";":
            continue
        if mark[0] == "}":
            if scopes:
                scopes.pop()
            continue
        namespace = NAMESPACE.search(before)
        if namespace:
            scopes.append(namespace[1] or None)
            continue
        if "" not in scopes and None not in scopes:
            # A specialisation (`struct Of<int>`) or a member's type (`struct A::B`) is no second definition of the name.
            if (found := TYPE.search(before.rstrip())) and "(" not in before[:found.start()]:
                line = text.count("\n", 0, mark.start() - len(before) + found.start(1)) + 1
                yield line, "::".join([*scopes, found[1]])
        scopes.append("")  # a body: what it holds is not at namespace scope


def complaints(root):
    first = {}
    for path in [*code_files(root), *code_files(root, "include")]:
        name = path.relative_to(root)
        for line, kind in definitions(path.read_text()):
            other = first.setdefault(kind, (name, line))
            if other[0] != name:
                yield f"{name}:{line}: '{kind}' is defined in {other[0]}:{other[1]} too; rename one or put it into an anonymous namespace"


if __name__ == "__main__":
    finish(list(complaints(root_argument())))
