#include "cuda/batch_norm_run.h"

#include "cuda/device_buffer.h"
#include "cuda/element_codec.h"

namespace ridgeline::kernels {
namespace {

const char* name_of(Element element) {
  return element == Element::Bf16 ? "bf16" : element == Element::Fp16 ? "fp16" : "fp32";
}

const char* name_of(Schedule schedule) {
  return schedule == Schedule::Auto      ? "auto"
         : schedule == Schedule::Cluster ? "cluster"
                                         : "streaming";
}

struct Device {
  DeviceBuffer x, residual, weight, bias, running_mean, running_var, mean, invstd, y, mask;
  DeviceBuffer dy, dx, d_residual, d_weight, d_bias, partials, arrivals;
};

std::vector<double> read(const DeviceBuffer& buffer, Element element) {
  return decode(buffer.read<unsigned char>(), element);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.rows << 'x' << c.channels << ' ' << name_of(c.element) << ' '
             << name_of(c.schedule) << (c.relu ? " relu" : "") << (c.residual ? " residual" : "")
             << " mean " << c.mean;
}

BatchNormRun::BatchNormRun(const Case& c) : case_(c) {
  const std::size_t size = c.rows * c.channels;
  problem_ = {.rows = c.rows,
              .channels = c.channels,
              .x = random_values(size, c.mean, c.element, 1),
              .residual = c.residual ? random_values(size, 0, c.element, 2) : std::vector<double>{},
              .weight = random_values(c.channels, 1, Element::Fp32, 3),
              .bias = random_values(c.channels, 0, Element::Fp32, 4),
              .eps = 1e-5,
              .relu = c.relu};
  dy_ = random_values(size, 0.1, c.element, 5);
}

Outcome BatchNormRun::run() const {
  const Element element = case_.element;
  const std::size_t size = case_.rows * case_.channels;
  const std::size_t bytes = size * size_of(element);
  const std::size_t vector = case_.channels * sizeof(float);
  const BatchNormShape shape{.rows = static_cast<std::int64_t>(case_.rows),
                             .channels = static_cast<std::int64_t>(case_.channels),
                             .element = element};
  const std::vector<float> old_mean(case_.channels, static_cast<float>(kOldMean));
  const std::vector<float> old_var(case_.channels, static_cast<float>(kOldVar));
  const Device on{.x = DeviceBuffer(encode(problem_.x, element)),
                  .residual = DeviceBuffer(encode(problem_.residual, element)),
                  .weight = DeviceBuffer(encode(problem_.weight, Element::Fp32)),
                  .bias = DeviceBuffer(encode(problem_.bias, Element::Fp32)),
                  .running_mean = DeviceBuffer(old_mean),
                  .running_var = DeviceBuffer(old_var),
                  .mean = DeviceBuffer(vector),
                  .invstd = DeviceBuffer(vector),
                  .y = DeviceBuffer(bytes),
                  .mask = DeviceBuffer(batch_norm_mask_bytes(shape)),
                  .dy = DeviceBuffer(encode(dy_, element)),
                  .dx = DeviceBuffer(bytes),
                  .d_residual = DeviceBuffer(bytes),
                  .d_weight = DeviceBuffer(vector),
                  .d_bias = DeviceBuffer(vector),
                  .partials = DeviceBuffer(batch_norm_partials() * sizeof(float)),
                  .arrivals = DeviceBuffer(std::vector<unsigned>(kBatchNormArrivals, 0U))};
  const bool masked = case_.relu && case_.residual;
  const BatchNormWorkspace workspace{.partials = on.partials.as<float>(),
                                     .arrivals = on.arrivals.as<unsigned>()};
  check(batch_norm_forward({.shape = shape,
                            .x = on.x.data(),
                            .residual = case_.residual ? on.residual.data() : nullptr,
                            .weight = on.weight.as<float>(),
                            .bias = on.bias.as<float>(),
                            .running_mean = on.running_mean.as<float>(),
                            .running_var = on.running_var.as<float>(),
                            .mean = on.mean.as<float>(),
                            .invstd = on.invstd.as<float>(),
                            .y = on.y.data(),
                            .mask = masked ? on.mask.as<std::uint8_t>() : nullptr,
                            .momentum = static_cast<float>(kMomentum),
                            .eps = static_cast<float>(problem_.eps),
                            .relu = case_.relu,
                            .schedule = case_.schedule},
                           workspace, nullptr));
  check(batch_norm_backward({.shape = shape,
                             .gate = masked       ? Gate::Mask
                                     : case_.relu ? Gate::Recompute
                                                  : Gate::Open,
                             .dy = on.dy.data(),
                             .x = on.x.data(),
                             .mask = masked ? on.mask.as<std::uint8_t>() : nullptr,
                             .weight = on.weight.as<float>(),
                             .bias = on.bias.as<float>(),
                             .mean = on.mean.as<float>(),
                             .invstd = on.invstd.as<float>(),
                             .dx = on.dx.data(),
                             .d_residual = masked ? on.d_residual.data() : nullptr,
                             .d_weight = on.d_weight.as<float>(),
                             .d_bias = on.d_bias.as<float>(),
                             .schedule = case_.schedule},
                            workspace, nullptr));
  check(cudaDeviceSynchronize());
  Outcome outcome{.y = read(on.y, element),
                  .mean = read(on.mean, Element::Fp32),
                  .invstd = read(on.invstd, Element::Fp32),
                  .running_mean = read(on.running_mean, Element::Fp32),
                  .running_var = read(on.running_var, Element::Fp32),
                  .dx = read(on.dx, element),
                  .d_residual = read(on.d_residual, element),
                  .d_weight = read(on.d_weight, Element::Fp32),
                  .d_bias = read(on.d_bias, Element::Fp32),
                  .mask = on.mask.read<std::uint8_t>()};
  for (const DeviceBuffer* buffer :
       {&on.y, &on.mean, &on.invstd, &on.mask, &on.dx, &on.d_residual, &on.d_weight, &on.d_bias,
        &on.running_mean, &on.running_var, &on.partials, &on.arrivals}) {
    outcome.within_bounds = outcome.within_bounds && buffer->guards_intact();
  }
  for (const unsigned count : on.arrivals.read<unsigned>()) {
    outcome.within_bounds = outcome.within_bounds && count == 0;
  }
  return outcome;
}

}  // namespace ridgeline::kernels
