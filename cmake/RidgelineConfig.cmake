# find_package(Ridgeline) gives Ridgeline::profile: ridgeline/profile.h and its library. The program
# links LibTorch 2.11 itself, whichever way it does that. Everything is found from this file's place,
# so that the folder can be moved.
get_filename_component(_ridgeline_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_ridgeline_library "${_ridgeline_prefix}/lib/libridgeline_profile.so")
if(NOT EXISTS "${_ridgeline_library}")
  set(Ridgeline_FOUND FALSE)
  set(Ridgeline_NOT_FOUND_MESSAGE "no library at ${_ridgeline_library}")
  return()
endif()
if(NOT TARGET Ridgeline::profile)
  add_library(Ridgeline::profile SHARED IMPORTED)
  set_target_properties(Ridgeline::profile PROPERTIES
    IMPORTED_LOCATION "${_ridgeline_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${_ridgeline_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    # It names libfmt and libz, which lie beside it in a package.
    INTERFACE_LINK_OPTIONS "LINKER:-rpath-link,${_ridgeline_prefix}/lib")
endif()
# For LD_PRELOAD.
set(Ridgeline_PRELOAD "${_ridgeline_prefix}/lib/libridgeline_profile_preload.so")
unset(_ridgeline_library)
unset(_ridgeline_prefix)
