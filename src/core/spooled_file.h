#pragma once

#include <filesystem>
#include <string>

#include "core/file_descriptor.h"

namespace ridgeline {

// All that a pipe or a terminal gives, in a temporary file without a name: what reads files by
// mapping them can read it too, and nothing is left when the program ends however it ends.
class SpooledFile {
 public:
  // Reads `from` to its end; `name` is for messages. Throws Error(Io).
  SpooledFile(const FileDescriptor& from, const std::string& name);
  [[nodiscard]] std::filesystem::path path() const;

 private:
  FileDescriptor file_;
};

}  // namespace ridgeline
