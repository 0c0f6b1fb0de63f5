"""What viewers demand of our files: Perfetto (whose program is not on PyPI, so its rules are checked, not itself), chrome://tracing and
speedscope."""

import collections
import decimal
import gzip
import json

import jsonschema
import pytest

from test_trace import constructed, profile, recorded, recorded_apart  # noqa: F401  (fixtures)

# speedscope's published format, as far as it concerns a profile of events.
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
EVENT = {"type": "object", "required": ["type", "frame", "at"],
         "properties": {"type": {"enum": ["O", "C"]}, "frame": {"type": "integer", "minimum": 0}, "at": NUMBER}}
PROFILE = {"type": "object", "required": ["type", "name", "unit", "startValue", "endValue", "events"],
           "properties": {"type": {"const": "evented"}, "name": TEXT, "startValue": NUMBER, "endValue": NUMBER,
                          "unit": {"enum": ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"]},
                          "events": {"type": "array", "items": EVENT}}}
SPEEDSCOPE = {"type": "object", "required": ["$schema", "shared", "profiles"], "properties": {
    "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"}, "name": TEXT, "exporter": TEXT,
    "shared": {"type": "object", "required": ["frames"], "properties": {
        "frames": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": TEXT}}}}},
    "profiles": {"type": "array", "minItems": 1, "items": PROFILE}}}


@pytest.fixture(params=["recorded", "constructed", "recorded_apart"])
def events(request):
    found = request.getfixturevalue(request.param)
    path = found[0] if request.param == "recorded" else found
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        # Decimal: a comparison of nanoseconds must not round.
        return json.load(file, parse_float=decimal.Decimal)["traceEvents"]


def slices_by_track(events):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    return tracks


def around(slices, time):
    return [event for event in slices if event["ts"] <= time <= event["ts"] + event["dur"]]


def test_slices_of_a_track_are_perfectly_nested(events):
    tracks = slices_by_track(events)
    assert len(tracks) >= 2
    for track, slices in tracks.items():
        # Perfetto sorts by time alone and keeps the file's order of equals: a parent must come before its children there.
        open_ends = []
        for event in sorted(slices, key=lambda event: event["ts"]):
            start, end = event["ts"], event["ts"] + event["dur"]
            assert event["dur"] >= 0, event
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], (track, event)
            open_ends.append(end)


def test_every_event_has_what_the_trace_event_format_demands(events):
    for event in events:
        assert event["ph"] in "XMisf" and isinstance(event["name"], str), event
        assert {"pid", "tid", "ts"} <= event.keys(), event
        if event["ph"] == "i":
            assert event["s"] in "gpt", event
        if event["ph"] in "sf":
            assert "id" in event and event["cat"] == event["name"], event


def test_arrows_have_both_ends_inside_slices(events):
    tracks = slices_by_track(events)
    ends = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "sf":
            ends[event["cat"], event["id"]].append(event)
            assert around(tracks[event["pid"], event["tid"]], event["ts"]), event
    assert ends
    for pair in ends.values():
        assert [event["ph"] for event in pair] == ["s", "f"], pair
        assert pair[0]["ts"] <= pair[1]["ts"], pair


def test_every_track_has_a_name_and_processes_are_told_apart(events):
    named = {(event["pid"], event["tid"]) for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    for pid, tid in slices_by_track(events):
        assert (pid, tid) in named or pid == "Spans", (pid, tid)


def test_speedscope_takes_the_file_by_its_schema_and_its_stack(recorded):
    trace, ours = recorded
    file = json.loads((trace.parent / "prof/speedscope.json").read_text())
    jsonschema.validate(file, SPEEDSCOPE)
    frames = file["shared"]["frames"]
    opened = collections.Counter()
    for thread in file["profiles"]:
        stack, last = [], thread["startValue"]
        for event in thread["events"]:
            assert event["at"] >= last, event
            last = event["at"]
            if event["type"] == "O":
                opened[frames[event["frame"]]["name"]] += 1
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"], event
        assert stack == [] and last <= thread["endValue"]
    for op in ours["ops"]:
        assert opened[op["name"]] == op["calls"], op["name"]
