#include "cli/train_data.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "cli/fetch_console.h"
#include "core/error.h"
#include "core/text.h"
#include "data/content_sum.h"
#include "data/find_images.h"
#include "data/hold_out.h"
#include "data/image_array.h"
#include "data/image_folder.h"
#include "data/synthetic_images.h"
#include "train/resident_batches.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthetic = "synthetic";
constexpr long kBytes = 256;        // the vocabulary of a text
constexpr long kCifarClasses = 10;  // and of the synthetic set, which stands for it

// A mistyped word or the name of an archive must not become a folder to download into.
bool names_an_archive(const fs::path& path) {
  constexpr std::array<std::string_view, 7> kEndings{".gz",  ".tgz", ".tar", ".zip",
                                                     ".bz2", ".xz",  ".zst"};
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

void refuse_what_is_no_folder(const std::string& data) {
  if (data.empty()) throw bad_input("--data: names no folder");
  std::error_code ignored;
  if (data == kSynthetic || fs::exists(data, ignored)) return;
  const auto scheme = data.find(':');
  if (scheme != std::string::npos && data.find('/') > scheme)
    throw bad_input(
        fmt::format("--data {}: takes a folder, an archive or '{}'; `ridgeline fetch` brings what "
                    "lies elsewhere",
                    data, kSynthetic));
  const bool word = data.find('/') == std::string::npos;
  if (word && nearest(data, {kSynthetic}))
    throw bad_input(
        fmt::format("--data {}: no such folder (did you mean '{}'?)", data, kSynthetic));
}

// As the original does: a folder that is not there or empty is where the data goes.
bool wants_fetching(const DataFlags& flags) {
  if (flags.data == kSynthetic || flags.offline) return false;
  std::error_code ignored;
  if (!fs::exists(flags.data, ignored)) return !names_an_archive(flags.data);
  if (!fs::is_directory(flags.data, ignored)) return false;
  // What a download that was stopped left is not data.
  return std::ranges::all_of(
      fs::directory_iterator(flags.data, ignored), [](const fs::directory_entry& entry) {
        const std::string name = entry.path().filename().string();
        return name.starts_with("cifar-10-") && name.find(".part") != std::string::npos;
      });
}

void require_a_step(const ResNetSpec& model, const TrainSetup& setup, std::size_t images) {
  const auto accumulation = static_cast<std::size_t>(setup.run.accumulation);
  require_variances(model, setup.loader, images, accumulation);
  const std::size_t batch = setup.loader.batch_size;
  const std::size_t batches =
      setup.loader.drop_last ? images / batch : (images + batch - 1) / batch;
  if (batches < accumulation)
    throw bad_input(fmt::format("{} training images are fewer than one step of {} x {}", images,
                                batch, accumulation));
}

// Absent where only reading the data would tell.
std::optional<std::size_t> foreseen_images(const DataFlags& flags) {
  if (flags.data == kSynthetic)
    return flags.synthetic_images > 0 ? flags.synthetic_images : SyntheticImageOptions{}.train;
  std::error_code ignored;
  if (!fs::is_directory(flags.data, ignored) || !is_image_folder(flags.data)) return std::nullopt;
  return open_image_folder(flags.data).train->size();
}

std::string held_out_text(const ImageSet& images) {
  std::string text =
      "\n           held out are the last of the training set; the test set is not used";
  // A folder's images lie in the order of their classes.
  const std::size_t present = classes_present(images);
  if (present < images.classes().size())
    text += fmt::format("\n           they are of {} of its {} classes", present,
                        images.classes().size());
  return text;
}

}  // namespace

ModelSpec foreseen_model(const DataFlags& flags, const TrainSetup& setup) {
  ModelSpec model = setup.model;
  auto* const transformer = std::get_if<TransformerSpec>(&model);
  if (transformer != nullptr && flags.text && !setup.vocab_given) transformer->vocab_size = kBytes;
  auto* const resnet = std::get_if<ResNetSpec>(&model);
  if (resnet == nullptr || setup.classes_given) return model;
  refuse_what_is_no_folder(flags.data);
  resnet->num_classes = kCifarClasses;
  std::error_code ignored;
  if (fs::is_directory(flags.data, ignored) && is_image_folder(flags.data))
    resnet->num_classes = static_cast<long>(open_image_folder(flags.data).train->classes().size());
  return model;
}

void foresee_refusals(const DataFlags& flags, const TrainSetup& setup) {
  const auto* const resnet = std::get_if<ResNetSpec>(&setup.model);
  if (resnet == nullptr) return;
  const auto images = foreseen_images(flags);
  if (!images) return;
  if (setup.hold_out > 0) require_some_left(*images, setup.hold_out);
  require_a_step(*resnet, setup, *images - setup.hold_out);
}

ImageData open_data(const DataFlags& flags, bool say, const ImageFolderOptions& options) {
  refuse_what_is_no_folder(flags.data);
  if (wants_fetching(flags)) {
    if (say) fmt::print("{} is empty: fetching CIFAR-10 into it\n", flags.data);
    std::fflush(stdout);
    (void)fetch_known("cifar10", {.to = flags.data, .url = flags.mirror}, say);
  }
  if (flags.data == kSynthetic && flags.synthetic_images > 0)
    return make_synthetic_images({.train = flags.synthetic_images,
                                  .test = std::max<std::size_t>(1, flags.synthetic_images / 5)});
  return ridgeline::open_images(flags.data, options);
}

