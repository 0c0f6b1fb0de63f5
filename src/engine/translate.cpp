#include "engine/translate.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "core/error.h"

namespace ridgeline {
namespace {

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

// "CUDA out of memory. Tried to allocate 2.50 GiB": the allocator goes on for a paragraph.
std::string first_two_sentences(const std::string& text) {
  const auto first = text.find(". ");
  return first == std::string::npos ? text : text.substr(0, text.find(". ", first + 2));
}

}  // namespace

// What a CPU allocation failure throws is a plain c10::Error, known only by its text.
void translating_errors(const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(Fault::Memory, first_two_sentences(first_line(error)));
  } catch (const c10::Error& error) {
    const std::string line = first_line(error);
    const bool memory = line.find("can't allocate memory") != std::string::npos;
    throw Error(memory ? Fault::Memory : Fault::Device, line);
  } catch (const std::bad_alloc&) {
    throw Error(Fault::Memory, "the host has no memory left");
  }
}

}  // namespace ridgeline
