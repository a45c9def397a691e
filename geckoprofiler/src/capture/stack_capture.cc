#include "capture/stack_capture.h"

namespace geckoprof {

Outcome StackCapture::Capture(const Request& request, Backtrace& out) {
  out.Clear();
  if (unwinder_.IsBusyHere()) {
    return {ProfilerStatus::kWrongThread, "asked inside of an allocation that unwinding a stack makes"};
  }
  struct Call {
    StackCapture& self;
    const Request& request;
    Backtrace& out;
    bool unwound = false;
  } call{*this, request, out};
  const auto take = [](void* context, const HandoverStack* stack) {
    Call& into = *static_cast<Call*>(context);
    into.unwound = into.self.unwinder_.Unwind(*stack, into.request.native, into.self.base_.code(), into.out);
    into.out.set_thread(stack->is_main != 0, stack->pc);
  };
  Outcome outcome = base_.SampleThread(request.tid.ToNumber(), request.timeout_ns, take, &call);
  if (outcome.status != ProfilerStatus::kDone || call.unwound) return outcome;
  return {ProfilerStatus::kRefused, "there is no memory to unwind the stack with"};
}

}  // namespace geckoprof
