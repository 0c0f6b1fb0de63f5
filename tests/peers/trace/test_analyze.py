"""Our analysis of real traces beside HolisticTraceAnalysis's, wherever both define a number.

HTA runs without its rounding to microseconds (which shortens every kernel) and on all events (by default it
drops the last step). docs/analyze.md says where the two differ on purpose; each such place is a test here too.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest.mock

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"

import pytest
from hta.analyzers.cuda_kernel_analysis import CudaKernelAnalysis
from hta.common.trace import Trace
from hta.trace_analysis import TraceAnalysis

PROGRAM = os.environ["RIDGELINE_PROGRAM"]
ROOT = pathlib.Path(__file__).parents[3]
TRACES = pathlib.Path(os.environ.get("RIDGELINE_DATA", ROOT / ".." / "shared" / "data")) / "traces"
NAMES = ["a100_nccl", "a100_train", "v100_train", "resnet50_v100_workers0.pt.trace", "resnet50_v100_workers4.pt.trace"]
pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason=f"no {TRACES} here")


def ours_of(name):
    done = subprocess.run([PROGRAM, "analyze", str(TRACES / f"{name}.json.gz"), "--json", "-"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["traces"][0]


def theirs_of(name):
    with unittest.mock.patch.object(Trace, "_filter_irrelevant_gpu_kernels", lambda *_: None):
        return TraceAnalysis(trace_files={0: str(TRACES / f"{name}.json.gz")}, trace_dir="")


@pytest.fixture(scope="module", params=NAMES)
def both(request):
    return ours_of(request.param), theirs_of(request.param)


def us(nanoseconds):
    return nanoseconds / 1000


def about(value):
    # HTA adds doubles near 1e15 µs, whose last bit is an eighth of a microsecond.
    return pytest.approx(value, rel=1e-5, abs=1)


def whole(ours):
    return next(row for row in ours["breakdown"] if row["part"] == "whole trace")


def test_the_breakdown_of_the_devices_time_is_the_same(both):
    ours, theirs = both
    row = whole(ours)
    their = theirs.get_temporal_breakdown(visualize=False).iloc[0]
    assert us(row["span_ns"]) == about(their["kernel_time(us)"])
    assert us(row["idle_ns"]) == about(their["idle_time(us)"])
    assert us(row["compute_ns"]) == about(their["compute_time(us)"])
    assert us(row["span_ns"] - row["idle_ns"] - row["compute_ns"]) == about(their["non_compute_time(us)"])


def test_as_much_communication_is_hidden_behind_compute(both):
    ours, theirs = both
    row = whole(ours)
    if row["communication_ns"] == 0:
        pytest.skip("no communication in it")
    their = theirs.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"]
    assert 100 * row["communication_hidden_ns"] / row["communication_ns"] == pytest.approx(their, abs=0.01)


def test_every_kernel_has_the_same_times(both):
    ours, theirs = both
    _, table = theirs.get_gpu_kernel_breakdown(
        visualize=False, num_kernels=10**9, duration_ratio=1.0, include_memory_kernels=True)
    their = {row["name"]: row for _, row in table.iterrows()}
    assert len(their) == len(ours["kernels"]) > 20
    for row in ours["kernels"]:
        assert us(row["total_ns"]) == about(their[row["name"]]["sum (us)"])
        assert us(row["mean_ns"]) == about(their[row["name"]]["mean (us)"])
        assert us(row["min_ns"]) == about(their[row["name"]]["min (us)"])
        assert us(row["max_ns"]) == about(their[row["name"]]["max (us)"])


def negative_gaps(theirs, stream):
    """Work of one stream that overlaps, as timers of whole microseconds make it: HTA subtracts it from idle time."""
    table = theirs.t.traces[0]
    work = table[table["stream"].eq(stream)].sort_values("ts")
    gaps = work["ts"] - (work["ts"] + work["dur"]).shift(1)
    return gaps[gaps < 0].sum()


def test_idle_time_has_the_same_causes_on_every_stream(both):
    ours, theirs = both
    table, _ = theirs.get_idle_time_breakdown(ranks=[0], visualize=False)
    their = {(int(row["stream"]), row["idle_category"]): row["idle_time"] for _, row in table.iterrows()}
    assert {stream for stream, _ in their} == {row["stream"] for row in ours["idle"]}
    for row in ours["idle"]:
        for cause in ("host_wait", "kernel_wait", "other"):
            expected = their.get((row["stream"], cause), 0)
            if cause == "kernel_wait":
                expected -= negative_gaps(theirs, row["stream"])
            assert us(row[f"{cause}_ns"]) == pytest.approx(expected, rel=1e-4, abs=2)


def graph_calls(ours):
    return sum(row["calls"] for row in ours["ops"] if row["name"] == "cudaGraphLaunch" and row["device_ns"] > 0)


def test_queues_are_as_long(both):
    ours, theirs = both
    table = theirs.get_queue_length_summary(ranks=[0])["queue_length"]
    # HTA leaves out what CUDA graphs launched: one change at the launch, one at the start.
    in_graphs = ours["launches"]["launched"] - ours["launches"]["calls"] + graph_calls(ours)
    assert sum(row["changes"] for row in ours["queues"]) - table["count"].sum() == 2 * in_graphs
    for row in ours["queues"]:
        their = table.loc[(0, row["stream"])]
        if row["changes"] == their["count"]:
            assert row["longest"] == pytest.approx(their["max"], abs=1)
            assert row["mean_at_changes"] == pytest.approx(their["mean"], rel=0.01, abs=0.01)


def test_launches_have_the_same_statistics(both):
    ours, theirs = both
    table = CudaKernelAnalysis.cuda_kernel_launch_stats(theirs.t, ranks=[0], visualize=False)[0]
    stats, graphs = ours["launches"], graph_calls(ours)
    assert stats["calls"] == len(table) + graphs
    assert stats["short_kernels"] == pytest.approx((table.gpu_duration < table.cpu_duration).sum(), abs=2)
    assert stats["long_calls"] == pytest.approx((table.cpu_duration > 50).sum(), abs=2 + graphs)
    assert stats["delayed"] == pytest.approx((table.launch_delay > 100).sum(), abs=2 + graphs)
    if graphs == 0:
        assert us(stats["call_ns"]) == about(table.cpu_duration.sum())


def test_hta_takes_waits_of_the_host_for_work_of_the_device():
    ours, theirs = whole(ours_of("a100_alexnet")), theirs_of("a100_alexnet")
    their = theirs.get_temporal_breakdown(visualize=False).iloc[0]
    assert their["kernel_time(us)"] - us(ours["span_ns"]) > 70_000
    # Without its cuda_sync rows HTA agrees.
    table = theirs.t.traces[0]
    names = theirs.t.symbol_table.get_sym_table()
    theirs.t.traces[0] = table[[names[cat] != "cuda_sync" for cat in table["cat"]]]
    their = theirs.get_temporal_breakdown(visualize=False).iloc[0]
    assert us(ours["span_ns"]) == about(their["kernel_time(us)"])
    assert us(ours["idle_ns"]) == about(their["idle_time(us)"])
    assert us(ours["compute_ns"]) == about(their["compute_time(us)"])


def test_hta_does_not_know_the_launches_of_amd():
    theirs = CudaKernelAnalysis.cuda_kernel_launch_stats(theirs_of("mi250").t, ranks=[0], visualize=False)[0]
    assert len(theirs) == 0
    assert ours_of("mi250")["launches"]["calls"] == 16


def test_htas_rounding_shortens_every_kernel():
    script = ("from hta.trace_analysis import TraceAnalysis; import sys\n"
              "from hta.common.trace import Trace\n"
              "Trace._filter_irrelevant_gpu_kernels = lambda *_: None\n"
              "table = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir='').t.traces[0]\n"
              "print('sum', table[table.stream.ne(-1)].dur.sum())")
    environment = {key: value for key, value in os.environ.items() if key != "HTA_DISABLE_NS_ROUNDING"}
    done = subprocess.run([sys.executable, "-c", script, str(TRACES / "a100_nccl.json.gz")],
                          capture_output=True, text=True, env=environment, check=True)
    rounded = float(done.stdout.split("sum ")[-1])
    exact = us(sum(row["total_ns"] for row in ours_of("a100_nccl")["kernels"]))
    assert exact == pytest.approx(165185.838, abs=0.001)
    assert rounded == 161435
