#!/usr/bin/env bash
# Makes dist/ridgeline-VERSION-linux-x86_64(.tar.gz): program, engine, plugin, the profiler for other
# programs with its header and CMake package, and the libraries that are neither torch's nor the C
# library's. It runs wherever a Python has torch 2.11.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/release
version=$(sed -n 's/^project(ridgeline VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=ridgeline-$version-linux-x86_64
folder=dist/$name
rm -rf "$folder" "dist/$name.tar.gz"
mkdir -p "$folder/bin" "$folder/lib" "$folder/share"

cp "$build/ridgeline" "$folder/bin/"
cp "$build"/libridgeline_*.so "$folder/lib/"
cmake --install "$build" --prefix "$folder" >/dev/null
cp -r "$build/share/ridgeline" "$folder/share/"
cp LICENSE README.md "$folder/"
[ ! -d "$build/compat" ] || cp -r "$build/compat" "$folder/lib/"
for program in "${@}"; do cp "$program" "$folder/bin/"; done

# What the program itself needs beyond glibc, libstdc++ and libgcc, which every such system has.
ldd "$folder/bin/ridgeline" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' |
  xargs -r -I{} cp -L {} "$folder/lib/"
strip --strip-unneeded "$folder/bin/ridgeline" "$folder"/lib/*.so*
for library in "$folder"/lib/*.so*; do patchelf --set-rpath '$ORIGIN' "$library"; done
patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/ridgeline"

tar -C dist -czf "dist/$name.tar.gz.part" "$name"
mv "dist/$name.tar.gz.part" "dist/$name.tar.gz"
size=$(stat -c %s "dist/$name.tar.gz")
limit=$((60 * 1024 * 1024))
[ "$size" -lt "$limit" ] || { echo "package: $size bytes, over the limit of $limit" >&2; exit 1; }
echo "dist/$name.tar.gz: $((size / 1024)) KiB"
