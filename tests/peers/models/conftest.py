"""Lets the tests import the modules beside them however pytest is started."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
