"""Each check finds a violation made for it, and accepts the same tree without one."""

import os
import pathlib
import stat
import sys
import tempfile
import unittest

import examples
import file_lengths
import file_sizes
import headers_alone
import layers
import machine_paths
import named_paths
import one_definition
import torch_headers

COMPILER = sys.argv.pop(1)


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ridgeline-check-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.put("src/core/units.h", "#pragma once\nstruct Bytes { double count; };\n")
        self.put("src/stats/summary.h", '#pragma once\n#include "core/units.h"\nBytes sum(Bytes a);\n')
        self.put("README.md", "See `src/core/units.h`.\n\n```sh\nridgeline doctor\n```\n")
        self.put("ARCHITECTURE.md", "The layers are `src/core` and `src/stats/`.\n")

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def assert_finds(self, complaints, *words):
        found = list(complaints)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_layers(self):
        self.assertEqual(list(layers.complaints(self.root)), [])
        self.put("src/core/bad.cpp", 'int x;\n#include "stats/summary.h"\n')
        self.assert_finds(layers.complaints(self.root), "src/core/bad.cpp:2", "'stats'")

    def test_layers_know_every_folder(self):
        self.put("src/misc/helper.h", "#pragma once\n")
        self.assert_finds(layers.complaints(self.root), "'misc' is no layer")

    def test_layers_do_not_mind_system_headers_and_deeper_folders(self):
        self.put("src/cuda/kernels/k.cu", '#include <vector>\n#include "cuda/kernels/k.h"\n#include "engine/ops.h"\n')
        self.assertEqual(list(layers.complaints(self.root)), [])

    def test_torch_headers(self):
        self.put("src/engine/step.cpp", "#include <ATen/Functions.h>\n")
        self.assertEqual(list(torch_headers.complaints(self.root)), [])
        for line in ("#include <ATen/Functions.h>", '#  include "c10/core/Device.h"', "#include <torch/torch.h>"):
            self.put("src/engine/step.h", f"#pragma once\n{line}\n")
            self.assert_finds(torch_headers.complaints(self.root), "src/engine/step.h:2")
        self.put("src/engine/step.h", "#pragma once\n")
        self.put("include/ridgeline/step.h", "#include <ATen/ATen.h>\n")
        self.assert_finds(torch_headers.complaints(self.root), "include/ridgeline/step.h:1")

    def test_file_lengths(self):
        self.put("src/core/long.cpp", "int x;\n" * 400)
        self.assertEqual(list(file_lengths.complaints(self.root)), [])
        self.put("src/core/long.cpp", "int x;\n" * 401)
        self.assert_finds(file_lengths.complaints(self.root), "src/core/long.cpp", "401 lines")

    def test_file_sizes(self):
        self.put("docs/images/picture.png", "x" * 512 * 1024)
        self.assertEqual(list(file_sizes.complaints(self.root)), [])
        self.put("package.whl", "x" * (513 * 1024))
        self.assert_finds(file_sizes.complaints(self.root), "package.whl", "513 KiB")

    def test_one_definition(self):
        self.put("src/core/a.h", "#pragma once\nnamespace ridgeline {\nstruct Part {\n  int x;\n};\n}\n")
        for kind in ("struct Part", "class Part final : public Bytes", "enum class Part : int", "struct [[nodiscard]] Part"):
            self.put("src/stats/b.cpp", f"namespace ridgeline {{\nint f() {{ return 1; }}\n{kind} {{}};\n}}\n")
            self.assert_finds(one_definition.complaints(self.root), "src/stats/b.cpp:3", "'ridgeline::Part'", "src/core/a.h:3")

    def test_one_definition_knows_the_public_headers(self):
        self.put("include/ridgeline/a.h", "namespace ridgeline {\nstruct Part {};\n}\n")
        self.put("src/stats/b.cpp", "namespace ridgeline {\nstruct Part {};\n}\n")
        self.assert_finds(one_definition.complaints(self.root), "include/ridgeline/a.h:2", "'ridgeline::Part'")

    def test_one_definition_minds_only_what_other_files_can_see(self):
        self.put("src/core/a.h", "namespace ridgeline {\nstruct Part {};\nstruct Whole { struct Piece {}; };\n}\n")
        self.put("src/stats/b.cpp", """namespace ridgeline {
namespace {
struct Part {};
struct Piece {};
}  // namespace
struct Part;  // declared
template <> struct Maker<int> {};
struct Other { struct Piece { int x = '{'; }; };
int f(struct Part* part) { struct Whole { int y; } inner{}; return inner.y; }
const char* text = "struct Part {";  // struct Whole {
#define BROKEN struct Whole {
}
namespace elsewhere { struct Part {}; }
""")
        self.assertEqual(list(one_definition.complaints(self.root)), [])

    def test_machine_paths(self):
        self.put("tools/a.sh", "cd ~/.cache && ls $HOME/root/x usr/home/y /usr/local/cuda /dev/full\n")
        self.assertEqual(list(machine_paths.complaints(self.root)), [])
        for place in ("/home" + "/ann/x", "/root" + "/.cache", "/work" + "/main", "/tmp" + "/x"):
            self.put("docs/b.md", f"first\nit lies in {place}, there\n")
            self.assert_finds(machine_paths.complaints(self.root), "docs/b.md:2", place)

    def test_named_paths(self):
        self.assertEqual(list(named_paths.complaints(self.root)), [])
        self.put("ARCHITECTURE.md", "Fine: `src/*/summary.h`, `src/{core,stats}`, `src/<layer>/x.h`, `build/release`.\n")
        self.assertEqual(list(named_paths.complaints(self.root)), [])
        for span in ("src/core/gone.h", "docs/gone.md", "CONTRIBUTING.md", "src/*/gone.h", "src/{core,gone}"):
            self.put("ARCHITECTURE.md", f"\nSee `{span}`.\n")
            self.assert_finds(named_paths.complaints(self.root), "ARCHITECTURE.md:2", span)

    def test_named_paths_want_their_documents(self):
        (self.root / "README.md").unlink()
        self.assert_finds(named_paths.complaints(self.root), "README.md: missing")

    def fake_program(self):
        """Understands `doctor`, `bench FILE` where FILE exists, and nothing else."""
        path = self.put("program", "#!/bin/sh\ncase \"$1\" in doctor) exit 0;; bench) test -e \"$2\";; *) "
                                   "echo \"ridgeline: unknown command $1\" >&2; exit 2;; esac\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return os.fspath(path)

    def test_examples(self):
        program = self.fake_program()
        self.assertEqual(list(examples.complaints(self.root, program)), [])
        self.put("docs/use.md", "```\n$ ridgeline doctor | tee x  # look\nridgeline bench model.pt \\\n  --input 1\n```\n"
                                "ridgeline outside\n```cpp\nridgeline inside\n```\n")
        self.assertEqual(list(examples.complaints(self.root, program)), [])
        self.put("docs/use.md", "text\n```sh\nbuild/release/ridgeline dokter\n```\n")
        self.assert_finds(examples.complaints(self.root, program), "docs/use.md:3", "unknown command dokter")

    def test_examples_want_at_least_one(self):
        self.put("README.md", "nothing here\n")
        self.assert_finds(examples.complaints(self.root, self.fake_program()), "no example")

    def test_headers_alone(self):
        self.assertEqual(list(headers_alone.complaints(self.root, COMPILER, [], self.root / "work")), [])
        self.put("src/stats/bad.h", "#pragma once\nstd::string name();\n")
        self.assert_finds(headers_alone.complaints(self.root, COMPILER, [], self.root / "work"), "src/stats/bad.h: does not compile alone")

    def test_headers_alone_parse_again_what_changed(self):
        work = self.root / "work"
        self.assertEqual(list(headers_alone.complaints(self.root, COMPILER, [], work)), [])
        self.assertEqual(len(list(work.iterdir())), 2)
        self.assertEqual(list(headers_alone.complaints(self.root, "/bin/false", [], work))[0].count("does not compile"), 1)
        self.assertEqual(list(headers_alone.complaints(self.root, COMPILER, [], work)), [])
        self.assertEqual(len(list(work.iterdir())), 2)
        self.put("src/core/units.h", "#pragma once\nstruct Other {};\n")
        self.assert_finds(headers_alone.complaints(self.root, COMPILER, [], work), "src/stats/summary.h: does not compile alone")

    def test_headers_alone_looks_at_the_public_ones(self):
        self.put("include/ridgeline/bad.h", "#pragma once\nstd::string name();\n")
        self.assert_finds(headers_alone.complaints(self.root, COMPILER, [], self.root / "work"), "include/ridgeline/bad.h")

    def test_headers_alone_without_a_toolkit_leaves_cudas_out(self):
        self.put("src/cuda/kernels/k.h", "#pragma once\n#include <cuda_runtime_api.h>\n")
        self.assertEqual(list(headers_alone.complaints(self.root, COMPILER, [], self.root / "work")), [])


if __name__ == "__main__":
    unittest.main()
