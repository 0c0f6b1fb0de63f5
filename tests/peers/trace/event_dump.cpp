// Writes a TensorBoard log of known content into a folder, for test_events.py to read back.

#include <cmath>
#include <cstdio>
#include <exception>

#include "trace/event_file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: event_dump DIR\n", stderr);
    return 2;
  }
  try {
    double now = 1700000000.0;
    ridgeline::EventFile file({.folder = argv[1], .wall_clock = [&now] { return now += 0.125; }});
    file.start_session({{"lr", 0.1},
                        {"batch_size", 128.0},
                        {"amp", true},
                        {"nesterov", false},
                        {"clip", HUGE_VAL},
                        {"model", std::string("resnet18 \xff µ")}},
                       {"train/loss", "test/accuracy"});
    for (int step = 0; step < 50; ++step) file.scalar("train/loss", step * 10, 2.0 / (step + 1));
    file.scalar("test/accuracy", 490, 0.9173);
    file.scalar("odd/values", -5, std::nan(""));
    file.scalar("odd/values", 1LL << 40, 1e300);
    file.text("summary", 3, "**bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |");
    file.end_session(ridgeline::SessionEnd::Success);
    std::puts(file.path().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
