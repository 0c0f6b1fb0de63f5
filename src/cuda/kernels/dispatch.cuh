#pragma once

#include "cuda/kernels/batch_norm.h"
#include "cuda/kernels/elements.cuh"

// Turns run-time choices into template arguments.
namespace ridgeline::kernels {

template <class Run>
cudaError_t with_element(Element element, Run&& run) {
  switch (element) {
    case Element::Bf16:
      return run(Bf16{});
    case Element::Fp16:
      return run(Fp16{});
    case Element::Fp32:
      return run(Fp32{});
  }
  return cudaErrorInvalidValue;
}

template <bool kValue>
struct Flag {
  static constexpr bool value = kValue;
};

template <class Run>
cudaError_t with_flags(bool first, bool second, Run&& run) {
  if (first) return second ? run(Flag<true>{}, Flag<true>{}) : run(Flag<true>{}, Flag<false>{});
  return second ? run(Flag<false>{}, Flag<true>{}) : run(Flag<false>{}, Flag<false>{});
}

template <Gate kGate>
struct GateIs {
  static constexpr Gate value = kGate;
};

template <class Run>
cudaError_t with_gate(Gate gate, Run&& run) {
  switch (gate) {
    case Gate::Open:
      return run(GateIs<Gate::Open>{});
    case Gate::Recompute:
      return run(GateIs<Gate::Recompute>{});
    case Gate::Mask:
      return run(GateIs<Gate::Mask>{});
  }
  return cudaErrorInvalidValue;
}

}  // namespace ridgeline::kernels
