// The bytes of a segment, which other processes, tools and later versions read (docs/formats/segment.md).
//
//   0              SegmentHeader, one page
//   4096           the directory: ChunkRow[], 64 bytes each, for chunk_count chunks and more
//   chunks_offset  chunk 0 | chunk 1 | ...     chunk_bytes each; a page is touched only after fallocate succeeded
//
// A segment holds no pointers. It refers to chunks by index. Times are ns on CLOCK_MONOTONIC, and the byte order is the
// machine's. A new field goes to the end of the header and grows `header_bytes`. `version` changes only if an old
// reader would misread the segment.
#ifndef GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_
#define GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace geckoprof {

inline constexpr char kSegmentMagic[8] = {'G', 'P', 'R', 'O', 'F', 'S', 'E', 'G'};
inline constexpr uint32_t kSegmentVersion = 1;

// A segment has at most 2 GiB. Readers refuse one that claims more.
inline constexpr uint32_t kLargestChunkBytes = 64 * 1024;
inline constexpr uint32_t kMaxChunks = 32 * 1024;

// Reasons for lost data. The numbers are part of the format, so new ones are appended.
enum class DropReason : uint32_t {
  kNoChunk = 0,           // no chunk was free and none could be recycled
  kTooLarge = 1,          // an entry that is larger than a chunk
  kNested = 2,            // a marker in a signal handler that interrupted a marker of the same thread
  kMetadataFull = 3,      // the metadata stream reached its cap
  kAnswerPending = 4,     // a tick at which a running thread still owed an answer or had just started
  kSignalBlocked = 5,     // a running thread that had the signal blocked, so its stack is unknown
  kMovedWhileRead = 6,    // a blocked thread that continued while its stack was read
  kNoBuffer = 7,          // running threads without a capture buffer
  kMissedTick = 8,        // a tick that was skipped because the sampler woke too late
  kLabelOverflow = 9,     // a label nested deeper than the profiling stack
  kUnreadableStack = 10,  // the stack of a blocked thread could not be read
  kSendFailed = 11,       // the kernel refused the signal
  kUnlistedThread = 12,   // a new thread that the sampler had not seen when the process ended
  kTextCut = 13,          // a text that was cut; its marker or counter is present
  kMarkerStack = 14,      // a marker's stack that is missing or lacks outer frames; the marker is present
  kUnmarkedChild = 15,    // an unmarked forked child, because there were many; without a segment it leaves no trace
  kCounter = 16,          // a counter that was refused because the maximum was reached
  kBadMarker = 17,        // a marker with arguments that do not fit its type (C or Rust), or with an invalid phase
  kThreadEnded = 18,      // a requested sample; its thread ended too early
  kAbandonedMarker = 19,  // a marker that its thread abandoned, because a signal handler did not return
  kUnanswered = 20,  // a requested sample that was pending at the end of the process or at a pause; the count may fall
  kPendingAtExit = 21,     // a process that ended before the sampler wrote counters, stacks of markers or its title
  kSmallSignalStack = 22,  // a running thread whose alternate stack had no room for the signal
  kTraced = 23,            // a running thread that asked to be traced
  kSignalInUse = 24,       // a running thread of a program whose own use of the signals forbids to send them
  kInSignalHandler = 25,   // a running thread in a handler of the program on an alternate stack
  kThrottled = 26,         // a tick without a sample, because copies of the thread's stack take too much of its time
  kCount = 27,
};

// kPreparing and kPaused are not written any more.
enum class SegmentState : uint32_t { kPreparing = 0, kRecording = 1, kPaused = 2, kStopped = 3 };

// The reason why recording ended before the process. New values are appended.
enum class StopReason : uint32_t {
  kNotStopped = 0,
  kAsked = 1,             // stopped through the API
  kDuration = 2,          // the requested duration is over
  kOnlyThread = 3,        // the sampler was the only thread left
  kSingleThreadCall = 4,  // stopped for a call that needs a single thread, and could not start again
  kSeccomp = 5,           // a seccomp filter would break the sampler
  kSystemCall = 6,        // an unexpected error of a system call (see stop_detail)
  kNoThread = 7,          // the sampler thread could not be created
  kNoMemory = 8,
  kExit = 9,             // the process ends normally
  kExec = 10,            // not written any more
  kForeignProc = 11,     // /proc belongs to another pid namespace, so threads cannot be listed
  kUserDispatch = 12,    // system calls are dispatched to the program (PR_SET_SYSCALL_USER_DISPATCH)
  kNoCycleCounter = 13,  // the program may no longer read the cycle counter (PR_SET_TSC)
  kUnread = 14,          // the file was removed, because the gathering process has gone
  kCount = 15,
};

