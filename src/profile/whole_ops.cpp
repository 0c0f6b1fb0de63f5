#include "profile/whole_ops.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

constexpr std::string_view kNamespace = "aten::";

constexpr auto kWholeOps = std::to_array<std::string_view>({"_reshape_alias",
                                                            "_to_copy",
                                                            "_unsafe_view",
                                                            "alias",
                                                            "as_strided",
                                                            "chunk",
                                                            "detach",
                                                            "detach_",
                                                            "diagonal",
                                                            "expand",
                                                            "expand_as",
                                                            "flatten",
                                                            "mT",
                                                            "movedim",
                                                            "narrow",
                                                            "numpy_T",
                                                            "permute",
                                                            "reshape",
                                                            "select",
                                                            "slice",
                                                            "split",
                                                            "split_with_sizes",
                                                            "squeeze",
                                                            "swapaxes",
                                                            "t",
                                                            "t_",
                                                            "transpose",
                                                            "transpose_",
                                                            "unbind",
                                                            "unflatten",
                                                            "unsqueeze",
                                                            "view",
                                                            "view_as"});
static_assert(std::ranges::is_sorted(kWholeOps));

}  // namespace

bool is_whole_op(std::string_view name) noexcept {
  return name.starts_with(kNamespace) &&
         std::ranges::binary_search(kWholeOps, name.substr(kNamespace.size()));
}

}  // namespace ridgeline
