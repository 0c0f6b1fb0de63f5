# Imports the C++ part of PyPI's torch wheel. The wheel's own find_package(Torch) wants a CUDA
# toolkit, probes for a GPU and takes seconds; four imported libraries are all we need.
if(NOT RIDGELINE_LIBTORCH AND DEFINED ENV{RIDGELINE_LIBTORCH})
  set(RIDGELINE_LIBTORCH $ENV{RIDGELINE_LIBTORCH})
endif()
if(NOT RIDGELINE_LIBTORCH)
  set(cache $ENV{RIDGELINE_CACHE})
  if(NOT cache)
    set(cache $ENV{HOME}/.cache/ridgeline)
  endif()
  file(GLOB found ${cache}/python/lib/python3*/site-packages/torch)
  list(GET found 0 RIDGELINE_LIBTORCH)
endif()
if(NOT EXISTS ${RIDGELINE_LIBTORCH}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "LibTorch not found. Run 'make build', which installs it, or set "
    "RIDGELINE_LIBTORCH to the 'torch' folder of a Python that has torch 2.11.")
endif()
message(STATUS "LibTorch: ${RIDGELINE_LIBTORCH}")

function(ridgeline_import_torch name)
  add_library(torch::${name} SHARED IMPORTED)
  set_target_properties(torch::${name} PROPERTIES
    IMPORTED_LOCATION ${RIDGELINE_LIBTORCH}/lib/lib${name}.so
    IMPORTED_NO_SONAME OFF)
  target_include_directories(torch::${name} SYSTEM INTERFACE
    ${RIDGELINE_LIBTORCH}/include ${RIDGELINE_LIBTORCH}/include/torch/csrc/api/include)
  # FMT_HEADER_ONLY: the wheel ships headers of another fmt than the system library.
  # Without NDEBUG RecordFunction::inputs() asserts, whatever our own build type is.
  target_compile_definitions(torch::${name} INTERFACE NDEBUG FMT_HEADER_ONLY)
endfunction()
ridgeline_import_torch(c10)
ridgeline_import_torch(torch_cpu)
add_library(ridgeline_torch INTERFACE)
target_link_libraries(ridgeline_torch INTERFACE torch::torch_cpu torch::c10)
