#include "cuda/launch_names.h"

#include "cuda/cupti_library.h"
#include "cuda/kernel_name.h"
#include "cuda/launch_calls.h"

namespace ridgeline {

LaunchNames::LaunchNames() {
  cupti().check(cupti().subscribe(&subscriber_, &on_call, this), "subscribing");
  const auto listen = [&](const ApiCall& call) {
    static_cast<void>(cupti().enable_callback(1, subscriber_, call.domain, call.id));
  };
  for (const ApiCall& call : kRuntimeKernelCalls) listen(call);
  for (const ApiCall& call : kDriverKernelCalls) listen(call);
}

LaunchNames::~LaunchNames() { cupti().unsubscribe(subscriber_); }

// A launch of the runtime makes one of the driver: only the outer one counts.
void LaunchNames::on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId /*id*/,
                          const void* data) {
  thread_local bool inside_runtime = false;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && inside_runtime) return;
  const bool enters = call.callbackSite == CUPTI_API_ENTER;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) inside_runtime = enters;
  if (!enters) return;
  auto& names = *static_cast<LaunchNames*>(self);
  const std::lock_guard lock(names.mutex_);
  names.names_.push_back(call.symbolName);
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
