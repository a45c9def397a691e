#include "capture/stack_capture.h"

#include "capture/stack_unwinder.h"

namespace geckoprof {
namespace {

constinit StackUnwinder g_unwinder;

struct Call {
  const BaseLink& base;
  const StackCapture::Request& request;
  StackCapture::Taken& taken;
  bool unwound = false;
};

void TakeStack(void* context, const HandoverStack* stack) {
  auto* const call = static_cast<Call*>(context);
  call->taken.is_main = stack->is_main != 0;
  call->taken.innermost_address = stack->pc;
  call->unwound = g_unwinder.Unwind(*stack, call->request.native, call->base.code(), call->taken.frames);
}

}  // namespace

ProfilerOutcome StackCapture::Take(const BaseLink& base, const Request& request, Taken& taken) {
  taken.frames.Clear();
  if (g_unwinder.IsBusyHere()) {
    return {ProfilerStatus::kWrongThread, "asked inside of an allocation that unwinding a stack makes"};
  }
  Call call{base, request, taken};
  ProfilerOutcome outcome = base.SampleThread(request.tid.ToNumber(), request.timeout_ns, &TakeStack, &call);
  if (outcome.status != ProfilerStatus::kDone || call.unwound) return outcome;
  return {ProfilerStatus::kRefused, "there is no memory to unwind the stack with"};
}

bool StackCapture::BeforeFork() { return g_unwinder.BeforeFork(); }
void StackCapture::AfterFork(bool in_child, bool held) { g_unwinder.AfterFork(in_child, held); }

}  // namespace geckoprof
