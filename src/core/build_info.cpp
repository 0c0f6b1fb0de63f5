#include "core/build_info.h"

#include "ridgeline_revision.h"  // written by revision.cmake at every build

#if defined(__clang__)
#define RIDGELINE_COMPILER "Clang " __clang_version__
#elif defined(__GNUC__)
#define RIDGELINE_COMPILER "GCC " __VERSION__
#else
#define RIDGELINE_COMPILER "unknown"
#endif

namespace ridgeline {

BuildInfo build_info() {
  return {.version = RIDGELINE_VERSION,
          .revision = RIDGELINE_REVISION,
          .compiler = RIDGELINE_COMPILER,
          .build_type = RIDGELINE_BUILD_TYPE};
}

}  // namespace ridgeline
