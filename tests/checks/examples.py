"""Every `ridgeline ...` line in the fenced blocks of README.md and docs/*.md is understood by the program.

Each is run with --dry-run in an empty folder. Files that an example takes as given (model.pt,
my_workflow.yaml) are made first, so that only the words of the command are judged."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from tree import finish, root_argument

FENCE = re.compile(r"^(`{3,})\s*(\S*)")
COMMAND = re.compile(r"^\s*(?:\$\s+)?(?:\S*/)?ridgeline\s+(.*)$")
SHELL = {"", "sh", "bash", "console", "shell", "text"}
PRESET = "title: An example\nsteps:\n  - title: Look\n    run: doctor\n"


def command_lines(text):
    """(line number, arguments) of each command; a line that ends in a backslash goes on."""
    fence, shell, joined, start = None, False, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if fence is None:
            if opened := FENCE.match(line):
                fence, shell = opened[1], opened[2] in SHELL
            continue
        if line.startswith(fence):
            fence, joined = None, ""
            continue
        if not shell:
            continue
        start = start if joined else number
        joined += line.rstrip("\\") + " " if line.endswith("\\") else line
        if line.endswith("\\"):
            continue
        if found := COMMAND.match(joined):
            yield start, found[1]
        joined = ""


def arguments_of(command):
    words = shlex.split(command, comments=True)
    for index, word in enumerate(words):
        if word in {"|", ">", ">>", "&&", ";", "2>", "&"}:
            return words[:index]
    return words


def given_files(words, folder):
    for word in words:
        if word.endswith((".pt", ".pt2")):
            (folder / word).parent.mkdir(parents=True, exist_ok=True)
            (folder / word).touch()
        elif word.endswith((".yaml", ".yml")):
            (folder / word).parent.mkdir(parents=True, exist_ok=True)
            (folder / word).write_text(PRESET)


def complaint_about(program, words):
    if any(word in {"--help", "--version"} for word in words):
        extra = []
    else:
        extra = ["--dry-run"]
    with tempfile.TemporaryDirectory(prefix="ridgeline-example-") as name:
        folder = pathlib.Path(name)
        given_files(words, folder)
        result = subprocess.run([program, *words, *extra], cwd=folder, capture_output=True, text=True, timeout=60,
                                env={**os.environ, "RIDGELINE_CACHE": name})
    if result.returncode == 0:
        return None
    return (result.stderr.strip() or f"exit code {result.returncode}").splitlines()[0]


def complaints(root, program):
    readme = root / "README.md"
    if not readme.is_file():
        yield "README.md: missing"
        return
    found = 0
    for path in [readme, *sorted((root / "docs").glob("*.md"))]:
        for number, command in command_lines(path.read_text()):
            found += 1
            if complaint := complaint_about(program, arguments_of(command)):
                yield f"{path.relative_to(root)}:{number}: {complaint}"
    if found == 0:
        yield "README.md: no example found"


if __name__ == "__main__":
    finish(list(complaints(root_argument(), sys.argv[2])))
