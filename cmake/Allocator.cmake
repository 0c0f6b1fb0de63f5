# A program that steps eagerly allocates and frees thousands of small blocks a step: with glibc's
# allocator it takes the host a quarter longer (op_cost). Linked by programs alone, never by libraries: the
# allocator of a process is its program's choice. Sanitizers bring their own.
if(NOT RIDGELINE_SANITIZE)
  find_library(RIDGELINE_TCMALLOC NAMES libtcmalloc_minimal.so.4 tcmalloc_minimal)
  if(NOT RIDGELINE_TCMALLOC)
    message(STATUS "tcmalloc not found (libtcmalloc-minimal4): glibc's allocator, eager steps are slower")
  endif()
endif()

function(ridgeline_use_allocator program)
  if(RIDGELINE_TCMALLOC)
    # Nothing calls it by name, so the linker would leave it out.
    target_link_options(${program} PRIVATE -Wl,--push-state,--no-as-needed ${RIDGELINE_TCMALLOC} -Wl,--pop-state)
  endif()
endfunction()
