"""Our traces in the readers that people use: TensorBoard's plugin and HTA, and their numbers beside ours."""

import json
import os
import shutil
import subprocess

import pytest

PROGRAM = os.environ["RIDGELINE_PROGRAM"]
DUMP = os.environ["RIDGELINE_TRACE_DUMP"]
TINY = [
    "transformer", "--d-model", "64", "--d-ff", "128", "--num-layers", "2", "--num-heads", "2",
    "--vocab-size", "64", "--context-length", "32", "--batch-size", "2", "--device", "cpu", "--threads", "1",
]


def profile(folder, *flags):
    done = subprocess.run([PROGRAM, "profile", *TINY, "--steps", "4", "--cost-rounds", "0", "--out", str(folder / "prof"), *flags],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The plugin knows a trace by its name.
    trace = folder / "ridgeline.1.pt.trace.json.gz"
    shutil.copy(folder / "prof/trace.json.gz", trace)
    return trace, json.loads((folder / "prof/profile.json").read_text())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("profile"), "--shapes", "--memory")


@pytest.fixture(scope="module")
def constructed(tmp_path_factory):
    """Two steps with six kernels of 300 us and a copy of 100 us, each waiting 50 us for its batch."""
    path = tmp_path_factory.mktemp("constructed") / "gpu.1.pt.trace.json"
    subprocess.run([DUMP, str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def with_waits(tmp_path_factory):
    """The same, and around each kernel a wait of the host for its stream."""
    path = tmp_path_factory.mktemp("waits") / "gpu.1.pt.trace.json"
    subprocess.run([DUMP, str(path), "waits"], check=True)
    return path


@pytest.fixture(scope="module")
def recorded_apart(tmp_path_factory):
    """The same with the device's work in steps of their own, a millisecond of the sample's clock later."""
    path = tmp_path_factory.mktemp("apart") / "gpu.1.pt.trace.json"
    subprocess.run([DUMP, str(path), "apart"], check=True)
    return path


def plugin_reads(path, folder):
    from torch_tb_profiler.profiler.data import RunProfileData
    return RunProfileData.parse("worker", "1", str(path), str(folder))


def hta_reads(path):
    from hta.trace_analysis import TraceAnalysis
    return TraceAnalysis(trace_files={0: str(path)}, include_last_profiler_step=True)


def test_the_plugin_finds_steps_and_ops_with_our_times(recorded, tmp_path):
    trace, ours = recorded
    theirs = plugin_reads(trace, tmp_path)
    assert theirs.steps_names == [str(step["number"]) for step in ours["steps"]]
    for step, costs in zip(ours["steps"], theirs.steps_costs):
        assert costs.costs[-1] == pytest.approx(1e6 * step["total_s"], rel=1e-6)
    found = {op.name: op for op in theirs.op_list_groupby_name}
    rows = [op for op in ours["ops"] if op["name"] in found]
    assert len(rows) > 20
    assert {"aten::mm", "aten::mul", "MmBackward0"} <= {op["name"] for op in rows}
    for op in rows:
        # It takes an op and the only one inside it, of the same name, for one call.
        assert found[op["name"]].calls <= op["calls"], op["name"]
        # A node of the backward is written two nanoseconds shorter than it was.
        near = pytest.approx(1e6 * op["self_s"], rel=1e-6, abs=0.01 + 0.002 * op["calls"])
        assert found[op["name"]].self_host_duration == near, op["name"]


def test_the_plugin_reads_shapes_and_memory(recorded, tmp_path):
    theirs = plugin_reads(recorded[0], tmp_path)
    shapes = {op.input_shape for op in theirs.op_list_groupby_name_input if op.name == "aten::mm"}
    assert any("[64, 64]" in shape for shape in shapes), shapes
    assert theirs.memory_snapshot is not None


def test_the_plugin_finds_kernels(constructed, tmp_path):
    theirs = plugin_reads(constructed, tmp_path)
    assert theirs.has_kernel
    kernels = theirs.kernel_stat
    assert kernels.loc["gemm_kernel<float>", "sum"] == pytest.approx(6 * 300)


def test_the_plugin_finds_the_waits_for_data(constructed, tmp_path):
    from torch_tb_profiler.profiler.event_parser import ProfileRole
    costs = plugin_reads(constructed, tmp_path).steps_costs
    # The copy of 100 us begins 10 us after the first step and covers its wait: the device comes first.
    assert [step.costs[ProfileRole.DataLoader] for step in costs] == pytest.approx([0, 50])


def test_the_plugin_has_a_view_of_modules(recorded, tmp_path):
    from torch_tb_profiler.profiler.module_op import aggegate_module_view
    theirs = plugin_reads(recorded[0], tmp_path)
    found = {}
    def walk(stats):
        for stat in stats:
            found[stat.name] = stat
            walk(stat.children)
    walk(aggegate_module_view(theirs.tid2tree, theirs.events))
    assert {"layers.0", "layers.0.attn", "layers.1"} <= found.keys(), found.keys()
    assert found["layers.0"].occurences == 4, "a forward of each step"
    assert found["layers.0"].host_duration > found["layers.0.attn"].host_duration > 0


def test_the_plugin_is_told_how_kernels_fill_the_gpu(constructed, tmp_path):
    theirs = plugin_reads(constructed, tmp_path)
    assert theirs.kernel_stat.loc["gemm_kernel<float>", "blocks_per_sm"] == pytest.approx(8 / 132, abs=1e-3)
    assert theirs.gpu_metrics_parser.avg_approximated_sm_efficiency_per_device[0] > 0


def test_hta_reads_a_trace_without_a_gpu(recorded):
    trace, ours = recorded
    theirs = hta_reads(trace)
    assert [int(step) for step in theirs.get_profiler_steps()] == [step["number"] for step in ours["steps"]]


def test_hta_sums_kernels_and_joins_them_to_their_launches(constructed):
    theirs = hta_reads(constructed)
    _, kernels = theirs.get_gpu_kernel_breakdown(visualize=False)
    row = kernels[kernels["name"] == "gemm_kernel<float>"].iloc[0]
    assert row["sum (us)"] == 6 * 300
    launches = theirs.get_cuda_kernel_launch_stats(visualize=False)[0]
    assert len(launches) == 6
    assert set(launches["cpu_duration"]) == {50}
    assert set(launches["gpu_duration"]) == {300}
    busy = theirs.get_temporal_breakdown(visualize=False).iloc[0]
    assert busy["compute_time(us)"] == 6 * 300


def test_hta_says_the_same_of_work_that_was_recorded_apart(constructed, recorded_apart):
    together, apart = hta_reads(constructed), hta_reads(recorded_apart)
    for table in (lambda t: t.get_temporal_breakdown(visualize=False),
                  lambda t: t.get_gpu_kernel_breakdown(visualize=False)[1],
                  lambda t: t.get_idle_time_breakdown(ranks=[0], visualize=False)[0],
                  lambda t: t.get_cuda_kernel_launch_stats(visualize=False)[0].drop(columns="correlation")):
        assert table(together).to_numpy().tolist() == table(apart).to_numpy().tolist()


def test_the_plugin_finds_work_that_was_recorded_apart(constructed, recorded_apart, tmp_path):
    together, apart = plugin_reads(constructed, tmp_path), plugin_reads(recorded_apart, tmp_path)
    assert apart.kernel_stat.equals(together.kernel_stat)
    assert len(apart.steps_names) == 2 * len(together.steps_names)


def test_our_own_reader_gives_work_that_was_recorded_apart_to_its_ops(constructed, recorded_apart):
    def device_times(path):
        done = subprocess.run([PROGRAM, "analyze", str(path), "--json", "-"], capture_output=True, text=True, check=True)
        ops = json.loads(done.stdout)["traces"][0]["ops"]
        return {row["name"]: row["self_device_ns"] for row in ops if row["name"].startswith("aten::")}
    assert device_times(recorded_apart) == device_times(constructed)
    assert device_times(constructed)["aten::mm"] == 6 * 300_000


def test_waits_of_the_host_change_nothing_that_hta_says_of_the_device(constructed, with_waits):
    without, waits = hta_reads(constructed), hta_reads(with_waits)
    assert "Stream Sync" in waits.t.symbol_table.get_sym_table()
    for table in (lambda t: t.get_temporal_breakdown(visualize=False),
                  lambda t: t.get_gpu_kernel_breakdown(visualize=False)[1],
                  lambda t: t.get_idle_time_breakdown(ranks=[0], visualize=False)[0],
                  lambda t: t.get_queue_length_summary(ranks=[0]),
                  lambda t: t.get_cuda_kernel_launch_stats(visualize=False)[0]):
        assert table(without).to_numpy().tolist() == table(waits).to_numpy().tolist()


def test_waits_of_the_host_change_nothing_that_the_plugin_says_of_the_device(constructed, with_waits, tmp_path):
    without, waits = plugin_reads(constructed, tmp_path), plugin_reads(with_waits, tmp_path)
    assert without.kernel_stat.equals(waits.kernel_stat)
    assert without.gpu_metrics_parser.gpu_utilization == waits.gpu_metrics_parser.gpu_utilization


def test_our_own_reader_finds_the_waits_and_no_other_work(constructed, with_waits):
    def analysed(path):
        done = subprocess.run([PROGRAM, "analyze", str(path), "--json", "-"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["traces"][0]
    without, waits = analysed(constructed), analysed(with_waits)
    assert without["host_waits"] == []
    assert [(row["kind"], row["count"], row["total_ns"]) for row in waits["host_waits"]] == [("Stream Sync", 6, 6 * 450_000)]
    for part in ("breakdown", "kernels", "copies", "idle", "queues", "launches"):
        assert without[part] == waits[part]
