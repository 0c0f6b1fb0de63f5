# One interface target carries the warnings, so that a third-party header never meets them.
# -Wrestrict is off: GCC 12 reports string concatenation falsely (GCC bug 105651).
add_library(ridgeline_warnings INTERFACE)
target_compile_options(ridgeline_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror;-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)

if(RIDGELINE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
