// For programs under TSan: base's table once more, with the owner's Tick called on a thread that the sanitizer knows.
// It keeps its state in thread-local memory, which the sampler thread does not have. Not instrumented itself.
//
//   base's sampler:  tick | RelayTick: one word, futex wake          (no instrumented code)
//   relay thread:                        owner's Tick | wait         (made by take_over, joined by hand_back)
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {
namespace {

const HandoverTable* g_base = nullptr;
HandoverTable g_table = {};

// The library asks for one change at a time, so `thread`, `pid` and `table` need no lock.
struct Relay {
  std::atomic<const OwnerTable*> owner{nullptr};
  std::atomic<uint64_t> last{0};  // tick_ns << 1 | sampled
  std::atomic<uint32_t> sequence{0};
  std::atomic<bool> ends{false};
  pthread_t thread = {};
  pid_t pid = 0;
  OwnerTable table = {};

  static void Tick(void*, int64_t tick_ns, uint32_t sampled);
  static void Changed(void*, uint32_t state);
  static void* Run(void*);
};
Relay g_relay;

// Not common/base's: the library's copy of that is instrumented here.
void Wake() { RawSyscall(SYS_futex, &g_relay.sequence, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }
void WaitWhile(uint32_t seen) {
  RawSyscall(SYS_futex, &g_relay.sequence, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void Relay::Tick(void*, int64_t tick_ns, uint32_t sampled) {
  g_relay.last = static_cast<uint64_t>(tick_ns) << 1 | (sampled != 0 ? 1 : 0);
  ++g_relay.sequence;
  Wake();
}

void Relay::Changed(void*, uint32_t state) {
  if (const OwnerTable* const owner = g_relay.owner) owner->state_changed(owner->context, state);
}

void* Relay::Run(void*) {
  const OwnerTable* const owner = g_relay.owner;
  for (uint32_t seen = 0; !g_relay.ends;) {
    const uint32_t now = g_relay.sequence;
    if (now == seen) {
      WaitWhile(seen);
      continue;
    }
    seen = now;
    const uint64_t last = g_relay.last;
    if (last != 0) owner->tick(owner->context, static_cast<int64_t>(last >> 1), static_cast<uint32_t>(last & 1));
  }
  return nullptr;
}

int32_t TakeOver(const OwnerTable* owner, int64_t timeout_ns) {
  if (g_relay.owner != nullptr && g_relay.pid == getpid()) return g_base->take_over(owner, timeout_ns);
  g_relay.table = *owner;
  g_relay.table.tick = &Relay::Tick;
  g_relay.table.state_changed = &Relay::Changed;
  const int32_t result = g_base->take_over(&g_relay.table, timeout_ns);
  if (result != static_cast<int32_t>(HandoverResult::kDone)) return result;
  g_relay.owner = owner;
  g_relay.ends = false;
  g_relay.last = 0;
  g_relay.pid = getpid();
  if (pthread_create(&g_relay.thread, nullptr, &Relay::Run, nullptr) != 0) __builtin_trap();
  return result;
}

int32_t HandBack(const OwnerTable* owner, int64_t timeout_ns) {
  if (g_relay.owner != owner) return g_base->hand_back(owner, timeout_ns);
  const int32_t result = g_base->hand_back(&g_relay.table, timeout_ns);
  if (result != static_cast<int32_t>(HandoverResult::kDone)) return result;
  g_relay.ends = true;
  ++g_relay.sequence;
  Wake();
  if (g_relay.pid == getpid()) pthread_join(g_relay.thread, nullptr);  // else it is the forked parent's
  g_relay.owner = nullptr;
  return result;
}

const OwnerTable* Owner() {
  const OwnerTable* const owner = g_base->owner();
  return owner == &g_relay.table ? g_relay.owner.load() : owner;
}

}  // namespace
}  // namespace geckoprof

// Found before base's: the program's symbols come first.
extern "C" __attribute__((visibility("default"))) const geckoprof::HandoverTable* geckoprof_base_handover_table() {
  using geckoprof::g_base, geckoprof::g_table;
  if (g_base != nullptr) return &g_table;
  const auto get =
      reinterpret_cast<geckoprof::HandoverTableFunction*>(dlsym(RTLD_NEXT, geckoprof::kHandoverTableFunction));
  if (get == nullptr) return nullptr;
  g_table = *get();
  g_table.take_over = &geckoprof::TakeOver;
  g_table.hand_back = &geckoprof::HandBack;
  g_table.owner = &geckoprof::Owner;
  g_base = get();
  return &g_table;
}