// The reason why the profile that GECKOPROF_SHUTDOWN asks for was not there at the end of the process. Append only.
enum class ShutdownFailure : uint32_t {
  kDidNotFail = 0,
  kNoCommand = 1,   // the command could not be started; the detail is errno of execve
  kNoProcess = 2,   // no process could be made for it; the detail is errno of clone or mmap
  kNoHandOver = 3,  // the command could not be given the segment or /dev/null; the detail is errno
  kExited = 4,      // the command gave up; the detail is its exit status, a ShutdownStatus
  kKilled = 5,      // a signal ended the command; the detail is the signal
  kSlow = 6,        // the command was still writing when the process ended
  kBadPath = 7,     // the file cannot be written; the detail is errno
  kCount = 8,
};

// The exit status of the command. An older command that does not know the task ends with kWrongUse. Success is not 0,
// so another program that ends well is not taken for a command that wrote the profile.
enum class ShutdownStatus : int { kNotWritten = 1, kWrongUse = 2, kUnreadable = 3, kWritten = 4 };

// Reasons why programs that the process starts may not reach the session directory. Those programs cannot report it
// themselves. All bits except kHasNoSession stand for an action of the process after its start. kFolderTaken is no such
// reason, and has no effect on other programs.
enum Separation : uint32_t {
  kChangedUser = 1,       // changed its effective user id or file system ids
  kChangedMounts = 2,     // entered a mount namespace of its own
  kChangedRoot = 4,       // called chroot
  kChangedPids = 8,       // entered a pid namespace, in which its children live
  kHasNoSession = 16,     // could create nothing in the given session directory
  kRestrictedFiles = 32,  // restricted itself by Landlock, which its children inherit
  kFolderTaken = 64,      // another user has the name of the user's folder, so the segment has a folder of its own
};

// The reason why nothing is recorded at present.
enum class PauseReason : uint32_t { kNotPaused = 0, kProfiler = 1, kSampling = 2 };
constexpr const char* PauseReasonText(PauseReason reason) {
  return reason == PauseReason::kSampling ? "sampling-paused" : "profiler-paused";
}

inline constexpr uint32_t kPauseBuckets = 40;

// The limit of a session for which data is dropped. Both may hold in turn.
enum class DroppedFor : uint32_t {
  kCapacity = 1,
  kLiveProcesses = 2,  // so much for each live process, because that is more
};

struct SegmentHeader {
  char magic[8];
  uint32_t header_bytes;
  uint32_t version;
  std::atomic<uint64_t> segment_bytes;  // relaxed; grows together with chunk_count
  uint32_t chunk_bytes;
  std::atomic<uint32_t> chunk_count;  // release, after the file was extended to the end of the last chunk
  uint64_t chunks_offset;
  int32_t pid;
  int32_t parent_pid;
  uint32_t image;      // number of programs that this pid ran before
  uint32_t anonymous;  // 1 if there is no file, so that only this process can read the segment

  int64_t exec_ns;           // 0 if unknown
  int64_t constructor_ns;    // when base's constructor ran
  int64_t created_ns;        // monotonic ...
  int64_t created_epoch_ns;  // ... and realtime, read together
  int64_t interval_ns;
  uint64_t capacity_bytes;  // as requested, in bytes
  uint32_t features;
  std::atomic<uint32_t> separations;  // bits of Separation; written by the owning process, relaxed

