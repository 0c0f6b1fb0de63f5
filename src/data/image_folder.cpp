#include "data/image_folder.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/malformed.h"
#include "data/image_file.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestFile{256.0 * 1024 * 1024};
constexpr std::size_t kHeldOut = 10;  // one image in so many, where nobody made a split

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// ImageFolder's formats; ours come first.
constexpr std::array<std::string_view, 9> kEndings{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                   ".pgm", ".tif",  ".tiff", ".webp"};
constexpr std::size_t kRead = 3;

enum class FileKind { Image, UnreadImage, Other };

FileKind kind_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto found = std::ranges::find(kEndings, ending);
  if (found == kEndings.end()) return FileKind::Other;
  return found - kEndings.begin() < std::ptrdiff_t{kRead} ? FileKind::Image : FileKind::UnreadImage;
}

// Paths relative to `root`, by class.
using ClassFiles = std::map<std::string, std::vector<std::string>>;

// Images that nothing here reads.
struct LeftOut {
  std::size_t count = 0;
  std::string first{};

  void add(const std::string& file) {
    if (count == 0 || file < first) first = file;
    ++count;
  }
  [[nodiscard]] std::string note() const {
    if (count == 0) return {};
    return fmt::format("{} image{} left out, for only JPEG and PNG are read: {}{}", count,
                       count == 1 ? " is" : "s are", on_one_line(first),
                       count == 1 ? "" : " and others");
  }
};

std::vector<std::string> files_of_class(const fs::path& root, const fs::path& folder,
                                        LeftOut& left_out) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || hidden(entry.path())) continue;
    const FileKind kind = kind_of(entry.path());
    if (kind == FileKind::Image) files.push_back(entry.path().lexically_relative(root).string());
    if (kind == FileKind::UnreadImage) left_out.add(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

ClassFiles list_classes(const fs::path& root, LeftOut& left_out) {
  ClassFiles classes;
  try {
    for (const auto& entry : fs::directory_iterator(root)) {
      if (!entry.is_directory() || hidden(entry.path())) continue;
      auto files = files_of_class(root, entry.path(), left_out);
      if (files.empty())
        throw bad_input(
            fmt::format("{}: a class without a JPEG or PNG", on_one_line(entry.path().string())));
      classes.emplace(entry.path().filename().string(), std::move(files));
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(Fault::Io, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  }
  if (classes.empty())
    throw bad_input(fmt::format("{}: no folders of images, one a class", root.string()));
  return classes;
}

class ImageFolder final : public ImageSet {
 public:
  ImageFolder(fs::path root, std::vector<std::string> classes)
      : root_(std::move(root)), classes_(std::move(classes)) {}

  void add(std::string file, int label) {
    files_.push_back(std::move(file));
    labels_.push_back(label);
  }

  [[nodiscard]] std::size_t size() const override { return files_.size(); }
  [[nodiscard]] int label(std::size_t index) const override { return labels_.at(index); }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::string sample_name(std::size_t index) const override {
    return (root_ / files_.at(index)).string();
  }
  [[nodiscard]] ImageView read(std::size_t index,
                               std::vector<std::uint8_t>& scratch) const override {
    const std::string name = sample_name(index);
    return decode_image(read_file(name, kLargestFile), name, scratch);
  }

 private:
  fs::path root_;
  std::vector<std::string> classes_;
  std::vector<std::string> files_;
  std::vector<int> labels_;
};

std::vector<std::string> names_of(const ClassFiles& classes) {
  std::vector<std::string> names;
  for (const auto& [name, files] : classes) names.push_back(name);
  return names;
}

// A class has one number in both parts: that of its place among the training classes.
std::unique_ptr<ImageFolder> make_set(const fs::path& root, const ClassFiles& files,
                                      const std::vector<std::string>& classes) {
  auto set = std::make_unique<ImageFolder>(root, classes);
  for (const auto& [name, paths] : files) {
    const auto it = std::ranges::find(classes, name);
    if (it == classes.end())
      throw bad_input(fmt::format("{}: a class that the training images do not have",
                                  on_one_line((root / name).string())));
    for (const std::string& path : paths) set->add(path, static_cast<int>(it - classes.begin()));
  }
  return set;
}

std::optional<fs::path> test_folder(const fs::path& folder) {
  for (const char* name : {"val", "test"}) {
    if (fs::is_directory(folder / name)) return folder / name;
  }
  return std::nullopt;
}

struct Split {
  ClassFiles train;
  ClassFiles test;
};

// Every tenth; of a class with fewer, the last, as long as one is left to train on.
Split hold_out(const ClassFiles& files) {
  Split split;
  for (const auto& [name, paths] : files) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const bool last_of_few = paths.size() < kHeldOut && i > 0 && i + 1 == paths.size();
      auto& part = i % kHeldOut == kHeldOut - 1 || last_of_few ? split.test : split.train;
      part[name].push_back(paths[i]);
    }
  }
  return split;
}

}  // namespace

ImageData open_image_folder(const fs::path& folder, const ImageFolderOptions& options) {
  const bool divided = fs::is_directory(folder / "train");
  const fs::path train_root = divided ? folder / "train" : folder;
  LeftOut left_out;
  const ClassFiles train_files = list_classes(train_root, left_out);
  const auto classes = names_of(train_files);
  const auto test_root = divided ? test_folder(folder) : std::nullopt;
  ImageData data;
  data.kind = "image folder";
  if (!divided && options.to_judge) {
    data.test = make_set(folder, train_files, classes);
    data.note = left_out.note();
    data.description =
        fmt::format("image folder, {} classes, {} images", classes.size(), data.test->size());
    return data;
  }
  std::string note;
  if (test_root) {
    data.train = make_set(train_root, train_files, classes);
    data.test = make_set(*test_root, list_classes(*test_root, left_out), classes);
    note = fmt::format("train and {}", test_root->filename().string());
  } else {
    const Split split = hold_out(train_files);
    data.train = make_set(train_root, split.train, classes);
    data.test = make_set(train_root, split.test, classes);
    if (data.test->size() == 0) {
      throw bad_input(fmt::format(
          "{}: one image a class leaves none to test on; add images, or train and val folders",
          on_one_line(folder.string())));
    }
    note = fmt::format("no val or test folder: one image in {} of each class held out", kHeldOut);
  }
  data.description = fmt::format("image folder, {} classes, {} + {} images ({})", classes.size(),
                                 data.train->size(), data.test->size(), note);
  data.note = left_out.note();
  return data;
}

bool is_image_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::is_directory(folder / "train", error) ? folder / "train" : folder;
  try {
    for (const auto& entry : fs::directory_iterator(root)) {
      if (!entry.is_directory() || hidden(entry.path())) continue;
      for (const auto& file : fs::recursive_directory_iterator(entry.path())) {
        if (kind_of(file.path()) == FileKind::Image) return true;
      }
    }
  } catch (const fs::filesystem_error&) {
    // What cannot be looked into is no folder that could be trained on.
  }
  return false;
}

}  // namespace ridgeline
