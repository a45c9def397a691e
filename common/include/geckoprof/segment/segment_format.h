// The bytes of a segment, as other processes, tools and later versions read them (docs/formats/segment.md).
//
//   0              SegmentHeader, one page
//   4096           ChunkRow[], 64 bytes each, chunk_count and room for more: the directory
//   chunks_offset  chunk 0 | chunk 1 | ...     each chunk_bytes long; a page is touched only once fallocate gave it
//
// Nothing here is a pointer. Chunks are named by index, times are ns on CLOCK_MONOTONIC, byte order is the machine's.
// A new field goes where `reserved` is and grows `header_bytes`; `version` changes only when an old reader would
// misread.
#ifndef GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_
#define GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace geckoprof {

inline constexpr char kSegmentMagic[8] = {'G', 'P', 'R', 'O', 'F', 'S', 'E', 'G'};
inline constexpr uint32_t kSegmentVersion = 1;

// Why something was not recorded. Numbers are part of the format: append only.
enum class DropReason : uint32_t {
  kNoChunk = 0,           // no chunk was free and none could be recycled
  kTooLarge = 1,          // an entry larger than a chunk
  kNested = 2,            // a marker inside a signal handler that interrupted a marker of the same thread
  kMetadataFull = 3,      // the metadata stream reached its cap
  kAnswerPending = 4,     // a tick at which a running thread had not answered the request before, or had just come
  kDeafThread = 5,        // ticks at which a running thread had the signal blocked, so its stack is unknown
  kMovedWhileRead = 6,    // a blocked thread that went on while its stack was read
  kNoBuffer = 7,          // more running threads than capture buffers
  kMissedTick = 8,        // ticks skipped because the sampler woke too late
  kLabelOverflow = 9,     // labels nested deeper than the profiling stack
  kUnreadableStack = 10,  // a blocked thread whose stack could not be read
  kSendFailed = 11,       // the kernel refused the signal
  kUnlistedThread = 12,   // a thread that had begun, and that the sampler had not got to when the process ended
  kTextCut = 13,          // a marker's or counter's text that was cut; the marker or counter is there
  kMarkerStack = 14,      // a marker's stack that is missing, or of which outer frames are; the marker is there
  kUnmarkedChild = 15,    // a forked child that left no mark, since there were many: without a segment it is not known
  kCounter = 16,          // a counter that was refused, since there were as many as there may be
  kBadMarker = 17,        // one whose arguments do not fit its type (of C or Rust), or with a phase that there is not
  kThreadEnded = 18,      // a sample asked for, of a thread that ended before it was there
  kAbandonedMarker = 19,  // a marker that its thread jumped out of, by a signal handler that did not return
  kUnanswered = 20,  // a sample asked for that was not there as the process ended, or a pause began; goes down, too
  kOwedAtExit =
      21,  // a process that ended before the sampler came to write down counters, stacks of markers, its title
  kCount = 22,
};

enum class SegmentState : uint32_t { kPreparing = 0, kRecording = 1, kPaused = 2, kStopped = 3 };

// Why recording ended before the process did. Append only.
enum class StopReason : uint32_t {
  kNotStopped = 0,
  kAsked = 1,             // stop by API
  kDuration = 2,          // the duration asked for is over
  kOnlyThread = 3,        // the sampler was the only thread left
  kSingleThreadCall = 4,  // stepped aside for a call that demands a single thread, and could not come back
  kSeccomp = 5,           // a seccomp filter that would break the sampler
  kSystemCall = 6,        // an unexpected error of a system call: see stop_detail
  kNoThread = 7,          // the sampler thread could not be created
  kNoMemory = 8,
  kExit = 9,  // the process ends normally
  kExec = 10,
  kForeignProc = 11,     // /proc is that of another pid namespace: threads cannot be listed
  kUserDispatch = 12,    // system calls are dispatched to the program (PR_SET_SYSCALL_USER_DISPATCH)
  kNoCycleCounter = 13,  // the program may not read the cycle counter any more (PR_SET_TSC)
  kUnread = 14,          // its file was removed: whoever gathers has gone
  kCount = 15,
};

