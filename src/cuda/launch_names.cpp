#include "cuda/launch_names.h"

#include <utility>

#include "cuda/cupti_library.h"
#include "cuda/kernel_name.h"
#include "cuda/launch_calls.h"
#include "cuda/launch_stream.h"

namespace ridgeline {

LaunchNames::LaunchNames(BeforeLaunch before) : before_(std::move(before)) {
  cupti().check(cupti().subscribe(&subscriber_, &on_call, this), "subscribing");
  const auto listen = [&](const ApiCall& call) {
    static_cast<void>(cupti().enable_callback(1, subscriber_, call.domain, call.id));
  };
  for (const ApiCall& call : kRuntimeKernelCalls) listen(call);
  for (const ApiCall& call : kDriverKernelCalls) listen(call);
}

LaunchNames::~LaunchNames() { cupti().unsubscribe(subscriber_); }

// A launch of the runtime makes one of the driver: only the outer one counts. So does one of
// before_(), which comes back here while it runs.
void LaunchNames::on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  thread_local bool inside_runtime = false;
  thread_local bool inside_before = false;
  if (inside_before) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && inside_runtime) return;
  const bool enters = call.callbackSite == CUPTI_API_ENTER;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) inside_runtime = enters;
  if (!enters) return;
  auto& names = *static_cast<LaunchNames*>(self);
  names.add(call.symbolName);
  if (!names.before_) return;
  inside_before = true;
  names.before_(stream_of_launch(domain, id, call.functionParams));
  inside_before = false;
}

void LaunchNames::add(const char* name) {
  const std::lock_guard lock(mutex_);
  names_.push_back(name);
}

std::vector<std::string> LaunchNames::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  names.reserve(names_.size());
  for (const char* const name : names_) names.push_back(demangled_kernel(name));
  names_.clear();
  return names;
}

}  // namespace ridgeline
