// Names of threads. The sampler reads names now and then, and would miss the names of short threads.
#include <pthread.h>
#include <sys/prctl.h>

#include "geckoprof/threads/thread_slot.h"
#include "hooks/hook_calls.h"
#include "libc/real_functions.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

constinit RealFunction<int(pthread_t, const char*)> g_set_name("pthread_setname_np");

// Returns the slot of `thread`. It is the caller's slot, or the slot with a stack that ends at the thread's control
// block (thread_hooks.cc). libc gives the stack of an ended thread to a new one. The ended thread's slot is live until
// the sampler has seen its end, so the newest slot counts. Returns null if the caller may have just made the thread and
// it has not begun. The sampler then reads its name.
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
