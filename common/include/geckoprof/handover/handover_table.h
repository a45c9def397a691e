// The table through which another library becomes the owner of base's recording and later gives it back.
#ifndef GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
#define GECKOPROF_HANDOVER_HANDOVER_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace geckoprof {

// Base is the engine in any case. There is one segment, one sampler thread and one list of threads. The owner gives
// base its parameters, learns of each tick and each change of state, and may write entries into the segment.
//
//   base alone:        sampler thread: tick | tick |
//   TakeOver(owner):                                 tick, owner's Tick | tick, owner's Tick |
//   HandBack(owner):                                                                           tick | tick
//   the thread and the segment stay the same
//
// Versions. A table never changes, but it may grow at its end. `size_bytes` is its size, and a function beyond it does
// not exist (GECKOPROF_TABLE_HAS). `version` grows when existing members change their meaning. The two sides do not use
// each other then. An older base therefore serves a newer full library with the functions that it has. A newer base
// serves an older full library.
//
// Threads: any, unless a member says otherwise.
// Context: not signal context, unless a member says otherwise.
//
// Strings are NUL terminated and are copied. Times are ns on CLOCK_MONOTONIC.

inline constexpr uint64_t kHandoverMagic = 0x5245564f48504b47;  // "GKPHOVER"
inline constexpr uint32_t kHandoverVersion = 2;

enum class HandoverResult : int32_t {
  kDone = 0,
  kOwned = 1,        // another library is the owner
  kNotOwner = 2,     // hand-back by a library that is not the owner
  kTimeout = 3,      // the sampler reached no tick boundary in time, and nothing has changed
  kWrongThread = 4,  // called on the sampler thread, in the child of a vfork, or inside a call to the owner
  kMismatch = 5,     // the owner's table has another version or is too small
};

// The requested parameters of a recording. base_profiler_abi.h defines their meaning and ranges.
struct HandoverParameters {
  uint32_t size_bytes;  // of this struct as the caller knows it
  uint32_t features;
  uint64_t capacity_bytes;
  int64_t interval_ns;
  int64_t duration_ns;
  const char* const* filters;
  uint32_t filter_count;
  uint32_t requested_features;  // with the features that only the owner acts on
};

// The bits of HandoverTable::state.
inline constexpr uint32_t kStateActive = 1;
inline constexpr uint32_t kStatePaused = 2;          // no samples and no markers
inline constexpr uint32_t kStateSamplingPaused = 4;  // no samples

// Functions of the owner that base calls. The table must stay valid from TakeOver to the return of HandBack.
struct OwnerTable {
  uint32_t size_bytes;
  uint32_t version;
  void* context;
  // Called at the end of each tick on the sampler thread, which is unknown to libc. The function must not allocate
  // memory, use errno or thread_local, or take a lock that a thread of the program may hold. `sampled` is 0 if sampling
  // was paused. When a recording has ended by itself, base calls the function once more with 0. state() is 0 then.
  void (*tick)(void* context, int64_t tick_ns, uint32_t sampled);
  // Called after a change through either API, on the thread that made the change. Base holds a lock that hand_back
  // takes, too. The function must therefore not wait for a thread that may be in one of the calls below.
  void (*state_changed)(void* context, uint32_t state);
  // Called before (1) and after (0) a system call that the kernel allows only in a single-threaded process, or that
  // counts threads. It runs on the thread that makes the call, under the same lock. The owner's own threads must end
  // meanwhile, as base's thread does. The function must not wait for long.
  void (*step_aside)(void* context, uint32_t begins) = nullptr;
  // The ids of the owner's own threads, which no profile shows, in `own_thread_count` words. Before that member there
  // was one. An id is 0 if there is no thread, and negative while the owner makes one and does not know its id. Base
  // reads them on the sampler thread.
  const std::atomic<int32_t>* own_thread = nullptr;
  // A second thread, for a base that reads one word above.
  const std::atomic<int32_t>* own_helper = nullptr;
  // If it is 1, base obeys other processes (ControlRequest) as if there was no owner. The owner is not told of it.
  const std::atomic<uint32_t>* obeys_others = nullptr;
  uint32_t own_thread_count = 0;
  uint32_t reserved = 0;
  // The CPU time in ns of the owner's threads. The sampler may sleep although it grows. It begins at 0 in a forked
  // child.
  const std::atomic<int64_t>* own_cpu_ns = nullptr;
};

// The result of sample_thread.
enum class HandoverSample : int32_t {
  kTaken = 0,
  kNoThread = 1,       // this process has no thread of this id
  kSignalBlocked = 2,  // the thread runs, and the sampler's signal may not be sent to it
  kTimeout = 3,        // no answer in time, for example because the thread gets no core
  kWrongThread = 4,    // called inside another sample_thread, on the sampler thread, or in a child unknown to base
  kNoMemory = 5,
  kUnreadable = 6,  // the thread is blocked, and its state cannot be read (no /proc, or no permission)
  kForbidden = 7,   // a seccomp filter forbids a required system call
};

// The way in which a stack was captured.
enum class HandoverStackSource : uint32_t {
  kOwn = 0,      // of the calling thread, in place; includes frames of sample_thread itself
  kBlocked = 1,  // of a thread that stayed blocked meanwhile; only pc and sp are known
  kSignal = 2,   // copied by the thread itself
};

// An open label. `text` has no NUL.
struct HandoverLabel {
  uint64_t stack_address;  // the label belongs to the frame that contains this address
  const char* text;
  uint32_t text_bytes;
  uint32_t category_pair;
};

