#!/usr/bin/env bash
# Installs what the build and the tests need and is missing; a second run installs nothing and needs
# no network. `setup.sh base` serves `make run` and `make test`, `setup.sh peers` adds the Python side
# that `make test-peers` compares with.
set -euo pipefail

cache=${RIDGELINE_CACHE:-$HOME/.cache/ridgeline}
packages=(g++ make git ccache python3-venv libcli11-dev libfmt-dev nlohmann-json3-dev libyaml-cpp-dev
  libcurl4-openssl-dev libjpeg62-turbo-dev libpng-dev zlib1g-dev libsqlite3-dev libgtest-dev libgmock-dev libbenchmark-dev
  libtcmalloc-minimal4 gnuplot-nox fonts-dejavu-core patchelf clang-format clang-tidy)
torch_version=2.11.0
tools=('cmake>=4,<5' 'ninja' 'plotly==6.9.0' 'nvidia-nvml-dev==13.0.87')
light=("torch==$torch_version" 'nvidia-cuda-runtime==13.0.96' 'nvidia-cuda-cupti==13.0.85')
peers=("torch==$torch_version" 'torchvision==0.26.0' 'numpy>=2,<3' 'pytest>=8,<9' 'jsonschema>=4,<5'
  'tensorboard>=2.20,<3' 'safetensors>=0.5,<1' 'pandas>=2,<3' 'plotly==6.9.0' 'networkx>=3,<4' 'pydot>=3,<5' 'psutil>=6' 'pyyaml>=6,<7' 'duckdb-cli>=1.3,<2')
# Readers of traces, without what they want for notebooks.
trace_readers=('torch-tb-profiler==0.4.3' 'HolisticTraceAnalysis==0.5.0')

fail() { echo "setup: $*" >&2; exit 1; }

install_packages() {
  command -v dpkg-query >/dev/null || { echo "setup: not a Debian system; these must be there: ${packages[*]}"; return; }
  local missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || fail "packages missing; run: sudo apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || fail "no package lists (no network?); missing: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

# install_python FOLDER STAMP pip-arguments...: done once for these arguments.
install_python() {
  local folder=$1 stamp; shift
  stamp=$folder/.ridgeline-$(printf '%s\n' "$@" | sha256sum | cut -c1-16)
  [ -e "$stamp" ] && return
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder" || fail "python3 -m venv failed (apt-get install python3-venv)"
  echo "setup: installing $* into $folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" || fail "pip could not install: $*"
  touch "$stamp"
}

# Two checkouts share the cache; the two environments in it do not wait for each other.
mkdir -p "$cache"
exec 9>"$cache/.lock-${1:-base}"
flock 9

case ${1:-base} in
  base)
    install_packages
    install_python "$cache/python" "${tools[@]}"
    if [ -n "${RIDGELINE_LIBTORCH:-}" ]; then
      [ -e "$RIDGELINE_LIBTORCH/lib/libtorch_cpu.so" ] || fail "RIDGELINE_LIBTORCH=$RIDGELINE_LIBTORCH: no lib/libtorch_cpu.so there"
    elif command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
      install_python "$cache/python" "torch==$torch_version"
    else
      install_python "$cache/python" --no-deps "${light[@]}"
    fi ;;
  peers)
    install_python "$cache/peers" "${peers[@]}"
    install_python "$cache/peers" --no-deps "${trace_readers[@]}" ;;
  *) fail "usage: setup.sh base|peers" ;;
esac
