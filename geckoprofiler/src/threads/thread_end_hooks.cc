#include "thread_end_hooks.h"

#include <pthread.h>

#include <atomic>

namespace geckoprof {
namespace {

using Hook = void (*)();

// Relaxed: pthread_once makes what is in them visible.
constinit std::atomic<Hook> on_thread_end{nullptr};
constinit std::atomic<Hook> on_fork{nullptr};
constinit std::atomic<bool> has_key{false};  // release: end_key is set
pthread_key_t end_key;
pthread_once_t install_once = PTHREAD_ONCE_INIT;  // which knows of forks in the middle of it

void OnThreadEnd(void*) { on_thread_end.load(std::memory_order_relaxed)(); }
void InForkedChild() { on_fork.load(std::memory_order_relaxed)(); }

void Install() {
  pthread_atfork(nullptr, nullptr, InForkedChild);  // undone by libc when this library is unloaded
  if (pthread_key_create(&end_key, OnThreadEnd) == 0) has_key.store(true, std::memory_order_release);
}

__attribute__((destructor)) void DeleteKey() {
  if (has_key.exchange(false, std::memory_order_acq_rel)) pthread_key_delete(end_key);
}

}  // namespace

void InstallThreadEndHooks(void (*thread_ends)(), void (*in_forked_child)()) {
  Hook none = nullptr;
  on_thread_end.compare_exchange_strong(none, thread_ends, std::memory_order_relaxed);
  none = nullptr;
  on_fork.compare_exchange_strong(none, in_forked_child, std::memory_order_relaxed);
  pthread_once(&install_once, Install);
}

void WatchThreadEnd(bool watch) {
  // Any value but null; it is not used.
  if (has_key.load(std::memory_order_acquire)) pthread_setspecific(end_key, watch ? &has_key : nullptr);
}

}  // namespace geckoprof