std::string describe_data(const DataFlags& flags, const TrainSetup& setup) {
  if (setup.images && setup.hold_out > 0)
    return fmt::format("{}, judged by the last {} training images, held out", flags.data,
                       setup.hold_out);
  if (setup.images) return flags.data;
  if (flags.text) return fmt::format("bytes of {}", flags.text->string());
  if (flags.tokens) return fmt::format("tokens of {}", flags.tokens->string());
  return "random rows of tokens";
}

TrainData::TrainData(const DataFlags& flags, const TrainSetup& setup, Backend& backend, bool say)
    : model_(setup.model), label_(setup.label), accumulation_(setup.run.accumulation) {
  setup.images ? open_images(flags, setup, backend, say) : open_tokens(flags, setup);
}

void TrainData::open_images(const DataFlags& flags, const TrainSetup& setup, Backend& backend,
                            bool say) {
  images_ = open_data(flags, say);
  if (setup.hold_out > 0) hold_out(images_, setup.hold_out);
  identity_ = identity_of(images_);
  auto& resnet = std::get<ResNetSpec>(model_);
  const auto classes = static_cast<long>(images_.train->classes().size());
  if (setup.classes_given && resnet.num_classes != classes)
    throw bad_input(
        fmt::format("--num-classes {}: the data has {} classes", resnet.num_classes, classes));
  resnet.num_classes = classes;
  description_ =
      fmt::format("{}: {} training and {} {} images, {} classes", images_.description,
                  images_.train->size(), images_.test->size(), judged(setup), resnet.num_classes);
  if (setup.hold_out > 0) description_ += held_out_text(*images_.test);
  require_fitting_images(*images_.train, setup.train_transform);
  require_fitting_images(*images_.test, setup.test_transform);
  require_a_step(resnet, setup, images_.train->size());
  train_transform_ = std::make_unique<Transform>(setup.train_transform);
  test_transform_ = std::make_unique<Transform>(setup.test_transform);
  const AllocateBuffer allocate =
      flags.pin_memory && setup.run.device.kind == DeviceKind::Cuda
          ? AllocateBuffer([&backend](std::size_t bytes) { return backend.allocate_pinned(bytes); })
          : AllocateBuffer(allocate_on_heap);
  train_loader_ =
      std::make_unique<Loader>(*images_.train, *train_transform_, setup.loader, allocate);
  LoaderOptions test = setup.loader;
  test.shuffle = false;
  test.drop_last = false;
  test_loader_ = std::make_unique<Loader>(*images_.test, *test_transform_, test, allocate);
  if (!setup.augment_on_device) {
    batches_ = std::make_unique<ImageBatches>(*train_loader_, *train_transform_);
    return;
  }
  const auto* const array = dynamic_cast<const ImageArray*>(images_.train.get());
  if (array == nullptr)
    throw bad_input("--augment gpu needs images of one size that fit in memory, as CIFAR-10's");
  batches_ = std::make_unique<ResidentBatches>(
      *array, EpochPlanOptions{.transform = setup.train_transform, .loader = setup.loader},
      accumulation_);
}

void TrainData::open_tokens(const DataFlags& flags, const TrainSetup& setup) {
  auto& transformer = std::get<TransformerSpec>(model_);
  const auto& file = flags.text ? flags.text : flags.tokens;
  if (file) {
    TextOptions options{.path = *file,
                        .width = flags.text ? TextOptions::Width::Bytes : TextOptions::Width::Words,
                        .seed = setup.run.seed,
                        .vocab = setup.vocab_given || flags.tokens ? transformer.vocab_size : 0,
                        .hold_out = setup.hold_out};
    tokens_ = open_text(options);
    options.part = TextOptions::Part::HeldOut;
    if (setup.hold_out > 0) held_out_tokens_ = open_text(options);
    if (!setup.vocab_given && flags.text) transformer.vocab_size = tokens_->vocab();
  } else {
    tokens_ = make_random_tokens({.context = static_cast<std::size_t>(transformer.context_length),
                                  .vocab = transformer.vocab_size,
                                  .seed = setup.run.seed});
  }
  description_ = tokens_->description();
  identity_ = tokens_->identity();
  if (held_out_tokens_) {
    description_ +=
        fmt::format("\n           judged by the last {} tokens, held out", setup.hold_out);
    if (batches_in_order(setup.hold_out, token_shape()) < 1)
      throw bad_input(fmt::format("--hold-out {}: too few tokens for one batch of {} x {} + 1",
                                  setup.hold_out, transformer.batch_size,
                                  transformer.context_length));
  }
  batches_ = std::make_unique<TokenBatches>(*tokens_, token_shape());
}

TokenShape TrainData::token_shape() const {
  const auto& transformer = std::get<TransformerSpec>(model_);
  return {.rows = transformer.batch_size, .context = transformer.context_length};
}

std::string TrainData::label() const { return label_; }

std::int64_t TrainData::steps_per_epoch() const {
  return std::max<std::int64_t>(1, batches_->batches_per_epoch() / accumulation_);
}

std::int64_t TrainData::tokens_a_sample() const {
  const auto* const transformer = std::get_if<TransformerSpec>(&model_);
  return transformer == nullptr ? 0 : transformer->context_length;
}

std::optional<Score> TrainData::evaluate(Trainer& trainer,
                                         const std::function<bool()>& interrupted) {
  if (held_out_tokens_)
    return ridgeline::evaluate(trainer, *held_out_tokens_, token_shape(), interrupted);
  return ridgeline::evaluate(trainer, *test_loader_, *test_transform_, interrupted);
}

}  // namespace ridgeline
