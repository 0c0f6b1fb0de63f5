"""Tables of text as data sets come: Parquet that DuckDB itself wrote."""

import json
import os
import subprocess
import sys

DATA_TOOL = os.environ["RIDGELINE_DATA_TOOL"]
PROGRAMS = os.path.dirname(sys.executable)
QUERY = """COPY (SELECT * FROM (VALUES
  ('card "lost", again', 12), (E'two\\nlines', 3), (NULL, NULL), ('Straße 5 €', 0)) t(text, label))
  TO '{}' (FORMAT parquet)"""


def table(path, programs=PROGRAMS):
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
    return subprocess.run([DATA_TOOL, "table", str(path)], capture_output=True, text=True, env=environment)


def test_parquet_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "it's.parquet"
    subprocess.run([f"{PROGRAMS}/duckdb", "-c", QUERY.format(str(path).replace("'", "''"))], check=True)
    done = table(path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "header": ["text", "label"],
        "rows": [['card "lost", again', "12"], ["two\nlines", "3"], ["", ""], ["Straße 5 €", "0"]]}


def test_half_a_parquet_file_is_one_line(tmp_path):
    path = tmp_path / "x.parquet"
    subprocess.run([f"{PROGRAMS}/duckdb", "-c", QUERY.format(path)], check=True)
    path.write_bytes(path.read_bytes()[:-20])
    done = table(path)
    assert done.returncode == 1
    assert "x.parquet" in done.stderr and done.stderr.count("\n") == 1, done.stderr
