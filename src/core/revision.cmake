# Run at every build: cmake -DSOURCE_DIR=... -DOUTPUT=... -P revision.cmake
# The header is touched only when the revision changes, so a commit recompiles one file, and a build
# without a commit nothing. Outside a repository the revision is empty.
execute_process(
  COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE_DIR}
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  set(revision "")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define RIDGELINE_REVISION \"@revision@\"\n" @ONLY)
