#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "profile/shape_text.h"

namespace ridgeline {

// Shapes and types of an op's inputs; with values its numbers too. Called as the op begins, which
// is when torch still has them.
void describe(c10::ArrayRef<const c10::IValue> inputs, ShapeText& text, ValueDetail detail);

}  // namespace ridgeline
