#include "report/growing_csv.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/io_error.h"

namespace ridgeline {

void GrowingCsv::append(const CsvTable& rows) {
  last_ = ::lseek(file_.number(), 0, SEEK_END);
  const std::string whole = to_csv(rows);
  const std::string lines = whole.substr(to_csv({.header = rows.header, .rows = {}}).size());
  if (write_all(file_, lines)) return;
  const int reason = errno;
  // On a full disk half a line may be there.
  if (::ftruncate(file_.number(), last_) != 0)
    throw io_error("write a row, nor take back the half written one, in", path_, reason);
  throw io_error("write a row to", path_, reason);
}

void GrowingCsv::add(const CsvTable& rows) {
  if (!file_.is_open()) {
    write_file_atomically(path_, to_csv({.header = rows.header, .rows = {}}));
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!file_.is_open()) throw io_error("write", path_, errno);
  }
  append(rows);
}

void GrowingCsv::replace_last(const CsvTable& rows) {
  if (!file_.is_open()) return add(rows);  // the last one could not be written
  if (::ftruncate(file_.number(), last_) != 0) throw io_error("write a row to", path_, errno);
  append(rows);
}

}  // namespace ridgeline
