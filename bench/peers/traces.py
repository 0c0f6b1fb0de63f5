"""How fast a trace is read and analysed, beside HolisticTraceAnalysis on the same file in the same run.

    traces.py BUILD_FOLDER [MEGABYTES] [ROUNDS]

Run by a Python that has HTA (the peers' environment). Rounds are interleaved: ours, theirs, ours, theirs. Both
read the file and make a breakdown, a kernel table and idle causes; CPU time counts, so that a busy machine harms
neither. Peak memory is the process's own.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

THEIRS = """
import sys
from hta.trace_analysis import TraceAnalysis
trace = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
trace.get_temporal_breakdown(visualize=False)
trace.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True)
trace.get_idle_time_breakdown(ranks=[0], visualize=False)
"""


def timed(command):
    """Wall and CPU seconds of a child, and the largest memory of any child so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return {"wall_s": wall, "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "peak_mb": after.ru_maxrss * 1024 / 1e6}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 200
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "made.json"
        subprocess.run([build / "bench/make_trace", trace, str(megabytes)], check=True)
        size = trace.stat().st_size / 1e6
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(timed([build / "ridgeline", "analyze", trace]))
            theirs.append(timed([sys.executable, "-c", THEIRS, trace]))
    mid = lambda rows, key: statistics.median(row[key] for row in rows)
    report = {
        "file_mb": size, "rounds": rounds,
        "ridgeline": {key: mid(ours, key) for key in ("wall_s", "cpu_s")} | {"peak_mb": ours[0]["peak_mb"]},
        "hta": {key: mid(theirs, key) for key in ("wall_s", "cpu_s")} | {"peak_mb": theirs[-1]["peak_mb"]},
        "cpu_ratio": mid(theirs, "cpu_s") / mid(ours, "cpu_s"),
        "wall_ratio": mid(theirs, "wall_s") / mid(ours, "wall_s"),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
