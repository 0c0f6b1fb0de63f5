#pragma once

#include <span>

#include "profile/shape_text.h"

namespace c10 {
struct IValue;
}

namespace ridgeline {

// Shapes and types of an op's inputs; with values its numbers too. Called as the op begins, which
// is when torch still has them.
void describe(std::span<const c10::IValue> inputs, ShapeText& text, ValueDetail detail);

}  // namespace ridgeline
