// The table through which another library becomes the owner of base's recording, and stops being it.
#ifndef GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
#define GECKOPROF_HANDOVER_HANDOVER_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// Base is the engine in either case: one segment, one sampler thread, one list of threads. The owner gives it its
// parameters, is told of each tick and of each change of state, and may put entries into the segment.
//
//   base alone:        sampler thread: tick | tick |
//   TakeOver(owner):                                 tick, owner's Tick | tick, owner's Tick |
//   HandBack(owner):                                                                           tick | tick
//   the thread and the segment stay the same
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
  // Before (1) and after (0) a call that the kernel allows only where there is no other thread, or that counts them, on
  // the thread that makes it and under the same lock: the owner's own threads end meanwhile, as base's does. It must
  // not wait for long.
  void (*step_aside)(void* context, uint32_t begins) = nullptr;
};

// What sample_thread came to.
enum class HandoverSample : int32_t {
  kTaken = 0,
  kNoThread = 1,     // there is none of this id in this process
  kDeaf = 2,         // it runs, and has the sampler's signal blocked; or the program lets none be sent
  kTimeout = 3,      // it did not answer in time: it gets no core, say
  kWrongThread = 4,  // asked inside of another sample_thread, on the sampler thread, or in a child nobody told base of
  kNoMemory = 5,
  kUnreadable = 6,  // it is blocked, and what it does cannot be read (no /proc, or no right to it)
  kForbidden = 7,   // a seccomp filter forbids what is needed
};

// How a stack was come by.
enum class HandoverStackSource : uint32_t {
  kOwn = 0,      // the calling thread's, in place: frames of sample_thread itself are among them
  kBlocked = 1,  // of a thread that was blocked and did not move meanwhile; pc and sp are the only registers
  kSignal = 2,   // copied by the thread itself
};

// An open label. `text` is not terminated.
struct HandoverLabel {
  uint64_t stack_address;  // it belongs to the frame that this lies in
  const char* text;
  uint32_t text_bytes;
  uint32_t category_pair;
};

// One thread's stack at one moment. Everything in it is valid during the call that brings it.
struct HandoverStack {
  uint32_t size_bytes;  // of this struct, as base knows it
  int32_t tid;
  HandoverStackSource source;
  uint32_t is_main;        // 1: the thread that the process began with
  uint64_t pc, sp;         // among the registers too
  uint64_t known;          // bit N: registers[N] is known
  uint64_t registers[33];  // by DWARF number, sp and pc included
  const uint8_t* bytes;    // what lay on the stack from bytes_avma on
  uint64_t bytes_avma;
  uint64_t byte_count;
  uint32_t is_whole;  // 1: the bytes reach the stack's end
  uint32_t label_count;
  const HandoverLabel* labels;  // outermost first
  uint32_t label_size_bytes;    // from one to the next
  uint32_t labels_missing;      // that are open too
  uint32_t unloads;             // begins and ends of the program's dlclose so far
  uint32_t reserved;
};
static_assert(sizeof(HandoverLabel) == 24 && sizeof(HandoverStack) == 360 && offsetof(HandoverStack, registers) == 40);

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
  // The duration counts from this call.
  // A smaller capacity than before counts from the next start on. 1 if it runs.
  int32_t (*reconfigure)(const HandoverParameters* parameters);
  // Fills `out`; filters are valid until the next start or reconfigure. 0 if inactive.
  int32_t (*parameters)(HandoverParameters* out);

  // Where a byte of the segment is mapped, and how many follow it there; null: nothing is recorded, or it ends before
  // that. What was given stays mapped, as zeros once the recording was given up.
  const void* (*segment_at)(uint64_t offset, uint64_t* bytes);
  // When the recording began.
  int64_t (*started_ns)(void);

  // Captures one thread, 0 or the caller's own id: the calling one, also while nothing is recorded, and calls `take`
  // with it, on the calling thread. A thread that is blocked is read without its doing anything; one that runs is sent
  // the sampler's signal, of which it notices nothing, and is not stopped. Of two callers with other threads' ids one
  // waits for the other. HandoverSample; `take` was called if it is kTaken.
  int32_t (*sample_thread)(int32_t tid, int64_t timeout_ns, void (*take)(void* context, const HandoverStack* stack),
                           void* context);

  // Around a fork, on the thread that forks. From hold_for_fork on no other thread starts, stops, pauses, hands over or
  // forks, until let_go, in the parent and in the child. Recursive. 0: not held, and let_go must not be called.
  int32_t (*hold_for_fork)(void);
  void (*let_go)(void);

  // Whether the sampler runs on this thread. A load.
  int32_t (*is_sampler)(int32_t tid);

  // Who owns the recording, to be compared and nothing else; null: nobody. A load.
  const OwnerTable* (*owner)(void);

  // What profiles of this process take for its beginning, also before the first recording.
  int64_t (*process_start_ns)(void);

  // Until the sampler has written what threads told it so far, at most `most_ns`: that they began, their names, the
  // stacks that markers left to it, counters. Before the segment is read by whoever is to find these. Not signal
  // context; not the sampler's thread.
  void (*settle)(int64_t most_ns);
};

// What libbaseprofiler.so exports.
using HandoverTableFunction = const HandoverTable*();
inline constexpr char kHandoverTableFunction[] = "geckoprof_base_handover_table";

// Whether a table of `size_bytes` reaches to the end of a member.
#define GECKOPROF_TABLE_HAS(table, type, member) ((table).size_bytes >= offsetof(type, member) + sizeof(type::member))

}  // namespace geckoprof

#endif  // GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
