# libridgeline_profile.so, which other LibTorch programs link, the library that profiles them when it
# is preloaded, and the CMake package Ridgeline around both. `cmake --install` installs these alone.
get_property(profile_sources GLOBAL PROPERTY RIDGELINE_PROFILE_SOURCES)
set(exports ${CMAKE_SOURCE_DIR}/src/profile/api.map)

add_library(ridgeline_profile_library SHARED ${profile_sources})
set_target_properties(ridgeline_profile_library PROPERTIES OUTPUT_NAME ridgeline_profile DEFINE_SYMBOL ""
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${exports})
target_include_directories(ridgeline_profile_library INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(ridgeline_profile_library PRIVATE ridgeline_profile ridgeline_core ridgeline_torch ridgeline_warnings)
if(RIDGELINE_CUDA)
  target_link_libraries(ridgeline_profile_library PRIVATE ridgeline_cupti ridgeline_profile)
  target_compile_definitions(ridgeline_profile_library PRIVATE RIDGELINE_WITH_CUPTI)
endif()
# Of what the layers name only what is used: whoever links this must find all of it.
target_link_options(ridgeline_profile_library PRIVATE
  -Wl,--version-script=${exports} -Wl,--as-needed -Wl,--no-undefined)

add_library(ridgeline_profile_preload SHARED ${CMAKE_SOURCE_DIR}/src/profile/preload.cpp)
set_target_properties(ridgeline_profile_preload PROPERTIES DEFINE_SYMBOL "")
target_link_libraries(ridgeline_profile_preload PRIVATE ${CMAKE_DL_LIBS} ridgeline_warnings)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/RidgelineConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
# Always lib: the package's own file finds the rest by its place.
install(TARGETS ridgeline_profile_library ridgeline_profile_preload LIBRARY DESTINATION lib)
install(FILES ${CMAKE_SOURCE_DIR}/include/ridgeline/profile.h DESTINATION include/ridgeline)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/RidgelineConfig.cmake ${CMAKE_BINARY_DIR}/RidgelineConfigVersion.cmake
  DESTINATION lib/cmake/Ridgeline)
