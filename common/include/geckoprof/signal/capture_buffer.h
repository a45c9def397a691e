// The sampler's request to a running thread, and the handler's answer.
#ifndef GECKOPROF_SIGNAL_CAPTURE_BUFFER_H_
#define GECKOPROF_SIGNAL_CAPTURE_BUFFER_H_

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// General registers in DWARF numbering, then pc. There are 16 on x86-64, and 31 and sp on aarch64.
struct CapturedRegisters {
  static constexpr uint32_t kCount = 33;
  static constexpr uint64_t kAllKnown = (uint64_t{1} << kCount) - 1;
  uint64_t known;  // bit N: values[N] is known; pc and sp always are
  uint64_t values[kCount];
  uint64_t pc;
  uint64_t sp;
};

enum class CaptureState : uint8_t { kFree = 0, kRequested = 1, kAnswered = 2 };

// CaptureBuffer holds one request to one thread. The sampler owns its memory, which is never unmapped.
//
//   word = token << 8 | CaptureState
//     sampler: fills the request, stores kRequested (release), sends the signal with a CaptureValue
//     handler: reads the word (acquire); not this token, or not kRequested: a stale signal, nothing happens
//              fills the answer, stores kAnswered (release)
//     sampler: reads the word (acquire), takes the answer, stores kFree
// A request stays with its thread until the thread answers or ends. A thread that blocks the signal answers when it
// unblocks the signal. The sampler therefore never waits, and a late handler never writes into another request's
// buffer.
struct CaptureBuffer {
  static constexpr uint32_t kMaxLabels = 32;
  static constexpr uint32_t kLabelTextBytes = 2048;
  static constexpr uint32_t kMaxLabelBytes = 512;  // a label with its dynamic part is cut there, as in Firefox

  std::atomic<uint64_t> word;

  // Members of the request.
  const ProfilingStack* labels;  // or null
  StackRange stack;              // {0, 0} if unknown
  int32_t tid;                   // the thread that is asked
  uint8_t* stack_copy;           // capacity_bytes of populated memory
  uint32_t capacity_bytes;
  uint32_t skipped_frames;  // for a marker: number of innermost frames to drop
  uint32_t unloads;         // for a marker: number of dlclose calls before the copy
  uint32_t tick_index;      // for a tick: index in TickTable::buffers
  SampleClock clock;        // for a sample of a running thread: the clock that interrupts it
  uint32_t marker_chunk;    // for a marker: its chunk, and the block index of the chunk
  uint64_t marker_block;

  // Members of the answer.
  uint32_t copied_bytes;
  uint64_t copied_from;    // address of stack_copy[0] in the thread's stack
  bool reached_stack_end;  // the copy reaches the high end of the stack; otherwise the capacity cut it
  bool unknown_stack;      // sp is not in `stack`, so only its page was copied
  uint32_t label_count;
  uint32_t labels_missing;
  uint64_t begin_cycles, end_cycles;  // cycle counter at the first and last instruction of the handler
  CapturedRegisters registers;
  struct Label {
    uint64_t stack_address;
    uint32_t category_pair;
    uint16_t text_offset, text_bytes;
  } label[kMaxLabels];
  char label_text[kLabelTextBytes];
};

constexpr uint64_t MakeCaptureWord(uint64_t token, CaptureState state) {
  return token << 8 | static_cast<uint64_t>(state);
}
constexpr CaptureState CaptureStateIn(uint64_t word) { return static_cast<CaptureState>(word & 0xff); }
constexpr uint64_t CaptureTokenIn(uint64_t word) { return word >> 8; }

// CaptureValue is the value that the signal of a request carries.
//
//   | 16 bits: the mark | 40 bits: token | 8 bits: index in the table |
//
// The program may queue the same signal to itself. Its values are never mistaken for a request, because no user-space
// address begins like the mark and no int is that large.
class CaptureValue {
 public:
  static constexpr uint64_t kTokenMask = (uint64_t{1} << 40) - 1;

  constexpr CaptureValue(uint64_t token, uint64_t index) : value_(kMark << 48 | (token & kTokenMask) << 8 | index) {}
  explicit CaptureValue(const siginfo_t& info) : value_(reinterpret_cast<uint64_t>(info.si_value.sival_ptr)) {}

  constexpr bool is_marked() const { return value_ >> 48 == kMark; }
  constexpr uint64_t token() const { return value_ >> 8 & kTokenMask; }
  constexpr size_t index() const { return value_ & 0xff; }
  void* pointer() const { return reinterpret_cast<void*>(value_); }

 private:
  static constexpr uint64_t kMark = 0x6b70;

  uint64_t value_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_CAPTURE_BUFFER_H_
