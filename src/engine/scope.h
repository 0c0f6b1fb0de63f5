#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace ridgeline {

// What a step is doing, for whoever attributes time.
enum class StepPhase : std::uint8_t { None, Forward, Backward, Optimizer };
[[nodiscard]] constexpr const char* name_of(StepPhase phase) {
  constexpr const char* kNames[] = {"other", "forward", "backward", "optimizer"};
  return kNames[static_cast<std::size_t>(phase)];
}

// A node of autograd's graph that is about to be evaluated.
struct BackwardNode {
  const char* name{};
  std::uint64_t sequence{};  // of the op that made it; leaves' nodes have the greatest there is
  std::uint64_t forward_thread{};  // torch's number of the thread that op ran on
};

// Who hears of the scopes that models and steps open. Called on the thread that opens them, in the
// middle of a step: must be quick. Names are valid during the call alone.
class ScopeListener {
 public:
  virtual ~ScopeListener() = default;
  virtual void enter_module(const char* name) noexcept = 0;
  virtual void enter_phase(StepPhase phase) noexcept = 0;
  virtual void enter_node(const BackwardNode& node) noexcept = 0;
  virtual void leave_scope() noexcept = 0;
};

// Null while nobody listens, which is nearly always: a scope then costs one branch. Lives in the
// engine library.
extern std::atomic<ScopeListener*> scope_listener;

// A block or layer of a model, by the name of its parameters without the last word:
// "layers.3.attn". Dots make the tree.
class [[nodiscard]] ModuleScope {
 public:
  explicit ModuleScope(const std::string& name) noexcept
      : listener_(scope_listener.load(std::memory_order_acquire)) {
    if (listener_ != nullptr) [[unlikely]]
      listener_->enter_module(name.c_str());
  }
  ~ModuleScope() {
    if (listener_ != nullptr) [[unlikely]]
      listener_->leave_scope();
  }
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  ScopeListener* listener_;
};

class [[nodiscard]] PhaseScope {
 public:
  explicit PhaseScope(StepPhase phase) noexcept
      : listener_(scope_listener.load(std::memory_order_acquire)) {
    if (listener_ != nullptr) [[unlikely]]
      listener_->enter_phase(phase);
  }
  ~PhaseScope() {
    if (listener_ != nullptr) [[unlikely]]
      listener_->leave_scope();
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  ScopeListener* listener_;
};

}  // namespace ridgeline
