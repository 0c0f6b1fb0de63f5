# What nearly every file includes is parsed once: it halves a clean build. A source still names all it
# uses; `cmake --preset tidy` builds without this, and checks.headers_alone compiles each header by itself.
set(ridgeline_common_headers
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map>
  <memory> <mutex> <numeric> <optional> <random> <span> <sstream> <stdexcept> <string> <string_view> <thread>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
set(ridgeline_plain_headers ${ridgeline_common_headers} <nlohmann/json.hpp>)
set(ridgeline_torch_headers ${ridgeline_common_headers} <ATen/ATen.h>)

# ridgeline_precompile(PROVIDER TARGET headers...): the first target to ask compiles them, later ones
# reuse its work. A provider serves targets of one kind and one set of flags.
function(ridgeline_precompile provider target)
  get_property(first GLOBAL PROPERTY RIDGELINE_PRECOMPILED_${provider})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY RIDGELINE_PRECOMPILED_${provider} ${target})
  endif()
endfunction()
