"""The log our writer makes, read by TensorBoard itself."""

import math
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest
from google.protobuf import json_format
from tensorboard.backend.event_processing import data_provider, event_accumulator, plugin_event_multiplexer
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import event_pb2
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from tensorboard.context import RequestContext
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, get_experiment, list_session_groups
from tensorboard.util import tensor_util

EVENT_DUMP = os.environ["RIDGELINE_EVENT_DUMP"]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("log") / "run"
    done = subprocess.run([EVENT_DUMP, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


@pytest.fixture(scope="module")
def accumulator(log):
    found = event_accumulator.EventAccumulator(str(log.parent), size_guidance={"scalars": 0, "tensors": 0})
    return found.Reload()


def test_scalars_come_back_exactly(accumulator):
    losses = accumulator.Scalars("train/loss")
    assert [event.step for event in losses] == [step * 10 for step in range(50)]
    assert [event.value for event in losses] == [float(np.float32(2.0 / (step + 1))) for step in range(50)]
    times = [event.wall_time for event in losses]
    assert times[0] > 1700000000 and all(b - a == 0.125 for a, b in zip(times, times[1:]))
    assert accumulator.Scalars("test/accuracy")[0].value == float(np.float32(0.9173))
    odd = accumulator.Scalars("odd/values")
    assert [event.step for event in odd] == [-5, 1 << 40]
    assert math.isnan(odd[0].value) and odd[1].value == math.inf
    assert set(accumulator.Tags()["scalars"]) == {"train/loss", "test/accuracy", "odd/values"}


def test_text_belongs_to_the_text_plugin(accumulator):
    event = accumulator.Tensors("summary")[0]
    assert event.step == 3
    text = tensor_util.make_ndarray(event.tensor_proto)
    assert text.shape == ()
    assert text.item().decode() == "**bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert "summary" in accumulator.PluginTagToContent("text")


def test_records_carry_tensorflows_checksums(log):
    bytes_left = log.read_bytes()
    events = []
    while bytes_left:
        length, = struct.unpack_from("<Q", bytes_left)
        data = bytes_left[12:12 + length]
        assert struct.unpack_from("<I", bytes_left, 8)[0] == masked_crc32c(bytes_left[:8])
        assert struct.unpack_from("<I", bytes_left, 12 + length)[0] == masked_crc32c(data)
        events.append(event_pb2.Event.FromString(data))
        bytes_left = bytes_left[16 + length:]
    assert events[0].file_version == "brain.Event:2"
    assert len(events) == 1 + 2 + 50 + 1 + 2 + 1 + 1
    assert all(not event.HasField("file_version") for event in events[1:])


def test_tensorboard_reads_every_record_and_stops_at_a_damaged_one(log, tmp_path):
    assert len(list(RawEventFileLoader(str(log)).Load())) == 58
    damaged = bytearray(log.read_bytes())
    first_length, = struct.unpack_from("<Q", damaged)
    damaged[16 + first_length + 12] ^= 1  # the first data byte of the second record
    path = tmp_path / log.name
    path.write_bytes(damaged)
    assert len(list(RawEventFileLoader(str(path)).Load())) == 1


@pytest.fixture(scope="module")
def hparams(log):
    multiplexer = plugin_event_multiplexer.EventMultiplexer()
    multiplexer.AddRunsFromDirectory(str(log.parent.parent))
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, str(log.parent.parent))
    return backend_context.Context(base_plugin.TBContext(data_provider=provider))


def test_the_hparams_plugin_knows_the_experiment(hparams):
    request = api_pb2.GetExperimentRequest()
    context = RequestContext()
    experiment = get_experiment.Handler(context, hparams, "", request).run()
    types = {info.name: info.type for info in experiment.hparam_infos}
    assert types == {"lr": api_pb2.DATA_TYPE_FLOAT64, "batch_size": api_pb2.DATA_TYPE_FLOAT64,
                     "amp": api_pb2.DATA_TYPE_BOOL, "nesterov": api_pb2.DATA_TYPE_BOOL,
                     "clip": api_pb2.DATA_TYPE_STRING, "model": api_pb2.DATA_TYPE_STRING}
    assert {info.name.tag for info in experiment.metric_infos} == {"train/loss", "test/accuracy"}


def test_the_hparams_plugin_shows_the_session_with_its_metrics(hparams):
    context = RequestContext()
    experiment = hparams.experiment_from_metadata(
        context, "", True, hparams.hparams_metadata(context, ""), [])
    request = api_pb2.ListSessionGroupsRequest(
        start_index=0, slice_size=10,
        allowed_statuses=[api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE, api_pb2.STATUS_RUNNING])
    for info in experiment.metric_infos:
        request.col_params.add(metric=info.name)
    response = list_session_groups.Handler(context, hparams, "", request).run()
    assert len(response.session_groups) == 1
    group = response.session_groups[0]
    assert group.hparams["lr"].number_value == 0.1
    assert group.hparams["batch_size"].number_value == 128
    assert group.hparams["amp"].bool_value is True
    assert group.hparams["nesterov"].bool_value is False
    assert group.hparams["model"].string_value == "resnet18 \ufffd µ"
    assert group.hparams["clip"].string_value == "inf"
    json_format.MessageToJson(response)  # as the plugin answers the browser
    metrics = {value.name.tag: value.value for value in group.metric_values}
    assert metrics == {"test/accuracy": float(np.float32(0.9173)), "train/loss": float(np.float32(0.04))}
    assert group.sessions[0].status == api_pb2.STATUS_SUCCESS
    assert group.sessions[0].end_time_secs > group.sessions[0].start_time_secs > 1700000000
