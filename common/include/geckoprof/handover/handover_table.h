// The table through which another library becomes the owner of base's recording, and stops being it.
#ifndef GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
#define GECKOPROF_HANDOVER_HANDOVER_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// Base is the engine in either case: one segment, one sampler thread, one list of threads. The owner gives it its
// parameters, is told of each tick and of each change of state, and may put entries into the segment.
//
//   base alone:        sampler thread: tick | tick | tick |
//   TakeOver(owner):                                       tick, owner's Tick | tick, owner's Tick |     same thread,
//   HandBack(owner):                                                                                tick | tick  same
//   segment
//
// Rules of versions. A table is never changed, only grown at its end: size_bytes says how much of it there is, and a
// function past it does not exist (Has). `version` grows when what is there changes its meaning, and then neither side
// uses the other. So an older base serves a newer full library with what it has, and a newer base an older one.
//
// Threads and context: any thread, not signal context, unless a member says otherwise. Strings are zero terminated and
// copied. Times are ns on CLOCK_MONOTONIC.

inline constexpr uint64_t kHandoverMagic = 0x5245564f48504b47;  // "GKPHOVER"
inline constexpr uint32_t kHandoverVersion = 1;

enum class HandoverResult : int32_t {
  kDone = 0,
  kOwned = 1,        // another one is the owner
  kNotOwner = 2,     // hand-back by one who is not
  kTimeout = 3,      // the sampler did not come to a tick boundary in time: nothing has changed
  kWrongThread = 4,  // asked on the sampler thread, in the child of a vfork, or inside a call of the owner's
  kMismatch = 5,     // the owner's table is of another version, or too small
};

// What a recording is asked for; the meaning and ranges of base_profiler_abi.h.
struct HandoverParameters {
  uint32_t size_bytes;  // of this struct, as the caller knows it
  uint32_t features;
  uint64_t capacity_bytes;
  int64_t interval_ns;
  int64_t duration_ns;
  const char* const* filters;
  uint32_t filter_count;
  uint32_t requested_features;  // with those that only the owner acts on
};

// State: the bits of HandoverTable::state.
inline constexpr uint32_t kStateActive = 1;
inline constexpr uint32_t kStatePaused = 2;          // neither samples nor markers
inline constexpr uint32_t kStateSamplingPaused = 4;  // no samples

// What base calls in the owner. Valid from TakeOver to the return of HandBack.
struct OwnerTable {
  uint32_t size_bytes;
  uint32_t version;
  void* context;
  // At the end of each tick, on the sampler thread, which is unknown to libc: no allocation, no errno, no lock that a
  // thread of the program may hold, no thread_local. `sampled`: 0 if sampling was paused. Once more, with 0, when a
  // recording has ended by itself: state() is then 0.
  void (*tick)(void* context, int64_t tick_ns, uint32_t sampled);
  // After a change that either API made, on the thread that made it, under a lock that hand_back takes too: so it must
  // not wait for another thread that may be in one of the calls below.
  void (*state_changed)(void* context, uint32_t state);
};

struct HandoverTable {
  uint64_t magic;
  uint32_t size_bytes;
  uint32_t version;

  // Returns once the sampler has changed over between two ticks, or at once if none is running. HandoverResult.
  int32_t (*take_over)(const OwnerTable* owner, int64_t timeout_ns);
  int32_t (*hand_back)(const OwnerTable* owner, int64_t timeout_ns);

  // As geckoprof_base_start and so on. The results of start are those of geckoprof_base_start.
  int32_t (*start)(const HandoverParameters* parameters);
  int32_t (*stop)(void);
  int32_t (*set_paused)(uint32_t kinds);  // kStatePaused | kStateSamplingPaused; 1 if the state changed
  uint32_t (*state)(void);                // a relaxed load; signal safe

  // Makes other parameters effective in the recording that runs, at a tick boundary; nothing that was recorded is lost.
  // The capacity counts from the next start on. 1 if it runs.
  int32_t (*reconfigure)(const HandoverParameters* parameters);
  // Fills `out`; filters are valid until the next start or reconfigure. 0 if inactive.
  int32_t (*parameters)(HandoverParameters* out);

  // The mapping that is recorded to, or null. It stays mapped, as zeros once it was given up.
  const void* (*segment)(uint64_t* size_bytes);
  // When the recording began, and the process's own start of time.
  int64_t (*started_ns)(void);
};

// What libbaseprofiler.so exports.
using HandoverTableFunction = const HandoverTable*();
inline constexpr char kHandoverTableFunction[] = "geckoprof_base_handover_table";

// Whether a table of `size_bytes` reaches to the end of a member.
#define GECKOPROF_TABLE_HAS(table, type, member) ((table).size_bytes >= offsetof(type, member) + sizeof(type::member))

}  // namespace geckoprof

#endif  // GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
