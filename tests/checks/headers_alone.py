"""Every header under src compiles on its own: it includes what it uses."""

import concurrent.futures
import os
import subprocess
import sys

from tree import code_files, finish, root_argument

FLAGS = ["-std=c++20", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Werror"]


def compile_alone(compiler, root, include_folders, header):
    includes = [f"-I{root / 'src'}", *(word for folder in include_folders for word in ("-isystem", folder))]
    # Through standard input: given as a file, a header's `#pragma once` is a warning.
    result = subprocess.run([compiler, *FLAGS, *includes, "-"], input=f'#include "{header.relative_to(root / "src")}"\n',
                            capture_output=True, text=True)
    return None if result.returncode == 0 else f"{header.relative_to(root)}: does not compile alone\n{result.stderr}"


def has(header, include_folders):
    return any(os.path.exists(os.path.join(folder, header)) for folder in [*include_folders, "/usr/include"])


def needs_toolkit(header):
    return "#include <cuda" in header.read_text()


def complaints(root, compiler, include_folders):
    headers = [path for path in code_files(root) if path.suffix == ".h"]
    if not headers:
        return ["src: no headers found"]
    if not has("cuda_runtime_api.h", include_folders):
        for header in [path for path in headers if needs_toolkit(path)]:
            print(f"{header.relative_to(root)}: left out, no CUDA toolkit here")
            headers.remove(header)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda header: compile_alone(compiler, root, include_folders, header), headers)
        return [result for result in results if result]


if __name__ == "__main__":
    folders = [folder for folder in sys.argv[3].split(":") if folder and folder != "/usr/include"]
    finish(complaints(root_argument(), sys.argv[2], folders))
