# A layer is one folder under src/. Torch-free code becomes a static library of the layer's name;
# code that needs torch is compiled into the one engine library.

# ridgeline_layer(NAME sources... USES layers-and-libraries... [PRECOMPILE headers...])
function(ridgeline_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "USES;PRECOMPILE")
  add_library(ridgeline_${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(ridgeline_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(ridgeline_${name} PUBLIC ${ARG_USES} PRIVATE ridgeline_warnings)
  if(ARG_PRECOMPILE)
    target_precompile_headers(ridgeline_${name} PRIVATE ${ridgeline_plain_headers} ${ARG_PRECOMPILE})
  else()
    ridgeline_precompile(layers ridgeline_${name} ${ridgeline_plain_headers})
  endif()
endfunction()

# ridgeline_engine_sources(sources...): torch code of this folder, into libridgeline_engine.so.
function(ridgeline_engine_sources)
  foreach(source IN LISTS ARGN)
    set_property(GLOBAL APPEND PROPERTY RIDGELINE_ENGINE_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()

# ridgeline_profile_sources(sources...): torch code of this folder, into libridgeline_profile.so too,
# which other programs link. It stands alone, so that what it shares with the engine is compiled twice.
function(ridgeline_profile_sources)
  foreach(source IN LISTS ARGN)
    set_property(GLOBAL APPEND PROPERTY RIDGELINE_PROFILE_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()
