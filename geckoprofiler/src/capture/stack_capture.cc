#include "capture/stack_capture.h"

namespace geckoprof {

ProfilerOutcome StackCapture::Take(const Request& request, Taken& taken) {
  taken.frames.Clear();
  if (unwinder_.IsBusyHere()) {
    return {ProfilerStatus::kWrongThread, "asked inside of an allocation that unwinding a stack makes"};
  }
  struct Call {
    StackCapture& self;
    const Request& request;
    Taken& taken;
    bool unwound = false;
  } call{*this, request, taken};
  const auto take = [](void* context, const HandoverStack* stack) {
    Call& into = *static_cast<Call*>(context);
    into.taken.is_main = stack->is_main != 0;
    into.taken.innermost_address = stack->pc;
    into.unwound = into.self.unwinder_.Unwind(*stack, into.request.native, into.self.base_.code(), into.taken.frames);
  };
  ProfilerOutcome outcome = base_.SampleThread(request.tid.ToNumber(), request.timeout_ns, take, &call);
  if (outcome.status != ProfilerStatus::kDone || call.unwound) return outcome;
  return {ProfilerStatus::kRefused, "there is no memory to unwind the stack with"};
}

}  // namespace geckoprof
