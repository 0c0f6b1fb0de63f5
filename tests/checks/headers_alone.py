"""Every header under src compiles on its own: it includes what it uses."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

from tree import code_files, finish, root_argument

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-c"]


def compile_alone(command, root, work, header):
    """Compiles a source that holds nothing but the include; a file, so that ccache knows it again."""
    name = str(header.relative_to(root / "src"))
    source = work / (name.replace("/", "_") + ".cpp")
    text = f'#include "{name}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    result = subprocess.run([*command, str(source), "-o", str(source.with_suffix(".o"))], capture_output=True, text=True)
    return None if result.returncode == 0 else f"{header.relative_to(root)}: does not compile alone\n{result.stderr}"


def has(header, include_folders):
    return any(os.path.exists(os.path.join(folder, header)) for folder in [*include_folders, "/usr/include"])


def complaints(root, compiler, include_folders, work):
    headers = [path for path in code_files(root) if path.suffix == ".h"]
    if not headers:
        return ["src: no headers found"]
    if not has("cuda_runtime_api.h", include_folders):
        for header in [path for path in headers if "#include <cuda" in path.read_text()]:
            print(f"{header.relative_to(root)}: left out, no CUDA toolkit here")
            headers.remove(header)
    work.mkdir(parents=True, exist_ok=True)
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    includes = [f"-I{root / 'src'}", *(word for folder in include_folders for word in ("-isystem", folder))]
    command = [*launcher, compiler, *FLAGS, *includes]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda header: compile_alone(command, root, work, header), headers)
        return [result for result in results if result]


if __name__ == "__main__":
    # CMake writes a list of folders as one word with semicolons. /usr/include is searched anyway, and
    # naming it would spoil the order that the compiler's own headers rely on.
    folders = [folder for word in sys.argv[4:] for folder in word.split(";") if folder and folder != "/usr/include"]
    finish(complaints(root_argument(), sys.argv[2], folders, pathlib.Path(sys.argv[3])))