  // The owning process writes these. All are relaxed, but `state` is stored with release order after the data that it
  // announces.
  std::atomic<uint32_t> state;            // SegmentState
  std::atomic<uint32_t> stop_reason;      // StopReason
  std::atomic<int32_t> stop_detail;       // kSystemCall: its number << 16 | errno; kNoThread: errno of clone
  std::atomic<uint32_t> prepared_chunks;  // chunks [0, n) have pages; release; any writer may raise it
  std::atomic<uint32_t> clock_hand;       // a hint for the start of the search for a chunk
  std::atomic<uint32_t> metadata_chunks;  // number of chunks of the metadata stream
  std::atomic<uint32_t> unused_counter;   // earlier versions numbered their strings with it
  std::atomic<uint32_t> next_thread;      // next id of a thread
  std::atomic<uint64_t> next_block;       // block index of the next acquired chunk
  std::atomic<int64_t> heartbeat_ns;      // last tick of the sampler, the last sign of life of a killed process
  std::atomic<uint64_t> samples_asked;
  std::atomic<uint64_t> samples_taken;
  std::atomic<uint64_t> sampler_bytes;  // bytes of entries in the sampler's stream, including recycled ones
  std::atomic<uint64_t> drops[32];      // by DropReason
  // Times in the handler, by half octaves. Bucket 2k counts from 2^k ns and bucket 2k + 1 from 1.5 x 2^k ns. The
  // sampler writes them.
  std::atomic<uint64_t> pause_counts[kPauseBuckets];
  // The kernel's name of the thread that created the segment. It is the program's name, cut to 16 bytes. Readers use it
  // if the process ended before the metadata was written. It has no NUL if it fills the field.
  char command_name[16];
  // Pairs of the cycle counter and ns on CLOCK_MONOTONIC, read together. The first is from the creation of the segment
  // and the latest from the last tick. The value is 0 if no marker uses the counter. The sampler writes `clock_begun`,
  // the pair, and `clock_done`. A reader reads `clock_done`, the pair, and `clock_begun`. If both numbers are equal,
  // the pair is consistent.
  uint64_t first_cycles;
  int64_t first_cycles_ns;
  std::atomic<uint32_t> clock_done;  // release
  uint32_t pid_namespace;            // inode of the namespace of `pid`; 0 if unknown or if no process gathers others
  std::atomic<uint64_t> latest_cycles;
  std::atomic<int64_t> latest_cycles_ns;
  std::atomic<uint32_t> clock_begun;   // after the pair, because a copy is made from the beginning to the end
  std::atomic<uint32_t> pause_reason;  // PauseReason
  // Start of the current pause, or 0. Finished pauses are in the metadata. Relaxed.
  std::atomic<int64_t> paused_since_ns;
  std::atomic<uint64_t> sampler_cpu_ns;  // CPU time of the sampler threads up to the last tick or the end; relaxed
  // The reason why the profile of GECKOPROF_SHUTDOWN is missing. Relaxed.
  std::atomic<uint32_t> shutdown_failure;  // ShutdownFailure
  std::atomic<int32_t> shutdown_detail;
  // The samples of running threads, by SampleClock. The sampler writes this and what follows. All are relaxed.
  std::atomic<uint64_t> samples_by_clock[4];
  std::atomic<uint64_t> sampled_cpu_ns;  // the CPU time of all rows
  // errno with which the kernel refused perf events, and timers of timer_create(2), or 0. EMFILE and EAGAIN stand for
  // limits.
  std::atomic<int32_t> event_error, timer_error;
  std::atomic<uint32_t> clocks_forbidden;  // 1: a seccomp filter kills for the calls of both
  // The kernel's start time of the process, in ticks since the machine's start. Programs that one process runs have the
  // same, and a later process with the same id has another. 0 if unknown or if no process gathers others. Written once.
  uint64_t process_start_ticks;
  // The exit status plus kExitKnown, and the resources that the process had used by then. The process writes them at
  // its normal end. 0 means that it has not ended so. Relaxed.
  std::atomic<uint32_t> exit_word;
  std::atomic<int64_t> user_cpu_ns, system_cpu_ns;  // of the process with all its programs
  std::atomic<uint64_t> peak_memory_bytes;
  // The signal that ends the process, as base's handler saw it. Its thread writes `signal` last, with release. The
  // other members are valid if it is not 0.
  struct Crash {
    std::atomic<int32_t> signal;
    int32_t code;      // si_code
    uint64_t address;  // si_addr if the kernel sent the signal, or else si_pid
    uint64_t pc;
    int64_t time_ns;
    uint64_t stack_id;  // the id of the stack, as that of a marker; 0 if there is none
    int32_t tid;
    uint32_t reserved;
  } crash;
  // The arguments, each with its zero byte, cut where there is no room. Readers use them if the process ended before
  // the metadata was written.
  uint32_t command_line_bytes;
  char command_line[1024];
  // The kernel's name of the process that sent the signal of `crash`. It is empty if it is unknown.
  char crash_sender[16];
  // The recorder writes this to the file: entries before this time are to be released, because the session has reached
  // its limit. Relaxed.
  std::atomic<int64_t> release_before_ns;
  // The time of the newest entry that was released, or 0. The sampler writes it. Relaxed.
  std::atomic<int64_t> released_until_ns;
  // The recorder writes this to the file: the limits for which it asked. Bits of DroppedFor. Relaxed.
  std::atomic<uint32_t> dropped_for;
  // The limit of the profiler's own time, in hundredths of a per cent. 0: none. `interval_ns` is the interval in force,
  // and `asked_interval_ns` the one that was asked for. 0: a version that did not write it.
  uint32_t overhead_limit;
  int64_t asked_interval_ns;
  // The time of all samples in the handler, which `pause_counts` sorts by length. Relaxed.
  std::atomic<uint64_t> handler_ns;
};
static_assert(sizeof(SegmentHeader) <= 4096);
static_assert(offsetof(SegmentHeader, header_bytes) == 8 && offsetof(SegmentHeader, segment_bytes) == 16);
static_assert(offsetof(SegmentHeader, state) == 112);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