// Why the process has not got the profile that GECKOPROF_SHUTDOWN asks for at its end. Append only.
enum class ShutdownFailure : uint32_t {
  kDidNotFail = 0,
  kNoCommand = 1,   // the command could not be started; detail: errno of execve
  kNoProcess = 2,   // no process could be made for it; detail: errno of clone or mmap
  kNoHandOver = 3,  // it could not be given the segment or /dev/null; detail: errno
  kExited = 4,      // it gave up; detail: its exit status (ShutdownStatus)
  kKilled = 5,      // detail: the signal that ended it
  kSlow = 6,        // it was still writing when the process ended
  kBadPath = 7,     // the file cannot be written; detail: errno
  kCount = 8,
};

// What the command's exit status says of it. An older command that does not know of the task ends with kWrongUse.
enum class ShutdownStatus : int { kWritten = 0, kNotWritten = 1, kWrongUse = 2, kUnreadable = 3 };

// What may keep the programs that the process starts from reaching the session directory: those cannot say so
// themselves. The process has done it since its start, but for kHasNoSession.
enum Separation : uint32_t {
  kChangedUser = 1,       // its effective user or file system ids
  kChangedMounts = 2,     // a mount namespace of its own
  kChangedRoot = 4,       // by chroot
  kChangedPids = 8,       // a pid namespace, which what it forks lives in
  kHasNoSession = 16,     // nothing could be made in the session directory that it was given
  kRestrictedFiles = 32,  // by Landlock, which what it forks inherits
};

// Why nothing is recorded for a while.
enum class PauseReason : uint32_t { kNotPaused = 0, kProfiler = 1, kSampling = 2 };
constexpr const char* PauseReasonText(PauseReason reason) {
  return reason == PauseReason::kSampling ? "sampling-paused" : "profiler-paused";
}

inline constexpr uint32_t kPauseBuckets = 40;

struct SegmentHeader {
  char magic[8];
  uint32_t header_bytes;
  uint32_t version;
  std::atomic<uint64_t> segment_bytes;  // relaxed; grows, and chunk_count with it
  uint32_t chunk_bytes;
  std::atomic<uint32_t> chunk_count;  // release: the file reaches to the end of the last
  uint64_t chunks_offset;
  int32_t pid;
  int32_t parent_pid;
  uint32_t image;      // how many programs this pid ran before
  uint32_t anonymous;  // 1: no file could be had, only this process can read the segment

  int64_t exec_ns;           // 0: unknown
  int64_t constructor_ns;    // when base's constructor ran
  int64_t created_ns;        // monotonic and ...
  int64_t created_epoch_ns;  // ... realtime, read together
  int64_t interval_ns;
  uint64_t capacity_bytes;  // as asked for, in bytes
  uint32_t features;
  std::atomic<uint32_t> separations;  // bits of Separation, set by the owning process, relaxed

