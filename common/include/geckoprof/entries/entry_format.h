// The entries inside blocks, as readers of other processes and versions see them (docs/formats/segment.md).
//
// An entry is one kind byte, then fields. U is a ULEB128 number, Z a zigzag ULEB128 number, T a U length and that many
// bytes. A reader skips kinds that it does not know, since the block has its size. It ignores bytes after the fields
// that it knows.
//
// Metadata stream (pinned):
//   kString        U id, T text; written by earlier versions only, as kLabel frames are
//   kThread        U index, U tid, U flags (1: main), U registered_ns, T name
//   kThreadName    U index, T name
//   kThreadEnd     U index, U ended_ns
//   kModule        U id, U mapped_ns, U start, U end, Z bias, T path, T build_id
//   kModuleEnd     U id, U unmapped_ns
//   kProcess       T executable, U argument count, T argument...
//   kProcessName   U ns, T name                     the name from then on, which replaces an earlier one
//   kFilters       U count, T filter...
//   kPause         U start_ns, U end_ns, T reason
//   kProblem       T text                           why something asked for is not as asked
//   kMarkerType    U id, U flags (1: stack based, 2: no schema), T name, T description, T chart label, T tooltip label,
//                  T table label, T key of the colour field, U count, T location..., U count, fields, U count, notes,
//                  U count, graphs
//                  field: T key, T label, T format, U MarkerFieldWire, U flags (1: hidden, 2: optional, 4: spread, 8:
//                  not in payload) note: T label, T value; graph: T key, T type, T color
//   kMarkerSite    U id, U category << 8 | subcategory, U type id (0: none), U 1 with a name or 0, T name
//   kCounter       U id, U flags (1: counts operations, too; 2: its rate is drawn), U since_ns, Z count and Z number at
//                  that time, T name, T category, T description, T unit, T color
//   kCounterEnd    U id, U ended_ns, Z count and Z number at its end
//   kCategory      U number, T name, T color           one that the program added (category_numbers.h)
//   kSubcategory   U category, U number, T name        likewise, of any category
//   kRefusedCategories  U how many so far
//   kInterval      U until_ns, U interval_ns, [U share + 1]  the interval up to then; what is now, the header says. A
//                  share says that the limit of the profiler's own time changed it: the time that the profiler took,
//                  in hundredths of a per cent
// Sampler stream. Fields in brackets at the end of an entry are 0 if they are missing:
//   kTick          U idle ticks before it, U ns since the chunk's last tick (or its begin)
//   kStack         U parent node (0: none), U count, then count frames; each defines the next node of the chunk, which
//                  are counted from 1
//                  frame: U value << 2 | kind
//                    kind 0: native, value = zigzag(address - address of the parent node)
//                    kind 1: label, value = string id; then U category << 8 | subcategory
//                    kind 2: reason, value = number of the reason (UnwindEnd, then StackProblem from 64 on)
//                    kind 3: label with its text here, value = length; text; then U category << 8 | subcategory
//   kSample        of a running thread: U thread index, Z ns since the tick, U cpu_ns + 1 (0: unknown), U stack node,
//                  [U ns since the thread's sample before in which it waited for a core]
//   kBlockedSample of a waiting thread: U thread index, Z ns since the tick, U cpu_ns + 1 (0: unknown), U stack node
//                  (0: the wait was too short to be read), U WaitCause, [U ns as of kSample], [U address of the lock
//                  + 1 (0: unknown)], [U thread index of the lock's holder + 1 (0: unknown)]
//   kLastSample    U thread index, Z ns since the tick, U flags (1: kBlockedSample), U stack node, and of a waiting
//                  thread U WaitCause, [lock], [holder]: the thread's last sample once more, because it lies in an
//                  earlier chunk
//   kCounterSample read at the tick before it; up to the entry's end:
//                  U id << 2 | flags (1: with a number, 2: whole), Z count, [Z number]: whole, or what was added since
//                  the counter's last one in the chunk, or since its definition. The first tick of each chunk has all
//                  counters that ever changed, whole.
//   kMarkerStack   U id, U stack node               of the marker that names the id; its innermost frame, too, is
//                  a return address
//   kFilteredOut   4 bytes thread index             from the tick before it on it is not sampled, until its next sample
//   kTicksEnd      U ticks since the last kTick, Z ns from that (or the chunk's begin) to the last of them: no
//                  other was due until the next kTick, and no thread counts as idle there
//   kUnmapped      U ns since the chunk's begin     libraries were unmapped: addresses in kStacks from here on are
//                  of the libraries from that time on, addresses before it of those until then
//   kLooks         U ns                             the begin of the first look; then up to the entry's end, for each
//                  look: U time since the begin of the look before, U lateness, U upkeep, U sources, U threads, U CPU
//                  time of the sampler since the begin of the look before (LookWriter), all in units of kLookUnitNs
// A thread's stream (markers):
//   kWriter        U tid, U ns, U cycles            the writer of the next entries; the counter at that time,
//                                                   0: they could not be read close together
//   kTimedMarker   of fixed width, so that a thread writes it in a few stores:
//                  byte flags: phase (bits 0, 1), 4: one time only, 8: about another thread, 16: a name of its own, 32:
//                  a category, 64: a stack; byte more flags: 1: a flow, 2: the flow ends here; 4 bytes site id, 8 bytes
//                  start, unless 4: 8 bytes end, [4 bytes tid], [T name], [4 bytes category pair], [8 bytes flow id],
//                  [T stack], payload
//                  stack: U count << 1, then count frames as in kStack, outermost first, all return addresses; or U id
//                  << 1 | 1: a kMarkerStack has it
//                  a time: ns on CLOCK_MONOTONIC, or with the highest bit set the processor's counter
//                  payload: the fields of the site's type in order, see MarkerFieldWire
#ifndef GECKOPROF_ENTRIES_ENTRY_FORMAT_H_
#define GECKOPROF_ENTRIES_ENTRY_FORMAT_H_

