"""Every header under src and include compiles on its own: it includes what it uses.

A header with a source beside it stands first in that source, which `make tidy` parses without precompiled headers: here only the
order is checked, unless RIDGELINE_ALL_HEADERS is set. The others are compiled alone. Parsing one takes a second whatever the flags,
nearly all of it the standard library. So what has passed is remembered in the cache by its content and that of all it includes of
ours: other checkouts and later runs parse only what is new."""

import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

from tree import code_files, finish, root_argument

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def closure(root, header):
    """The header and all headers of ours that it includes, directly or not."""
    found, todo = {header}, [header]
    while todo:
        for name in INCLUDE.findall(todo.pop().read_text()):
            for path in (root / "src" / name, root / "include" / name):
                if path.is_file() and path not in found:
                    found.add(path)
                    todo.append(path)
    return sorted(found)


def key_of(root, header, surroundings):
    digest = hashlib.sha256(surroundings.encode())
    for path in [header, *closure(root, header)]:
        digest.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def surroundings_of(compiler, include_folders):
    """What else a result depends on: the compiler, and the libraries, whose folders change when one is installed."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    folders = [f"{folder} {os.stat(folder).st_mtime_ns}" for folder in [*include_folders, "/usr/include"] if os.path.isdir(folder)]
    return "\n".join([version, *FLAGS, *folders])


def compile_alone(command, root, passed, header):
    """Compiles a source that holds nothing but the include."""
    if passed.exists():
        return None
    result = subprocess.run([*command, "-x", "c++", "-"], input=f'#include "{header}"\n', capture_output=True, text=True)
    if result.returncode != 0:
        return f"{header.relative_to(root)}: does not compile alone\n{result.stderr}"
    passed.touch()
    return None


def source_of(header):
    """The source that includes it first, when there is one beside it."""
    for suffix in (".cpp", ".cu"):
        if header.with_suffix(suffix).is_file():
            return header.with_suffix(suffix)
    return None


def stands_first(root, header, source):
    first = INCLUDE.search(source.read_text())
    return first is not None and first.group(1) == str(header.relative_to(root / "src"))


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
    late = []
    if not os.environ.get("RIDGELINE_ALL_HEADERS"):
        for header in [path for path in headers if source_of(path)]:
            headers.remove(header)
            if not stands_first(root, header, source_of(header)):
                late.append(f"{source_of(header).relative_to(root)}: its own header is not its first include")
    work.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{root / 'src'}", f"-I{root / 'include'}", *(word for folder in include_folders for word in ("-isystem", folder))]
    command = [compiler, *FLAGS, *includes]
    surroundings = surroundings_of(compiler, include_folders)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda header: compile_alone(command, root, work / key_of(root, header, surroundings), header), headers)
        return late + [result for result in results if result]


if __name__ == "__main__":
    # CMake writes a list of folders as one word with semicolons. /usr/include is searched anyway, and
    # naming it would spoil the order that the compiler's own headers rely on.
    folders = [folder for word in sys.argv[3:] for folder in word.split(";") if folder and folder != "/usr/include"]
    cache = pathlib.Path(os.environ.get("RIDGELINE_CACHE") or pathlib.Path.home() / ".cache" / "ridgeline")
    finish(complaints(root_argument(), sys.argv[2], folders, cache / "headers_alone"))