  // Written by the owning process; every one relaxed, but for state (release, after what it announces).
  std::atomic<uint32_t> state;        // SegmentState
  std::atomic<uint32_t> stop_reason;  // StopReason
  std::atomic<int32_t> stop_detail;   // kSystemCall: its number << 16 | errno; no sampler thread: errno of clone
  std::atomic<uint32_t>
      prepared_chunks;               // chunks [0, n) have their pages; release; the first may be any writer's doing
  std::atomic<uint32_t> clock_hand;  // where the search for a chunk begins; a hint
  std::atomic<uint32_t> metadata_chunks;  // chunks the metadata stream holds
  std::atomic<uint32_t> next_string;      // ids given to interned strings
  std::atomic<uint32_t> next_thread;      // ids given to threads
  std::atomic<uint64_t> next_block;       // block index of the next chunk acquired
  std::atomic<int64_t> heartbeat_ns;      // last tick of the sampler: the last sign of life of a killed process
  std::atomic<uint64_t> samples_asked;
  std::atomic<uint64_t> samples_taken;
  std::atomic<uint64_t> sampler_bytes;  // bytes of entries in the sampler's stream, recycled ones included
  std::atomic<uint64_t> drops[32];      // by DropReason
  // Time in the handler, in half octaves: bucket 2k counts from 2^k ns, bucket 2k + 1 from 1.5 x 2^k. Written by the
  // sampler.
  std::atomic<uint64_t> pause_counts[kPauseBuckets];
  // The kernel's name of the thread that made the segment: the program's, cut, for processes that were over before the
  // metadata was written. Not terminated if it fills the field.
  char command_name[16];
  // The processor's counter and ns on CLOCK_MONOTONIC, read together: when the segment was made, and at the last tick.
  // 0: no marker's time is the counter's. The sampler writes `clock_begun`, the pair, then `clock_done`; a reader takes
  // `clock_done`, the pair, then `clock_begun`, and has both halves of one pair if they are equal.
  uint64_t first_cycles;
  int64_t first_cycles_ns;
  std::atomic<uint32_t> clock_done;  // release
  uint32_t pid_namespace;            // inode of what `pid` is a number of; 0: not known, or nobody gathers processes
  std::atomic<uint64_t> latest_cycles;
  std::atomic<int64_t> latest_cycles_ns;
  std::atomic<uint32_t> clock_begun;   // behind the pair: a copy is made from the beginning to the end
  std::atomic<uint32_t> pause_reason;  // PauseReason
  // Of a pause that goes on; those that are over are in the metadata. 0: it is not paused. Relaxed.
  std::atomic<int64_t> paused_since_ns;
  std::atomic<uint64_t> sampler_cpu_ns;  // CPU time of the sampler's threads, up to the last tick; relaxed
  // Why the profile of GECKOPROF_SHUTDOWN is missing; relaxed.
  std::atomic<uint32_t> shutdown_failure;  // ShutdownFailure
  std::atomic<int32_t> shutdown_detail;
};
static_assert(sizeof(SegmentHeader) <= 4096);
static_assert(offsetof(SegmentHeader, header_bytes) == 8 && offsetof(SegmentHeader, segment_bytes) == 16);
static_assert(offsetof(SegmentHeader, state) == 112);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

enum class ChunkState : uint8_t {
  kFree = 0,     // nothing readable
  kInUse = 1,    // one writer
  kDone = 2,     // full; may be recycled
  kPartial = 3,  // left by a thread that ended; may be continued by another, or recycled
  kPinned = 4,   // metadata: one writer at a time, never recycled
};

// A row of the directory. `word` = generation << 32 | stream << 16 | state.
struct ChunkRow {
  std::atomic<uint64_t> word;
  std::atomic<uint32_t> tail;  // bytes of the chunk that hold complete entries; release by the writer
  uint32_t reserved0;
  std::atomic<uint64_t> block;    // block index of the chunk's first byte; written by the acquirer
  std::atomic<int64_t> begin_ns;  // base of the time deltas in the chunk; written by the acquirer
  std::atomic<int64_t> last_ns;   // time of the newest entry, relaxed
  uint64_t reserved1[3];
};
static_assert(sizeof(ChunkRow) == 64);

constexpr uint64_t MakeChunkWord(uint32_t generation, uint16_t stream, ChunkState state) {
  return (uint64_t{generation} << 32) | (uint64_t{stream} << 16) | static_cast<uint64_t>(state);
}
constexpr uint32_t GenerationOf(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
constexpr uint16_t StreamOf(uint64_t word) { return static_cast<uint16_t>(word >> 16); }
constexpr ChunkState ChunkStateOf(uint64_t word) { return static_cast<ChunkState>(word & 0xff); }

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_
