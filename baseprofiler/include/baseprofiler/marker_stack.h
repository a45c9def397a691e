#ifndef GECKOPROF_BASEPROFILER_MARKER_STACK_H_
#define GECKOPROF_BASEPROFILER_MARKER_STACK_H_

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/stack_capture_options.h"
#if !GECKOPROF_IS_ENABLED_
#include <atomic>
#endif

namespace geckoprof {

namespace internal {

// SharedBacktrace holds a backtrace on the heap for one or more MarkerStacks. The last one destroys it. Threads: any.
class SharedBacktrace {
 public:
  // Makes it from a copy of a backtrace, or from a smart pointer to one.
  template <typename Holder>
  static SharedBacktrace* Make(Holder&& holder) {
    return new Holding<Plain<Holder>>(std::forward<Holder>(holder));
  }
  SharedBacktrace(const SharedBacktrace&) = delete;
  SharedBacktrace& operator=(const SharedBacktrace&) = delete;

  // Returns the address of what was given to Make.
  const void* held() const { return held_; }
#if GECKOPROF_IS_ENABLED_  // <atomic> costs compile time.
  void Acquire() { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }
  void Release() {
    if (__atomic_fetch_sub(&references_, 1, __ATOMIC_ACQ_REL) == 1) destroy_(this);
  }
#else
  void Acquire() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(this);
  }
#endif

 private:
  template <typename Holder>
  struct Holding;

  SharedBacktrace(const void* held, void (*destroy)(SharedBacktrace*)) : held_(held), destroy_(destroy) {}

  const void* const held_;
  void (*const destroy_)(SharedBacktrace*);
#if GECKOPROF_IS_ENABLED_
  uint32_t references_ = 1;
#else
  std::atomic<uint32_t> references_{1};
#endif
};

template <typename Holder>
struct SharedBacktrace::Holding : SharedBacktrace {
  template <typename Source>
  explicit Holding(Source&& given)  // NOLINT: a Holding is never copied
      : SharedBacktrace(&holder, [](SharedBacktrace* shared) { delete static_cast<Holding*>(shared); }),
        holder(std::forward<Source>(given)) {}
  const Holder holder;
};

GECKOPROF_DETECTOR_(kHasThreadAndTime,
                    std::declval<const Type&>().thread_id().ToNumber() + std::declval<const Type&>().monotonic_ns());

}  // namespace internal

// MarkerStack is the stack that a marker has. Names follow Firefox.
//
//   MarkerStack::Capture()                        the calling thread's, here and now
//   MarkerStack::Capture(StackCaptureOptions::NonNative)    its open labels alone
//   MarkerStack::UseBacktrace(*backtrace)         one that was captured before (profiler_backtrace.h)
//   MarkerStack::TakeBacktrace(std::move(backtrace))        the same, destroyed with the last copy
class MarkerStack {
 public:
  MarkerStack() = default;
  // There is no move, because a stack that was moved from would refer to a backtrace that may be destroyed.
  MarkerStack(const MarkerStack& other)
      : stack_(other.stack_), flags_(other.flags_), copy_(other.copy_), owned_(other.owned_) {
    if (owned_ != nullptr) owned_->Acquire();
  }
  MarkerStack& operator=(const MarkerStack& other) {
    if (this == &other) return *this;
    if (other.owned_ != nullptr) other.owned_->Acquire();
    if (owned_ != nullptr) owned_->Release();
    stack_ = other.stack_;
    flags_ = other.flags_;
    copy_ = other.copy_;
    owned_ = other.owned_;
    return *this;
  }
  ~MarkerStack() {
    if (owned_ != nullptr) owned_->Release();
  }

  static MarkerStack NoStack() { return {}; }
  static MarkerStack Capture(StackCaptureOptions options = StackCaptureOptions::Full) {
    MarkerStack stack;
    if (options == StackCaptureOptions::Full) stack.flags_ = GECKOPROF_MARKER_WITH_STACK;
    if (options == StackCaptureOptions::NonNative) stack.flags_ = GECKOPROF_MARKER_WITH_LABELS;
    return stack;
  }
  static MarkerStack WithCaptureOptions(StackCaptureOptions options) { return Capture(options); }
  static MarkerStack MaybeCapture(bool capture) { return capture ? Capture() : NoStack(); }
  // Copies nothing. The backtrace must stay unchanged until the marker is made, or until the scope of a scope's marker
  // has begun.
  template <typename Backtrace>
  static MarkerStack UseBacktrace(const Backtrace& backtrace) {
    MarkerStack stack;
    if constexpr (std::is_copy_constructible_v<Backtrace>) {
      stack.copy_ = [](const void* context) {
        return internal::SharedBacktrace::Make(*static_cast<const Backtrace*>(context));
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
    if constexpr (internal::kHasThreadAndTime<Backtrace>) {
      stack.stack_.monotonic_ns = backtrace.monotonic_ns();
      stack.stack_.thread = backtrace.thread_id().ToNumber();
    }
    return stack;
  }
  // `Pointer` is a std::unique_ptr or a similar type, and is moved from. A null pointer gives no stack.
  template <typename Pointer>
  static MarkerStack TakeBacktrace(Pointer&& backtrace) {
    static_assert(!std::is_lvalue_reference_v<Pointer>, "TakeBacktrace takes std::move(backtrace)");
    if (backtrace == nullptr) return NoStack();
    MarkerStack stack = UseBacktrace(*backtrace);
    stack.owned_ = internal::SharedBacktrace::Make(std::forward<Pointer>(backtrace));
    return stack;
  }
  // Replaces a backtrace that this stack only refers to by a copy on the heap, if it can be copied.
  void Keep() {
    if (copy_ == nullptr || owned_ != nullptr) return;
    owned_ = copy_(stack_.context);
    stack_.context = owned_->held();
  }

  bool IsNoStack() const { return flags_ == 0 && stack_.frame_count == 0; }
  uint32_t flags() const { return flags_; }
  const geckoprof_stack* stored() const { return stack_.frame_count == 0 ? nullptr : &stack_; }

 private:
  geckoprof_stack stack_ = {};
  uint32_t flags_ = 0;
  internal::SharedBacktrace* (*copy_)(const void* context) = nullptr;
  internal::SharedBacktrace* owned_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_STACK_H_
