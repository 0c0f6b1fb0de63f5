#include "report/plotly_script.h"

#include "core/atomic_file.h"
#include "core/resources.h"

namespace ridgeline {

std::string plotly_script() {
  const auto file = find_resource("plotly.min.js");
  return file ? read_file(*file, Bytes{20e6}) : std::string();
}

}  // namespace ridgeline
