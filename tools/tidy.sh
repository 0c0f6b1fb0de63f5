#!/usr/bin/env bash
# clang-tidy over everything that includes no torch header (those take minutes a file and their
# warnings are torch's).
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files 'src/*.cpp' | xargs grep -LE '<(ATen|c10|torch|caffe2)/' |
  grep -v '^src/cuda/' | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet \
  --extra-arg=-Wno-unknown-warning-option  # GCC has warnings of its own
