"""Every header under src and include compiles on its own: it includes what it uses.

A header is parsed again only when it, or something that it includes, changed since it passed."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

from tree import code_files, finish, root_argument

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def is_unchanged(passed, command):
    """Whether all that the last success read is older than its note, which begins with the command."""
    try:
        noted, *needs = passed.read_text().splitlines()
        return noted == command and all(os.path.getmtime(need) < passed.stat().st_mtime for need in needs)
    except (OSError, ValueError):
        return False


def compile_alone(command, root, work, header):
    """Compiles a source that holds nothing but the include."""
    name = str(header.relative_to(root))
    stem = name.replace("/", "_")
    passed, needs = work / (stem + ".passed"), work / (stem + ".d")
    if is_unchanged(passed, " ".join(command)):
        return None
    started = time.time_ns()
    text = f'#include "{header}"\n'
    result = subprocess.run([*command, "-MD", "-MF", str(needs), "-MT", "it", "-x", "c++", "-"], input=text, capture_output=True, text=True)
    if result.returncode != 0:
        return f"{name}: does not compile alone\n{result.stderr}"
    read = [word for word in re.split(r"[\s\\]+", needs.read_text().partition(":")[2]) if word and word != "-"]
    passed.write_text("\n".join([" ".join(command), *read]) + "\n")
    os.utime(passed, ns=(started, started))  # what changed while it was read is newer than this
    return None


def has(header, include_folders):
    return any(os.path.exists(os.path.join(folder, header)) for folder in [*include_folders, "/usr/include"])


def complaints(root, compiler, include_folders, work):
    headers = [path for folder in ("src", "include") for path in code_files(root, folder) if path.suffix == ".h"]
    if not headers:
        return ["src: no headers found"]
    if not has("cuda_runtime_api.h", include_folders):
        for header in [path for path in headers if "#include <cuda" in path.read_text()]:
            print(f"{header.relative_to(root)}: left out, no CUDA toolkit here")
            headers.remove(header)
    work.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{root / 'src'}", f"-I{root / 'include'}", *(word for folder in include_folders for word in ("-isystem", folder))]
    command = [compiler, *FLAGS, *includes]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda header: compile_alone(command, root, work, header), headers)
        return [result for result in results if result]


if __name__ == "__main__":
    # CMake writes a list of folders as one word with semicolons. /usr/include is searched anyway, and
    # naming it would spoil the order that the compiler's own headers rely on.
    folders = [folder for word in sys.argv[4:] for folder in word.split(";") if folder and folder != "/usr/include"]
    finish(complaints(root_argument(), sys.argv[2], folders, pathlib.Path(sys.argv[3])))
