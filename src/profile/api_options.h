#pragma once

#include <optional>

#include <ridgeline/profile.h>

namespace ridgeline {

inline constexpr const char* kProfileVariable = "RIDGELINE_PROFILE";

// The program's options as changed by the text of RIDGELINE_PROFILE (null when it is not set):
// settings between commas, such as "out=prof,steps=5,shapes=1", or "on" or "off". Absent when there
// shall be no profile. Throws Error(BadInput) that names the setting at fault.
[[nodiscard]] std::optional<ProfileOptions> effective_options(ProfileOptions options,
                                                              const char* variable);

}  // namespace ridgeline
