#pragma once

#include <memory>
#include <vector>

#include "engine/backend.h"
#include "engine/memory_blocks.h"
#include "engine/tensors.h"
#include "train/trainer.h"

namespace ridgeline {

// Micro-batches on the device. Two slots each, so that one is filled while the other is read; a
// captured step reads a third place that never moves.
class DeviceBatches {
 public:
  DeviceBatches(const TrainSettings& settings, Backend& backend);
  ~DeviceBatches();
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  void upload(const HostBatch& batch, std::size_t micro);
  // What the step computes with: {images as NCHW in the settings' layout, labels}, or {tokens, the
  // tokens after them}.
  [[nodiscard]] std::pair<at::Tensor, at::Tensor> prepared(std::size_t micro);
  // The same from places that stay: for a step that is captured. Every batch must have one shape.
  [[nodiscard]] std::pair<at::Tensor, at::Tensor> fixed(std::size_t micro);
  // Batches made by the device itself from images it keeps.
  void keep(const ImageArray& images, const TransformOptions& transform,
            const ResidentShape& shape);
  void begin_epoch(std::span<const SamplePlan> plans);
  [[nodiscard]] bool resident() const;
  [[nodiscard]] std::pair<at::Tensor, at::Tensor> made(std::size_t micro, const at::Tensor& step);
  // Copies what was uploaded to the fixed places.
  void settle();
  // The step is queued: what it read may be overwritten after it.
  void consumed();
  // Uploaded batches, places that stay, images and plans that the device keeps.
  void name_memory(BlockListener& listener) const;

 private:
  struct Slot;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
