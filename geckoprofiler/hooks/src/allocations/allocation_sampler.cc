#include "allocations/allocation_sampler.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "allocations/next_allocator.h"
#include "allocations/poisson.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/marker_abi.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/base/raw_syscall.h"
#include "runtime/hook_marker.h"
#include "runtime/inside_hook.h"

namespace geckoprof {
namespace {

constexpr char kIntervalVariable[] = "GECKOPROF_ALLOCATION_INTERVAL";
constexpr uint64_t kRareMeanBytes = 64 * 1024;  // from here on few blocks are sampled
constexpr size_t kFewBlocks = size_t{1} << 18, kManyBlocks = size_t{1} << 22;

// The most that a thread counts before it adds that to the counter of all threads.
constexpr int64_t kMostPendingBytes = 16 * 1024;
constexpr int64_t kMostPendingOperations = 64;

// The viewer knows the type. `size` is the weight, and negative for a free.
constexpr geckoprof_marker_field kFields[] = {
    {"size", nullptr, "bytes", GECKOPROF_FIELD_INT64, 0},
    {"memoryAddress", nullptr, "integer", GECKOPROF_FIELD_UINT64, 0},
    {"threadId", nullptr, "integer", GECKOPROF_FIELD_INT64, 0},
    {"blockSize", nullptr, "bytes", GECKOPROF_FIELD_UINT64, 0},
};
struct [[gnu::packed]] Payload {
  int64_t weight;
  uint64_t address;
  int64_t thread;
  uint64_t block_bytes;
};

consteval geckoprof_marker_type MakeType() {
  geckoprof_marker_type type = MakeHookMarkerType("Native allocation", kFields);
  type.flags = GECKOPROF_TYPE_NO_SCHEMA;
  return type;
}
constinit geckoprof_marker_type g_type = MakeType();
constinit geckoprof_marker_site g_site = MakeHookMarkerSite("Native allocation", &g_type, 0);

void Mark(uint32_t flags, uint64_t time, const Payload& payload, uint32_t skipped_frames) {
  const geckoprof_piece piece = {&payload, sizeof(payload)};
  geckoprof_marker_options options = {};
  options.size_bytes = sizeof(options);
  options.flags = GECKOPROF_MARKER_INSTANT | GECKOPROF_MARKER_WITH_STACK | flags;
  options.time = time;
  options.skipped_frames = skipped_frames;
  (void)geckoprof_base_add_marker(&g_site, &options, &piece, 1);
}

// Returns a number of bytes such as 4096, 512K or 1MiB, or 0 if the text is none.
uint64_t ReadBytes(const char* text) {
  if (text == nullptr || *text < '0' || *text > '9') return 0;
  char* end = nullptr;
  const unsigned long long number = strtoull(text, &end, 10);
  const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
  if (shift != 0) end += end[1] == 'i' && end[2] == 'B' ? 3 : 1;
  return *end == '\0' && number <= (uint64_t{1} << 40) >> shift ? uint64_t{number} << shift : 0;
}

// Asks the kernel once for each thread, and again in a forked child.
int64_t ThreadNumber() {
  if (t_allocations.tid == 0) t_allocations.tid = RawSyscall(SYS_gettid);
  return t_allocations.tid;
}

uint64_t NextRandom(ThreadAllocations& mine) {
  if (mine.random_state == 0) mine.random_state = MixBits(geckoprof_base_time() ^ reinterpret_cast<uintptr_t>(&mine));
  mine.random_state += 0x9e3779b97f4a7c15u;
  return MixBits(mine.random_state);
}

geckoprof_counter* MemoryCounter() {
  static geckoprof_counter* counter = nullptr;
  static constexpr geckoprof_counter_description kDescription = {sizeof(kDescription),
                                                                 GECKOPROF_COUNTER_HAS_NUMBER,
                                                                 "malloc",
                                                                 "Memory",
                                                                 "Bytes in blocks of the program's allocator",
                                                                 "bytes",
                                                                 nullptr};
  return geckoprof_base_counter_create_once(&counter, &kDescription);
}

void FlushCount(ThreadAllocations& mine) {
  geckoprof_counter* const counter = MemoryCounter();
  if (counter != nullptr) {
    __atomic_fetch_add(&counter->count, mine.balance_bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counter->number, mine.operation_count, __ATOMIC_RELAXED);
  }
  mine.balance_bytes = mine.operation_count = 0;
}

// The key of a destructor that runs at the end of each thread that counted. It is -1 before Prepare.
constinit std::atomic<int64_t> g_end_of_thread{-1};
constinit std::atomic<bool> g_is_prepared{false};

// Returns the bytes of a block, or `otherwise`. An allocator that has not come to its own constructor may not be asked.
int64_t BytesOf(const void* block, size_t otherwise) {
  if (!g_is_prepared.load(std::memory_order_relaxed)) return static_cast<int64_t>(otherwise);
  const InsideHook inside;  // an allocator may allocate for the answer
  return static_cast<int64_t>(UsableBytes(block));
}

}  // namespace

constinit thread_local ThreadAllocations t_allocations;
constinit AllocationSampler g_allocation_sampler;

// A block may come before any constructor of ours, so the first block reads the environment.
uint64_t AllocationSampler::MeanBytes() {
  uint64_t bytes = mean_bytes_.load(std::memory_order_relaxed);
  if (bytes != 0) return bytes;
  bytes = ReadBytes(getenv(kIntervalVariable));
  if (bytes == 0) bytes = kDefaultMeanBytes;
  mean_bytes_.store(bytes, std::memory_order_relaxed);
  return bytes;
}

bool AllocationSampler::Prepare() {
  pthread_atfork(nullptr, nullptr, [] { t_allocations.tid = 0; });
  pthread_key_t key = 0;
  const auto flush = [](void* mine) { FlushCount(*static_cast<ThreadAllocations*>(mine)); };
  if (pthread_key_create(&key, flush) == 0) g_end_of_thread.store(key, std::memory_order_relaxed);
  g_is_prepared.store(true, std::memory_order_relaxed);
  const char* const interval = getenv(kIntervalVariable);
  return interval == nullptr || ReadBytes(interval) != 0;
}

void AllocationSampler::FlushThread() {
  if (t_allocations.operation_count != 0) FlushCount(t_allocations);
}

[[gnu::always_inline]] inline void AllocationSampler::Sample(const void* block, size_t bytes) {
  ThreadAllocations& mine = t_allocations;
  const uint64_t mean_bytes = MeanBytes();
  const auto mean = static_cast<double>(mean_bytes);
  if (mean_bytes <= 1) {
    mine.left_bytes = 0;
  } else {
    const bool is_first = mine.random_state == 0;
    const int64_t next = BytesToNextHit(mean, NextRandom(mine));
    // The first draw of a thread comes before the block. A later one comes after the hit, which was in the block.
    mine.left_bytes = is_first ? mine.left_bytes + next : next;
    if (is_first && mine.left_bytes >= 0) return;
    if (is_first) mine.left_bytes = BytesToNextHit(mean, NextRandom(mine));
  }
  const InsideHook inside;
  if (!live_.Reserve(mean_bytes < kRareMeanBytes ? kManyBlocks : kFewBlocks)) return;
  const auto address = reinterpret_cast<uintptr_t>(block);
  const int64_t weight = SampleWeight(bytes, mean);
  // The block was freed where no hook saw it.
  if (int64_t old_weight = 0; live_.MayHave(address) && live_.Take(address, old_weight)) {
    Mark(GECKOPROF_MARKER_NOW, 0, {-old_weight, address, ThreadNumber(), 0}, 2);
  }
  if (!live_.Add(address, weight)) return;
  Mark(GECKOPROF_MARKER_NOW, 0, {weight, address, ThreadNumber(), bytes}, 2);
}

void AllocationSampler::Record(uint32_t wanted, const void* block, size_t bytes) {
  const bool is_hit = (wanted & kFeatureNativeAllocations) != 0 && t_allocations.left_bytes < 0;
  if (block == nullptr || IsInsideHook()) {
    if (is_hit) t_allocations.left_bytes += static_cast<int64_t>(bytes) + 1;  // a later block is the hit
    return;
  }
  if ((wanted & kFeatureMemory) != 0) Count(BytesOf(block, bytes));
  if (is_hit) Sample(block, bytes);
}

AllocationSampler::Freed AllocationSampler::BeginRelease(const void* block) {
  Freed freed;
  if (block == nullptr) return freed;
  if (HookFeatures(kFeatureMemory) != 0 && !IsInsideHook()) Count(-BytesOf(block, 0));
  if (live_.Take(reinterpret_cast<uintptr_t>(block), freed.weight)) freed.time = geckoprof_base_time();
  return freed;
}

void AllocationSampler::EndRelease(const void* block, const Freed& freed) {
  if (freed.time == 0 || HookFeatures(kFeatureNativeAllocations) == 0) return;
  const InsideHook inside;
  Mark(0, freed.time, {-freed.weight, reinterpret_cast<uintptr_t>(block), ThreadNumber(), 0}, 2);
}

void AllocationSampler::UndoRelease(const void* block, const Freed& freed) {
  if (HookFeatures(kFeatureMemory) != 0 && !IsInsideHook()) Count(BytesOf(block, 0));
  if (freed.time != 0) (void)live_.Add(reinterpret_cast<uintptr_t>(block), freed.weight);
}

void AllocationSampler::Count(int64_t bytes) {
  ThreadAllocations& mine = t_allocations;
  mine.balance_bytes += bytes;
  const int64_t end_of_thread = g_end_of_thread.load(std::memory_order_relaxed);
  if (mine.operation_count == 0 && end_of_thread >= 0) {
    const InsideHook inside;  // libc may allocate for this
    pthread_setspecific(static_cast<pthread_key_t>(end_of_thread), &mine);
  }
  ++mine.operation_count;
  if (std::abs(mine.balance_bytes) < kMostPendingBytes && mine.operation_count < kMostPendingOperations) return;
  const InsideHook inside;
  FlushCount(mine);
}

}  // namespace geckoprof