inline constexpr uint32_t kExitKnown = 0x100;

enum class ChunkState : uint8_t {
  kFree = 0,      // nothing readable
  kInUse = 1,     // one writer
  kDone = 2,      // full; may be recycled
  kPartial = 3,   // left by a thread that has ended; another thread may continue it, or it is recycled
  kPinned = 4,    // metadata, with one writer at a time; never recycled
  kReleased = 5,  // its pages and entries were given back at the limit of the session; nothing readable
};

// A row of the directory. `word` is generation << 32 | stream << 16 | state.
struct ChunkRow {
  std::atomic<uint64_t> word;
  std::atomic<uint32_t> tail;  // bytes of complete entries in the chunk; the writer stores it with release order
  uint32_t reserved0;
  std::atomic<uint64_t> block;    // block index of the chunk's first byte; Acquire writes it
  std::atomic<int64_t> begin_ns;  // base of the time deltas in the chunk; Acquire writes it
  std::atomic<int64_t> last_ns;   // time of the newest entry, relaxed
  uint64_t reserved1[3];
};
static_assert(sizeof(ChunkRow) == 64);

constexpr uint64_t MakeChunkWord(uint32_t generation, uint16_t stream, ChunkState state) {
  return (uint64_t{generation} << 32) | (uint64_t{stream} << 16) | static_cast<uint64_t>(state);
}
constexpr uint32_t ChunkGeneration(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
constexpr uint16_t ChunkStream(uint64_t word) { return static_cast<uint16_t>(word >> 16); }
constexpr ChunkState ChunkStateIn(uint64_t word) { return static_cast<ChunkState>(word & 0xff); }

constexpr uint32_t PauseBucket(uint64_t ns) {
  if (ns == 0) return 0;
  const uint32_t octave = static_cast<uint32_t>(std::bit_width(ns)) - 1;
  const uint32_t upper_half = octave > 0 && (ns >> (octave - 1) & 1) != 0 ? 1 : 0;
  const uint32_t bucket = 2 * octave + upper_half;
  return bucket < kPauseBuckets ? bucket : kPauseBuckets - 1;
}

// Returns the start of the next class, which is 2, 2, 3, 4, 6, 8 ...
constexpr uint64_t PauseBucketEndNs(uint32_t bucket) {
  if (bucket == 0) return 2;
  const uint64_t octave = uint64_t{1} << (bucket / 2);
  return bucket % 2 == 0 ? octave + octave / 2 : octave * 2;
}

// SampleClock has the clocks that interrupt a running thread for a sample, the best one first. The numbers are part of
// the format.
enum class SampleClock : uint8_t {
  kPerfEvent = 0,  // the thread's task clock, through perf_event_open(2)
  kCpuTimer = 1,   // the thread's CPU clock, through timer_create(2); at most HZ ticks a second
  kRequest = 2,    // the sampler's signal, which arrives some microseconds late
};

// The names in settings and profiles, by number.
inline constexpr std::array<std::string_view, 3> kSampleClockNames = {"perf-event", "cpu-timer", "request"};

// Files in a session directory, to which all processes of one recording write:
//
//   <pid>-<image>.segment        one for each program that the process ran; the magic is zeros until it is complete
//   note-<pid>                   a symbolic link; its target is a word that tells why the process has no segment
//   child-<pid>-<begin>          a symbolic link that a forked child creates before it has a segment, and removes with
//                                it; its target is "<parent pid> <name>". Times are ns on CLOCK_MONOTONIC. A child that
//                                calls exec or is killed leaves the link
//   child-<pid>-<begin>-<end>-<status>-<user>-<system>-<peak>
//                                the link of a child that ended normally: its exit status, its CPU times in user mode
//                                and in the kernel in ns, and its peak of resident memory in bytes
//   filtered                     an empty file of the recorder with a last access in 1970. A process that cannot be
//                                recorded because of a seccomp filter reads it. This is allowed and updates the time
//   command                      a file of the recorder with the command line, for the recovery of the session
//   full                         a file of the recorder; the session has reached its limit and no process may join

inline constexpr char kSegmentSuffix[] = ".segment";
inline constexpr char kNotePrefix[] = "note-";
inline constexpr char kChildPrefix[] = "child-";
inline constexpr char kSessionFullName[] = "full";
inline constexpr char kFilteredName[] = "filtered";

// The targets of notes.
inline constexpr char kNoteNoSpace[] = "no-space";
inline constexpr char kNoteNoMemory[] = "no-memory";

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_FORMAT_H_
