#include "runtime/base_heap.h"

#include <sys/mman.h>

#include <bit>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

constexpr size_t kRegionBytes = 256 * 1024;
constexpr size_t kHeaderBytes = 16;     // The caller's part stays aligned for any type.
constexpr uint32_t kSmallestClass = 5;  // 32 bytes with the header
constexpr uint32_t kLargestClass = 15;  // 32 KiB
constexpr uint32_t kEscapes = 2;

struct Header {
  uint64_t size_class;  // a mapping of its own stores its size here
  Header* next;         // used while the block is free
};
static_assert(sizeof(Header) == kHeaderBytes);

constinit FutexLock g_lock;
Header* g_free[kLargestClass + 1];
uint8_t* g_region;
size_t g_region_left;

// An Escape is the place to which Allocate jumps when memory runs out. Each thread may leave only its own frames,
// so each escape belongs to one thread.
struct Escape {
  std::atomic<int32_t> tid;
  void* buffer[5];  // for __builtin_setjmp
};
constinit Escape g_escapes[kEscapes]{};

int32_t CurrentTid() { return static_cast<int32_t>(RawSyscall(SYS_gettid)); }

void* MapMemory(size_t bytes) {
  const long result =
      RawSyscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return IsSyscallError(result) ? nullptr : reinterpret_cast<void*>(result);
}

[[noreturn]] void OutOfMemory() {
  const int32_t tid = CurrentTid();
  for (Escape& escape : g_escapes) {
    if (escape.tid.load(std::memory_order_relaxed) == tid) __builtin_longjmp(escape.buffer, 1);
  }
  __builtin_trap();  // Every thread of base arms an escape before it allocates.
}

Header* AllocateSmall(uint32_t size_class) {
  FutexLockHolder holder(g_lock);
  Header* block = g_free[size_class];
  if (block != nullptr) {
    g_free[size_class] = block->next;
    return block;
  }
  const size_t bytes = size_t{1} << size_class;
  if (g_region_left < bytes) {
    auto* const region = static_cast<uint8_t*>(MapMemory(kRegionBytes));
    if (region == nullptr) return nullptr;
    g_region = region;  // the rest of the last region is lost, at most 32 KiB of it
    g_region_left = kRegionBytes;
  }
  block = reinterpret_cast<Header*>(g_region);
  g_region += bytes;
  g_region_left -= bytes;
  block->size_class = size_class;
  return block;
}

}  // namespace

void* BaseHeap::Allocate(size_t size_bytes) {
  const size_t with_header = size_bytes + kHeaderBytes;
  if (with_header < size_bytes) OutOfMemory();
  Header* block = nullptr;
  if (with_header <= size_t{1} << kLargestClass) {
    const auto size_class = static_cast<uint32_t>(std::bit_width(with_header - 1));
    block = AllocateSmall(size_class < kSmallestClass ? kSmallestClass : size_class);
  } else {
    block = static_cast<Header*>(MapMemory(with_header));
    if (block != nullptr) block->size_class = with_header;
  }
  if (block == nullptr) OutOfMemory();
  return reinterpret_cast<uint8_t*>(block) + kHeaderBytes;
}

void BaseHeap::Free(void* memory) {
  if (memory == nullptr) return;
  auto* const block = reinterpret_cast<Header*>(static_cast<uint8_t*>(memory) - kHeaderBytes);
  if (block->size_class > kLargestClass) {
    RawSyscall(SYS_munmap, block, block->size_class);
    return;
  }
  FutexLockHolder holder(g_lock);
  block->next = g_free[block->size_class];
  g_free[block->size_class] = block;
}

bool BaseHeap::RunOrEscape(void (*body)(void*), void* argument) {
  const int32_t tid = CurrentTid();
  Escape* mine = nullptr;
  for (Escape& escape : g_escapes) {
    int32_t none = 0;
    if (escape.tid.compare_exchange_strong(none, tid, std::memory_order_acq_rel)) {
      mine = &escape;
      break;
    }
  }
  if (mine == nullptr) return false;
  Escape* volatile const armed = mine;  // The pointer keeps its value across the jump.
  bool completed = false;
  if (__builtin_setjmp(armed->buffer) == 0) {
    body(argument);
    completed = true;
  }
  armed->tid.store(0, std::memory_order_release);
  return completed;
}

void BaseHeap::AbandonAfterFork() {
  g_lock.ResetInForkedChild();
  for (Header*& list : g_free) list = nullptr;
  g_region = nullptr;
  g_region_left = 0;
  for (Escape& escape : g_escapes) escape.tid.store(0, std::memory_order_relaxed);
}

}  // namespace geckoprof
