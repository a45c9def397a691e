// pthread_create. The new thread has a slot with the bounds of its stack before the program's code runs on it.
#include <pthread.h>
#include <sys/prctl.h>

#include "geckoprof/threads/thread_slot.h"
#include "hooks/hook_calls.h"
#include "libc/real_functions.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

using CreateFunction = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
constinit RealFunction<CreateFunction> g_create("pthread_create");

// The lowest part of a stack does not count as known, because the size of libc's own data at its top is not exactly
// known.
constexpr uintptr_t kMargin = 8 * 1024;

struct StackSize {
  uintptr_t low = 0;  // of a stack that the caller provided
  size_t size_bytes = 0;
  size_t guard_bytes = 0;
};

StackSize SizeFrom(const pthread_attr_t* attributes) {
  StackSize size;
  void* address = nullptr;
  if (attributes != nullptr) {
    pthread_attr_getguardsize(attributes, &size.guard_bytes);
    // If the attributes name no stack, glibc computes an address from 0, which is below any real address.
    if (pthread_attr_getstack(attributes, &address, &size.size_bytes) == 0 && address != nullptr &&
        reinterpret_cast<uintptr_t>(address) + size.size_bytes > size.size_bytes) {
      size.low = reinterpret_cast<uintptr_t>(address);
    }
    if (size.size_bytes != 0) return size;
  }
  pthread_attr_t defaults;
  if (pthread_getattr_default_np(&defaults) == 0) {
    pthread_attr_getstacksize(&defaults, &size.size_bytes);
    pthread_attr_getguardsize(&defaults, &size.guard_bytes);
    pthread_attr_destroy(&defaults);
  }
  return size;
}

// The creating thread fills the slot, and the new thread reads it. The slot carries the arguments, so nothing is
// allocated.
void* StartThread(void* argument) {
  auto* const slot = static_cast<ThreadSlot*>(argument);
  void* (*const function)(void*) = slot->start_function;
  void* const function_argument = slot->start_argument;
  // glibc puts the thread's control block at the top of its stack. Frames lie below it.
  const uintptr_t high = reinterpret_cast<uintptr_t>(pthread_self());
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // The creator left the size, and the low end of a provided stack.
  const uintptr_t size = slot->stack_high;
  const uintptr_t given_low = slot->stack_low;
  uintptr_t low = given_low != 0 ? given_low : high - size + kMargin;
  uintptr_t end = high;
  // The bounds must hold this frame. Otherwise they are unknown.
  if (size == 0 || here < low || here >= end) low = end = 0;
  const int hidden_signal = slot->hidden_signal;
  InheritSignalMask(*slot, hidden_signal);
  ThreadSlot* const mine = RecordingState::Get().slots().Begin(slot, low, end);
  if (mine != slot) InheritSignalMask(*mine, hidden_signal);
  return function(function_argument);
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                                    void* argument) {
  using namespace geckoprof;
  RecordingState& state = RecordingState::Get();
  ThreadSlot* const slot = state.IsActive() ? state.slots().Claim() : nullptr;
  if (slot == nullptr) return g_create.get()(thread, attributes, function, argument);
  const StackSize size = SizeFrom(attributes);
  slot->start_function = function;
  slot->start_argument = argument;
  const ThreadSlot* const mine = ThreadSlots::Known();
  slot->hidden_signal = mine != nullptr ? mine->hidden_signal : 0;
  slot->stack_low.store(size.low, std::memory_order_relaxed);
  slot->stack_high.store(size.size_bytes > size.guard_bytes ? size.size_bytes - size.guard_bytes : 0,
                         std::memory_order_relaxed);
  const int result = g_create.get()(thread, attributes, &StartThread, slot);
  if (result != 0) state.slots().Unclaim(slot);
  return result;
}

namespace geckoprof {
namespace {

constinit RealFunction<int(pthread_t, const char*)> g_set_name("pthread_setname_np");

// Returns the slot of `thread`. It is the caller's slot, or the slot with a stack that ends at the thread's control
// block. libc gives the stack of an ended thread to a new one. The ended thread's slot is live until the sampler has
// seen its end, so the newest slot counts. Returns null if the caller may have just made the thread and it has not
// begun. The sampler then reads its name.
ThreadSlot* FindSlot(pthread_t thread) {
  ThreadSlots& slots = RecordingState::Get().slots();
  if (pthread_equal(thread, pthread_self()) != 0) return slots.Current();
  const ThreadRegistry& registry = slots.registry();
  if (registry.HasClaimed(CurrentThread())) return nullptr;
  ThreadSlot* found = nullptr;
  registry.ForEachLive([&](ThreadSlot& slot) {
    if (slot.stack_high != reinterpret_cast<uintptr_t>(thread)) return;
    if (found == nullptr || slot.published_ns > found->published_ns) found = &slot;
  });
  return found;
}

// Returns false in the child of a vfork, which has its parent's memory, and under a seccomp filter.
bool IsNoted() {
  const RecordingState& state = RecordingState::Get();
  return state.IsActive() && !state.HasStoppedForGood() && state.IsThisProcess();
}

void Note(ThreadSlot* slot, const char* name) {
  if (slot == nullptr) return;
  slot->SetKernelName(name);
  RecordingState::Get().AnnounceName();
}

}  // namespace

void NoteThreadName(int option, unsigned long name) {
  if (option != PR_SET_NAME || !IsNoted()) return;
  Note(RecordingState::Get().slots().Current(), reinterpret_cast<const char*>(name));  // NOLINT: as prctl(2)
}

}  // namespace geckoprof

GECKOPROF_EXPORT int pthread_setname_np(pthread_t thread, const char* name) {
  const int result = geckoprof::g_set_name.get()(thread, name);
  if (result == 0 && geckoprof::IsNoted()) geckoprof::Note(geckoprof::FindSlot(thread), name);
  return result;
}
