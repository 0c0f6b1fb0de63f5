#!/bin/sh
# Runs a folder's pytest files with the Python that has the real PyTorch.
python="${RIDGELINE_CACHE:-$HOME/.cache/ridgeline}/peers/bin/python"
if [ ! -x "$python" ]; then
  echo "no Python with PyTorch at $python: run 'make test-peers', which installs it" >&2
  exit 1
fi
exec "$python" -m pytest -q -p no:cacheprovider -p no:logging "$1"
