#ifndef GECKOPROF_BASEPROFILER_MARKER_STACK_H_
#define GECKOPROF_BASEPROFILER_MARKER_STACK_H_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/stack_capture_options.h"

namespace geckoprof {

// The stack that a marker has. Names follow the original's.
//
//   MarkerStack::Capture()                        the calling thread's, here and now
//   MarkerStack::Capture(StackCaptureOptions::NonNative)    its open labels alone
//   MarkerStack::UseBacktrace(*backtrace)         one that was captured before (profiler_backtrace.h), and lives on
//   MarkerStack::TakeBacktrace(std::move(backtrace))        the same, destroyed with the last copy
class MarkerStack {
 public:
  MarkerStack() = default;
  MarkerStack(const MarkerStack&) = default;  // and no move: what was moved from would borrow what may go
  MarkerStack& operator=(const MarkerStack&) = default;

  static MarkerStack NoStack() { return {}; }
  static MarkerStack Capture(StackCaptureOptions options = StackCaptureOptions::Full) {
    MarkerStack stack;
    if (options == StackCaptureOptions::Full) stack.flags_ = GECKOPROF_MARKER_WITH_STACK;
    if (options == StackCaptureOptions::NonNative) stack.flags_ = GECKOPROF_MARKER_WITH_LABELS;
    return stack;
  }
  static MarkerStack WithCaptureOptions(StackCaptureOptions options) { return Capture(options); }
  static MarkerStack MaybeCapture(bool capture) { return capture ? Capture() : NoStack(); }
  // Nothing is copied: until the marker is made, or a scope's has begun, the backtrace stays as it is.
  template <typename Backtrace>
  static MarkerStack UseBacktrace(const Backtrace& backtrace) {
    MarkerStack stack;
    if constexpr (std::is_copy_constructible_v<Backtrace>) {
      stack.copy_ = [](const void* context) -> std::shared_ptr<const void> {
        return std::make_shared<const Backtrace>(*static_cast<const Backtrace*>(context));
      };
    }
    stack.stack_ = {
        sizeof(geckoprof_stack),
        static_cast<uint32_t>(backtrace.size()),
        &backtrace,
        [](const void* context, uint32_t index, geckoprof_stack_frame* out) {
          const auto frame = static_cast<const Backtrace*>(context)->frame(index);
          *out = {frame.address, frame.label.data(), static_cast<uint32_t>(frame.label.size()), frame.category_pair};
        },
        0,
        0};
    if constexpr (requires { backtrace.thread_id().ToNumber(); }) {
      stack.stack_.monotonic_ns = backtrace.monotonic_ns();
      stack.stack_.thread = backtrace.thread_id().ToNumber();
    }
    return stack;
  }
  template <typename Backtrace>
  static MarkerStack TakeBacktrace(std::unique_ptr<Backtrace>&& backtrace) {
    if (backtrace == nullptr) return NoStack();
    MarkerStack stack = UseBacktrace(*backtrace);
    stack.owner_ = std::shared_ptr<const Backtrace>(std::move(backtrace));
    return stack;
  }
  // A backtrace that is borrowed becomes a copy of its own, on the heap, if it can be copied.
  void Keep() {
    if (copy_ == nullptr || owner_ != nullptr) return;
    owner_ = copy_(stack_.context);
    stack_.context = owner_.get();
  }

  bool IsNoStack() const { return flags_ == 0 && stack_.frame_count == 0; }
  uint32_t flags() const { return flags_; }
  const geckoprof_stack* stored() const { return stack_.frame_count == 0 ? nullptr : &stack_; }

 private:
  geckoprof_stack stack_ = {};
  uint32_t flags_ = 0;
  std::shared_ptr<const void> (*copy_)(const void* context) = nullptr;
  std::shared_ptr<const void> owner_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_STACK_H_
