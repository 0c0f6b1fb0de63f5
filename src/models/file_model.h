#pragma once

#include <exception>
#include <memory>
#include <string>

#include "engine/model.h"
#include "models/spec.h"

namespace ridgeline {

// What a model file holds, found by looking inside: the name says little.
enum class FileKind { TorchScript, AotInductor };

// Throws Error(Io or BadInput) with one line for a file that is absent, damaged or of a kind that
// cannot be run (weights alone, a torch.export program).
[[nodiscard]] FileKind identify_model_file(const std::string& path);

[[nodiscard]] std::unique_ptr<Model> load_script_file(const FileSpec& spec, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<Model> load_aoti_file(const FileSpec& spec, std::uint64_t seed);

// The line of a torch message that says what happened, without the traceback around it.
[[nodiscard]] std::string essence_of(const std::exception& error);

// Random tensors for a file's inputs. Integers are 0 or 1, which any vocabulary holds.
[[nodiscard]] Tensors random_inputs(const FileSpec& spec, std::uint64_t seed);

// A file's model, apart from how it is run: forward only; the first input is the batch and the
// others are constants, so that they move with it.
class FileModel : public Model {
 public:
  FileModel(const FileSpec& spec, std::uint64_t seed);
  ~FileModel() override;

  at::Tensor forward(const at::Tensor& input) final;
  at::Tensor loss(const at::Tensor& input, const at::Tensor& target) final;
  std::pair<at::Tensor, at::Tensor> synthetic_batch(std::uint64_t seed) const final;
  ModelEnds ends() const final { return {}; }  // a file does not tell
  NamedTensors constants() const final;
  at::Tensor gradient_seed() const final;

 protected:
  [[nodiscard]] virtual at::Tensor run(const Tensors& inputs) = 0;

 private:
  FileSpec spec_;
  Tensors inputs_;
};

}  // namespace ridgeline
