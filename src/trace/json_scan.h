#pragma once

#include <cstdint>

namespace ridgeline {

// Plain pointers only: this header meets code compiled for AVX2, and an inline function of a
// container compiled there could be the one the linker keeps for everybody.
//
// Texts are followed by JsonCursor::kPadding bytes that may be read; what is found there is
// nothing.

// Whole 64 bytes may be read from anywhere before `end`.
struct JsonScan {
  const char* name = nullptr;
  // Past the bracket that closes the one at `at`, or null when the text ends before. Counts
  // brackets of both kinds alike: a profiler does not mix them up, and damage shows later.
  const char* (*container_end)(const char* at, const char* end) = nullptr;
};

extern const JsonScan kScalarJsonScan;  // the definition
extern const JsonScan kAvx2JsonScan;  // its results, in 64 bytes at a time; no name where not built

// The fastest that this CPU runs.
[[nodiscard]] const JsonScan& json_scan();

// The quote at or after `at` that no backslash escapes, or null when the text ends before; sets
// `escaped` when it passed a backslash.
[[nodiscard]] const char* string_end(const char* at, const char* end, bool& escaped);

}  // namespace ridgeline