// The stack of one thread at one moment. All its data is valid during the call that passes it.
struct HandoverStack {
  uint32_t size_bytes;  // of this struct as base knows it
  int32_t tid;
  HandoverStackSource source;
  uint32_t is_main;        // 1 for the first thread of the process
  uint64_t pc, sp;         // also among the registers
  uint64_t known;          // bit N: registers[N] is known
  uint64_t registers[33];  // by DWARF number, including sp and pc
  const uint8_t* bytes;    // contents of the stack from bytes_avma on
  uint64_t bytes_avma;
  uint64_t byte_count;
  uint32_t is_whole;  // 1 if the bytes reach the stack's end
  uint32_t label_count;
  const HandoverLabel* labels;  // outermost first
  uint32_t label_size_bytes;    // distance from one label to the next
  uint32_t labels_missing;      // number of open labels that are missing here
  uint32_t unloads;             // number of begins and ends of the program's dlclose calls so far
  uint32_t reserved;
};
static_assert(sizeof(HandoverLabel) == 24 && sizeof(HandoverStack) == 360 && offsetof(HandoverStack, registers) == 40);

struct HandoverTable {
  uint64_t magic;
  uint32_t size_bytes;
  uint32_t version;

  // Return after the sampler has changed its owner between two ticks, or at once if no sampler runs. The result is a
  // HandoverResult.
  int32_t (*take_over)(const OwnerTable* owner, int64_t timeout_ns);
  int32_t (*hand_back)(const OwnerTable* owner, int64_t timeout_ns);

  // These work like geckoprof_base_start and so on. The results of start are those of geckoprof_base_start.
  int32_t (*start)(const HandoverParameters* parameters);
  int32_t (*stop)(void);
  int32_t (*set_paused)(uint32_t kinds);  // kStatePaused | kStateSamplingPaused; 1 if the state changed
  uint32_t (*state)(void);                // a relaxed load; signal safe

  // Applies other parameters to the current recording at a tick boundary. No recorded data is lost. The duration counts
  // from this call. A smaller capacity applies from the next start on. Returns 1 if a recording is running.
  int32_t (*reconfigure)(const HandoverParameters* parameters);
  // Calls `visit` with the parameters of the recording, which do not change during the call. `visit` must not call base
  // and must not wait. Returns 0 without a call if there is no recording.
  int32_t (*visit_parameters)(void (*visit)(void* context, const HandoverParameters* parameters), void* context);

  // Returns the address of a byte of the segment and the number of bytes that follow it there. The result is null if
  // there is no recording or the segment ends before `offset`. The memory stays mapped. It holds zeros after the
  // recording was released.
  const void* (*segment_at)(uint64_t offset, uint64_t* bytes);
  // Returns the time at which the recording began.
  int64_t (*started_ns)(void);

  // Captures the stack of one thread and calls `take` with it on the calling thread. A `tid` of 0 or of the caller
  // stands for the calling thread. This works without a recording, too. A blocked thread is read without its help. A
  // running thread receives the sampler's signal, which it does not notice, and it is not stopped. If two callers ask
  // for other threads, one waits for the other. The result is a HandoverSample. `take` was called if it is kTaken.
  int32_t (*sample_thread)(int32_t tid, int64_t timeout_ns, void (*take)(void* context, const HandoverStack* stack),
                           void* context);

  // Call these around a fork on the forking thread. No other thread starts, stops, pauses, hands over or forks between
  // the two calls, in the parent and in the child. The calls nest. If hold_for_fork returns 0, nothing is held and
  // let_go must not be called.
  int32_t (*hold_for_fork)(void);
  void (*let_go)(void);

  // Returns 1 if the sampler runs on this thread. It costs one load.
  int32_t (*is_sampler)(int32_t tid);

  // Returns the owner of the recording, or null. Callers may compare the pointer, but not use it otherwise. It costs
  // one load.
  const OwnerTable* (*owner)(void);

  // Returns the time that profiles of this process use as its beginning. It is known before the first recording, too.
  int64_t (*process_start_ns)(void);

  // Waits until the sampler has written all data that threads have left to it so far, at most `most_ns`. This includes
  // starts of threads, their names, the stacks of markers, and counters. Call it before a reader that needs this data
  // reads the segment. It must not run in signal context or on the sampler thread.
  void (*settle)(int64_t most_ns);

  // Makes the next tick come within an interval, although nothing may run. A sampler that is paused need not tick. It
  // may be called anywhere, signal context included.
  void (*tick_soon)(void);

  // Sets the folder in which forked children go on with the recording, in segments of their own. They start to do so at
  // the fork, and their segments stay there after their end. An empty text ends it, and null changes nothing. The text
  // must stay until it is replaced. Returns the folder that is in use, which is empty if children record nothing. A
  // process that was given a session directory keeps it for its children.
  const char* (*children_folder)(const char* folder);
};

// The function that libbaseprofiler.so exports.
using HandoverTableFunction = const HandoverTable*();
inline constexpr char kHandoverTableFunction[] = "geckoprof_base_handover_table";

// True if a table of `size_bytes` contains the member.
#define GECKOPROF_TABLE_HAS(table, type, member) ((table).size_bytes >= offsetof(type, member) + sizeof(type::member))

}  // namespace geckoprof

#endif  // GECKOPROF_HANDOVER_HANDOVER_TABLE_H_
