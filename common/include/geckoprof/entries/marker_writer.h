#ifndef GECKOPROF_ENTRIES_MARKER_WRITER_H_
#define GECKOPROF_ENTRIES_MARKER_WRITER_H_

#include <string.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/base/ids.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/segment/stream_writer.h"

namespace geckoprof {

struct MarkerFlowOption {
  uint64_t id = 0;
  uint8_t flags = 0;  // kMarkerHasFlow, kMarkerEndsFlow; 0: there is none
};

// The head of a marker is everything except its payload. Other facts come from its site. Times are as in
// entry_format.h.
struct TimedMarker {
  uint32_t site = 0;
  uint32_t phase = 0;     // MarkerPhase
  uint64_t start = 0;     // of an interval
  uint64_t time = 0;      // the end of an interval, or the time of any other marker
  ThreadId about;         // unspecified: the writer
  std::string_view name;  // cut at kLargestNameBytes; only if the site has none
  static constexpr uint32_t kCategoryOfSite = UINT32_MAX;
  uint32_t category_pair = kCategoryOfSite;
  MarkerFlowOption flow;
  std::span<const uint8_t> stack;  // as in kTimedMarker; empty: none
};

// MarkerWriter writes the markers of one thread, into a stream of its own. Each chunk names its thread at its begin. If
// a thread continues a chunk that another left half-filled, it writes its name there, too.
//
//   thread:  TryBegin ... payload ... Commit             nearly always: a short head in the chunk at hand
//            Enter, Begin ... payload ... Commit         other heads, a new chunk, another recording
//            Enter ... Exit                              no marker came of it
//
// From TryBegin or Enter to Commit or Exit, a marker is under way. A signal handler of the thread cannot begin another
// then. TryBegin refuses it, and Enter refuses and counts it. If the thread jumped out of a marker, Abandon drops it.
// The caller decides that, since it knows the stack.
//
// Threads: one owner. Context: any. No lock, no allocation.
class MarkerWriter {
 public:
  static constexpr size_t kLargestNameBytes = 400;
  // With the longest head of TryBegin, the size of the block takes one byte.
  static constexpr size_t kMaxQuickPayloadBytes = 100;

  // Begins a marker that has a short head, if the current chunk has room for it. Returns the place for the payload, or
  // null if nothing was done. Enter and Begin then find the reason.
  //
  //   segment     the segment of the recording, or null if the recording has just ended
  //   site        the serial of the recording in the upper half, the id of the site in the lower half
  //   flags       the phase, and kMarkerHasOneTime unless the phase is kMarkerIsInterval
  //   caller_sp   the stack pointer of the function that called the library (__builtin_dwarf_cfa there)
  //
  // REQUIRES: payload_bytes <= kMaxQuickPayloadBytes.
  uint8_t* TryBegin(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t time,
                    uint32_t payload_bytes, uintptr_t caller_sp) {
    if (under_way_at_ != 0) return nullptr;
    SetUnderWay(caller_sp);
    if (segment_ != segment || site >> 32 != serial_) {
      Exit();
      return nullptr;
    }
    const bool one_time = (flags & kMarkerHasOneTime) != 0;
    const uint32_t head_bytes = one_time ? kQuickInstantBytes : kQuickIntervalBytes;
    const uint32_t bytes = head_bytes + payload_bytes;
    const StreamWriter::Reserved block = stream_.Reserve(bytes);
    if (block.to == nullptr) {
      Exit();
      return nullptr;
    }
    begun_tail_ = block.tail;
    const uint64_t head =
        (bytes - 1) | uint64_t{static_cast<uint8_t>(EntryType::kTimedMarker)} << 8 | uint64_t{flags} << 16 | site << 32;
    memcpy(block.to, &head, sizeof head);
    if (!one_time) memcpy(block.to + 8, &start, sizeof start);
    memcpy(block.to + head_bytes - 8, &time, sizeof time);
    return block.to + head_bytes;
  }

  // Begins to write to `segment`, and forgets another segment that was used before. Returns false if the thread was
  // interrupted in the middle of a marker, which is counted. If a segment was retired or belongs to the parent of a
  // forked child, markers go there and are lost.
  bool Enter(const Segment* segment, uintptr_t caller_sp);

  // Begins a marker. Returns the place for its payload. Returns null if the marker is dropped, which is counted.
  // REQUIRES: between Enter and Exit.
  uint8_t* Begin(ThreadId writer, const TimedMarker& marker, size_t payload_bytes);

  // Publishes the marker that was begun. No marker is under way any more.
  void Commit() {
    stream_.Commit({nullptr, begun_tail_});
    Exit();
  }
  void Exit() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    under_way_at_ = 0;
  }

  // The chunk of the last marker. REQUIRES: the marker was committed, and no marker was begun since.
  ChunkUse last_chunk() const { return stream_.chunk_use(); }

  // The address on the stack at which the marker under way was begun. It lies in the frame of the called function. It
  // is 0 if no marker is under way.
  uintptr_t under_way_at() const { return under_way_at_; }
  // Drops the marker that is under way, because its thread jumped out of it. The next marker continues the chunk.
  // REQUIRES: under_way_at() is not 0.
  void Abandon();

  // The thread has ended, perhaps in the middle of a marker. Another thread may continue its half-filled chunk.
  void ReleasePartial();

 private:
  // The size of the block, the kind, flags, 0, the site, one or two times.
  static constexpr uint32_t kQuickInstantBytes = 16;
  static constexpr uint32_t kQuickIntervalBytes = 24;
  static_assert(kQuickIntervalBytes + kMaxQuickPayloadBytes - 1 < 128);

  // From here to Exit a signal handler of the thread changes nothing. The compiler moves no access across either end.
  void SetUnderWay(uintptr_t caller_sp) {
    under_way_at_ = caller_sp - sizeof caller_sp;  // below it the callee's frame begins
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  bool Announce(ThreadId writer, size_t entry_bytes, int64_t now_ns);

  // It is null if nothing was written yet. The stream has no room then. It is also null while a marker under way
  // changes the fields below.
  const Segment* segment_ = nullptr;
  uint32_t serial_ = 0;  // the segment's
  StreamWriter stream_;
  uint32_t begun_tail_ = 0;              // of a marker that is under way
  uint32_t announced_serial_ = 0;        // of the chunk that names the thread
  volatile uintptr_t under_way_at_ = 0;  // the owner's; volatile so that its own signal handler sees it
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_MARKER_WRITER_H_
