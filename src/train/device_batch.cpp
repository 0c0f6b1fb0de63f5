#include "train/device_batch.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <array>
#include <utility>

#include "core/error.h"
#include "engine/placement.h"

namespace ridgeline {
namespace {

using Pair = std::pair<at::Tensor, at::Tensor>;

constexpr std::size_t kSlots = 2;

// What the first product of a model will be computed in.
at::ScalarType compute_type(Precision precision) {
  switch (precision) {
    case Precision::Bf16:
    case Precision::Bf16Pure:
      return at::kBFloat16;
    case Precision::Fp16:
      return at::kHalf;
    case Precision::Fp32:
    case Precision::Tf32:
      break;
  }
  return at::kFloat;
}

}  // namespace

struct DeviceBatches::Slot {
  at::Tensor pixels;  // raw, as uploaded: NHWC
  at::Tensor labels;
  std::int64_t count = 0;
};

// Images, labels and the plans of an epoch on the device, and where batches are made.
struct Resident {
  at::Tensor images, labels, plans;
  std::vector<Pair> places;
  std::int64_t steps_per_epoch = 1;
  bool resample = false;
};

struct DeviceBatches::State {
  State(const TrainSettings& settings, Backend& of)
      : backend(of),
        run(settings.run),
        micros(static_cast<std::size_t>(settings.run.accumulation)),
        slots(kSlots * micros),
        uploader(of.make_uploader(slots.size())),
        fixed(micros) {
    const auto on_device = at::TensorOptions().device(torch_device(run.device)).dtype(at::kFloat);
    const auto& [mean, std] = settings.normalisation;
    // x / 255 - mean over std, as one multiply and one add.
    for (std::size_t i = 0; i < 3; ++i) {
      factors[i] = 1.F / (255.F * std[i]);
      offsets[i] = -mean[i] / std[i];
    }
    factor = at::tensor(at::ArrayRef<float>(factors)).to(on_device);
    offset = at::tensor(at::ArrayRef<float>(offsets)).to(on_device);
  }

  [[nodiscard]] std::size_t slot_index(std::size_t micro) const {
    return micro * kSlots + static_cast<std::size_t>(turn);
  }

  // Host bytes into `to`, made anew when the shape changes (a last, smaller batch uses a part).
  void fill(at::Tensor& to, at::IntArrayRef sizes, at::ScalarType type, const void* from,
            std::size_t slot) const {
    const bool fits = to.defined() && to.scalar_type() == type && to.dim() == std::ssize(sizes) &&
                      to.sizes().slice(1) == sizes.slice(1) && to.size(0) >= sizes[0];
    if (!fits) {
      to = at::empty(sizes, at::TensorOptions().dtype(type).device(torch_device(run.device)));
      // The allocator may hand out what queued work on the current stream still uses; the copy runs
      // on a stream that knows nothing of that work.
      backend.synchronize();
    }
    at::Tensor part = to.narrow(0, 0, sizes[0]);
    uploader->copy(part, from, slot);
  }

  [[nodiscard]] Pair prepare(const Slot& slot) const {
    const at::Tensor labels = slot.labels.narrow(0, 0, slot.count);
    if (!slot.pixels.defined()) {
      const std::int64_t context = labels.size(1) - 1;
      return {labels.narrow(1, 0, context).contiguous(), labels.narrow(1, 1, context).contiguous()};
    }
    at::Tensor pixels = slot.pixels.narrow(0, 0, slot.count);
    if (pixels.scalar_type() == at::kByte)
      pixels = at::addcmul(offset, pixels.to(at::kFloat), factor);
    if (run.precision == Precision::Bf16Pure) pixels = pixels.to(at::kBFloat16);
    at::Tensor images = pixels.permute({0, 3, 1, 2});
    return {run.channels_last ? images : images.contiguous(), labels};
  }

  [[nodiscard]] AugmentJob job(Resident& from, std::size_t micro, const at::Tensor& step) const {
    return {.images = from.images,
            .labels = from.labels,
            .plans = from.plans,
            .step = step,
            .steps_per_epoch = from.steps_per_epoch,
            .micro_batches = static_cast<std::int64_t>(micros),
            .micro = static_cast<std::int64_t>(micro),
            .resample = from.resample,
            .factor = factors,
            .offset = offsets,
            .out = from.places[micro].first,
            .out_labels = from.places[micro].second};
  }

