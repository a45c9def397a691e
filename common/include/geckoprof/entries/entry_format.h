// The entries inside blocks, as readers of other processes and versions see them (docs/formats/segment.md).
//
// An entry is one kind byte, then fields: U = ULEB128, Z = zigzag ULEB128, T = U length and that many bytes. A reader
// skips kinds that it does not know (the block has its size) and ignores bytes after the fields that it does.
//
// Metadata stream (pinned):
//   kString        U id, T text
//   kThread        U index, U tid, U flags (1: main), U registered_ns, T name
//   kThreadName    U index, T name
//   kThreadEnd     U index, U ended_ns
//   kModule        U id, U mapped_ns, U start, U end, Z bias, T path, T build_id
//   kModuleEnd     U id, U unmapped_ns
//   kProcess       T executable, U argument count, T argument...
//   kFilters       U count, T filter...
//   kPause         U start_ns, U end_ns, T reason
//   kProblem       T text                           why something asked for is not as asked
// Sampler stream:
//   kTick          U idle ticks before it, U ns since the chunk's last tick (or its begin)
//   kStack         U parent node (0: none), U count, then count frames; each defines the next node of the chunk, from 1
//   on
//                  frame: U value << 2 | kind
//                    kind 0: native, value = zigzag(address - address of the parent node)
//                    kind 1: label, value = string id; then U category << 8 | subcategory
//                    kind 2: reason, value = number of the reason (UnwindEnd, then StackProblem from 64 on)
//                    kind 3: label with its text here, value = length; text; then U category << 8 | subcategory
//   kSample        U thread index, Z ns since the tick, U cpu_ns + 1 (0: unknown), U stack node
//   kBlockedSample the same, the stack read without a signal
// A thread's stream (markers):
//   kWriter        U tid                            who writes what follows in this chunk
//   kMarker        U phase, Z start_ns - chunk begin, Z end_ns - start, U category << 8 | subcategory, U payload kind
//                  (0 none, 1 text), T name, [T text]
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
  kTick = 32,
  kStack = 33,
  kSample = 34,
  kBlockedSample = 35,
  kWriter = 64,
  kMarker = 65,
};

inline constexpr uint16_t kMetadataStream = 1;
inline constexpr uint16_t kSamplerStream = 2;
inline constexpr uint16_t kFirstMarkerStream = 3;

inline constexpr uint64_t kThreadIsMain = 1;

enum class StackFrameKind : uint8_t { kNative = 0, kLabel = 1, kReason = 2, kInlineLabel = 3 };

// Reasons for an incomplete stack that do not come from the unwinder. Numbers are part of the format: append only.
enum class StackProblem : uint32_t {
  kNoProblem = 0,
  kUnknownStack = 64,  // the stack pointer is in memory that is not known as a stack (a coroutine's, say)
  kCopyLimit = 65,     // the stack is deeper than what is copied at most
  kUnreadable = 66,    // a blocked thread's stack could not be read, or it moved on meanwhile
  kDeaf = 67,          // the thread has the sampler's signal blocked
};

enum class MarkerPayload : uint8_t { kNothing = 0, kText = 1 };

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_ENTRY_FORMAT_H_