#include <cstdint>

namespace geckoprof {

enum class EntryType : uint8_t {
  kString = 1,
  kThread = 2,
  kThreadName = 3,
  kThreadEnd = 4,
  kModule = 5,
  kModuleEnd = 6,
  kProcess = 7,
  kFilters = 8,
  kPause = 9,
  kProblem = 10,
  kMarkerType = 11,
  kMarkerSite = 12,
  kCounter = 13,
  kCounterEnd = 14,
  kProcessName = 15,
  kCategory = 20,
  kSubcategory = 21,
  kRefusedCategories = 22,
  kInterval = 23,
  kTick = 32,
  kStack = 33,
  kSample = 34,
  kBlockedSample = 35,
  kCounterSample = 36,
  kMarkerStack = 37,
  kFilteredOut = 38,
  kTicksEnd = 39,
  kUnmapped = 40,
  kLastSample = 41,
  kLooks = 42,
  kWriter = 64,
  kTimedMarker = 66,
};

inline constexpr uint16_t kMetadataStream = 1;
inline constexpr uint16_t kSamplerStream = 2;
inline constexpr uint16_t kFirstMarkerStream = 3;

inline constexpr uint64_t kThreadIsMain = 1;
inline constexpr int64_t kLookUnitNs = 256;
inline constexpr uint64_t kLastSampleIsBlocked = 1;

// These are flags of kCounter and kCounterSample.
inline constexpr uint64_t kCounterHasNumber = 1;
inline constexpr uint64_t kCounterIsRate = 2;
inline constexpr uint64_t kCounterSampleHasNumber = 1;
inline constexpr uint64_t kCounterSampleIsWhole = 2;

enum class StackFrameKind : uint8_t { kNative = 0, kLabel = 1, kReason = 2, kInlineLabel = 3 };

// These reasons for an incomplete stack do not come from the unwinder. The numbers are part of the format. New ones go
// to the end.
enum class StackProblem : uint32_t {
  kNoProblem = 0,
  kUnknownStack = 64,      // the stack pointer is in memory that is not known as a stack (a coroutine's, say)
  kCopyLimit = 65,         // the stack is deeper than the limit of a copy
  kUnreadable = 66,        // a blocked thread's stack could not be read, or it moved on meanwhile
  kSignalBlocked = 67,     // the thread blocks the sampler's signal
  kNotLearnt = 68,         // of a marker: the sampler could not receive it, so outer frames are missing
  kUnloaded = 69,          // of a marker: a library was unloaded before the sampler came to it
  kUnknownCode = 70,       // the start was found, but through code of no known library: frames may be missing there
  kSmallSignalStack = 71,  // the thread's alternate stack has no room for the sampler's signal
  kCodeUnloaded = 72,      // stands for one frame of a waiting thread: its library was unloaded since
  kTraced = 73,            // the thread asked to be traced, and each signal would stop it (PTRACE_TRACEME)
  kSignalInUse = 74,       // the program ignores the sampler's signals, or its handlers let system calls fail
  kInSignalHandler = 75,   // the thread is in a handler on an alternate stack, which our signal must not interrupt
  kFoundByScan = 76,       // stands between two frames: a scan of the stack alone found the outer one
};

// These are flags of kTimedMarker, in its first byte.
inline constexpr uint8_t kMarkerPhaseMask = 3;
inline constexpr uint8_t kMarkerIsInterval = 1;  // the phase that has two times
inline constexpr uint8_t kMarkerHasOneTime = 4;
inline constexpr uint8_t kMarkerHasThread = 8;
inline constexpr uint8_t kMarkerHasName = 16;
inline constexpr uint8_t kMarkerHasCategory = 32;
inline constexpr uint8_t kMarkerHasStack = 64;
// These are in its second byte.
inline constexpr uint8_t kMarkerHasFlow = 1;
inline constexpr uint8_t kMarkerEndsFlow = 2;
inline constexpr uint64_t kTimeIsCycles = uint64_t{1} << 63;

// The form of a field in a payload (marker_abi.h). Fields have the machine's byte order and no gaps. New forms go to
// the end.
enum class MarkerFieldWire : uint8_t {
  kInt64 = 0,
  kUint64 = 1,
  kDouble = 2,
  kBool = 3,    // one byte
  kString = 4,  // U length, bytes
  kTime = 5,    // as the times of kTimedMarker
  kNs = 6,      // int64
  kFlow = 7,    // uint64
  kValue = 8,   // MarkerValueTag and its bytes
};
inline constexpr uint64_t kMarkerFieldHidden = 1;
inline constexpr uint64_t kMarkerFieldOptional = 2;      // a byte 0 or 1 before it; after 0 there is no value
inline constexpr uint64_t kMarkerFieldSpread = 4;        // kValue, an object: its pairs are fields of their own
inline constexpr uint64_t kMarkerFieldInSchemaOnly = 8;  // not in the payload
inline constexpr uint64_t kMarkerTypeStackBased = 1;
inline constexpr uint64_t kMarkerTypeNoSchema = 2;

enum class MarkerValueTag : uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kInt = 3,     // Z
  kDouble = 4,  // 8 bytes
  kString = 5,  // T
  kArray = 6,   // U count, values
  kObject = 7,  // U count, pairs of T key and value
  kTime = 8,    // 8 bytes: as MarkerFieldWire::kTime, where a field is spread; elsewhere null
  kUint = 9,    // U
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_ENTRY_FORMAT_H_