  Backend& backend;
  RunSettings run;
  std::size_t micros;
  std::vector<Slot> slots;
  std::unique_ptr<Uploader> uploader;
  std::vector<Pair> fixed;
  std::array<float, 3> factors{};
  std::array<float, 3> offsets{};
  at::Tensor factor, offset;
  int turn = 0;
  bool uploaded = false;  // since the last consumed(): kept images are tested on uploaded ones
  std::optional<Resident> resident;
};

DeviceBatches::DeviceBatches(const TrainSettings& settings, Backend& backend)
    : state_(std::make_unique<State>(settings, backend)) {}
DeviceBatches::~DeviceBatches() = default;

void DeviceBatches::upload(const HostBatch& batch, std::size_t micro) {
  if (batch.pixels == nullptr && batch.labels == nullptr) {
    RIDGELINE_CHECK(resident());
    return;
  }
  RIDGELINE_CHECK(micro < state_->micros && batch.count > 0);
  state_->uploaded = true;
  const std::size_t index = state_->slot_index(micro);
  Slot& slot = state_->slots[index];
  slot.count = static_cast<std::int64_t>(batch.count);
  if (batch.pixels == nullptr) {
    state_->fill(slot.labels, {slot.count, batch.width}, at::kLong, batch.labels, index);
    return;
  }
  const bool bytes = batch.pixel_type == TransformOptions::Output::Bytes;
  state_->fill(slot.pixels, {slot.count, batch.height, batch.width, 3},
               bytes ? at::kByte : at::kFloat, batch.pixels, index);
  state_->fill(slot.labels, {slot.count}, at::kLong, batch.labels, index);
}

Pair DeviceBatches::prepared(std::size_t micro) {
  return state_->prepare(state_->slots[state_->slot_index(micro)]);
}

Pair DeviceBatches::fixed(std::size_t micro) {
  RIDGELINE_CHECK(state_->fixed[micro].first.defined());
  return state_->fixed[micro];
}

void DeviceBatches::settle() {
  for (std::size_t micro = 0; micro < state_->micros; ++micro) {
    const Pair batch = prepared(micro);
    Pair& place = state_->fixed[micro];
    if (!place.first.defined()) {
      place = {batch.first.clone(), batch.second.clone()};
      continue;
    }
    if (place.first.sizes() != batch.first.sizes())
      throw Error(Fault::Internal, "a captured step takes batches of one shape");
    place.first.copy_(batch.first);
    place.second.copy_(batch.second);
  }
}

bool DeviceBatches::resident() const { return state_->resident.has_value(); }

void DeviceBatches::keep(const ImageArray& images, const TransformOptions& transform,
                         const ResidentShape& shape) {
  const ImageArray::Content& content = images.content();
  const auto device = torch_device(state_->run.device);
  Resident resident;
  // from_blob wants a pointer to change through; the copy only reads.
  auto* const pixels = const_cast<std::uint8_t*>(content.pixels.data());
  const auto count = static_cast<std::int64_t>(content.labels.size());
  resident.images =
      at::from_blob(pixels, {count, content.height, content.width, 3}, at::kByte).to(device);
  const std::vector<std::int64_t> labels(content.labels.begin(), content.labels.end());
  resident.labels = at::tensor(at::ArrayRef<std::int64_t>(labels)).to(device);
  const auto micros = static_cast<std::int64_t>(state_->micros);
  resident.plans = at::zeros({shape.steps_per_epoch * micros * shape.batch, kSamplePlanWords},
                             at::TensorOptions().dtype(at::kInt).device(device));
  const std::int64_t size =
      transform.geometry == TransformOptions::Geometry::None ? content.height : transform.size;
  for (std::int64_t micro = 0; micro < micros; ++micro) {
    resident.places.emplace_back(
        at::empty({shape.batch, size, size, 3},
                  at::TensorOptions().dtype(compute_type(state_->run.precision)).device(device)),
        at::empty({shape.batch}, at::TensorOptions().dtype(at::kLong).device(device)));
  }
  resident.steps_per_epoch = shape.steps_per_epoch;
  using Geometry = TransformOptions::Geometry;
  if (transform.geometry == Geometry::Resize || transform.geometry == Geometry::ResizeCenterCrop)
    throw bad_input("--augment gpu makes crops and resized crops, not this transform");
  resident.resample = transform.geometry == TransformOptions::Geometry::RandomResizedCrop;
  const at::Tensor step = at::zeros({1}, at::TensorOptions().dtype(at::kLong).device(device));
  if (const auto obstacle = state_->backend.augment_obstacle(state_->job(resident, 0, step)))
    throw bad_input("--augment gpu: " + *obstacle);
  state_->resident = std::move(resident);
}

void DeviceBatches::begin_epoch(std::span<const SamplePlan> plans) {
  RIDGELINE_CHECK(resident());
  at::Tensor& table = state_->resident->plans;
  RIDGELINE_CHECK(std::ssize(plans) == table.size(0));
  auto* const words = const_cast<SamplePlan*>(plans.data());
  table.copy_(at::from_blob(words, table.sizes(), at::kInt));
}

Pair DeviceBatches::made(std::size_t micro, const at::Tensor& step) {
  Resident& resident = *state_->resident;
  state_->backend.augment(state_->job(resident, micro, step));
  const at::Tensor images = resident.places[micro].first.permute({0, 3, 1, 2});
  return {state_->run.channels_last ? images : images.contiguous(), resident.places[micro].second};
}

void DeviceBatches::name_memory(BlockListener& listener) const {
  const auto name = [&](const at::Tensor& tensor) {
    ridgeline::name_memory(listener, tensor, MemoryKind::Input);
  };
  for (const Slot& slot : state_->slots) {
    name(slot.pixels);
    name(slot.labels);
  }
  for (const auto& [images, labels] : state_->fixed) {
    name(images);
    name(labels);
  }
  if (!state_->resident) return;
  const Resident& resident = *state_->resident;
  for (const at::Tensor& kept : {resident.images, resident.labels, resident.plans}) name(kept);
  for (const auto& [images, labels] : resident.places) {
    name(images);
    name(labels);
  }
}

void DeviceBatches::consumed() {
  if (!std::exchange(state_->uploaded, false)) return;
  for (std::size_t micro = 0; micro < state_->micros; ++micro)
    state_->uploader->consumed(state_->slot_index(micro));
  state_->turn = 1 - state_->turn;
}

}  // namespace ridgeline
