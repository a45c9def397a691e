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

// A marker without fields, or with a text, that says all of itself.
struct PlainMarker {
  std::string_view name;  // cut at kLargestNameBytes
  uint32_t category_pair = 0;
  uint32_t phase = 0;  // MarkerPhase
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  bool has_text = false;
  std::string_view text;  // cut at kLargestTextBytes
};

struct MarkerFlowOption {
  uint64_t id = 0;
  uint8_t flags = 0;  // kMarkerHasFlow, kMarkerEndsFlow; 0: there is none
};

// A marker whose site says the rest. Times as in entry_format.h.
struct TimedMarker {
  uint32_t site = 0;
  uint32_t phase = 0;  // MarkerPhase
  uint64_t start = 0;
  uint64_t end = 0;
  ThreadId about;         // unspecified: the writer
  std::string_view name;  // cut at kLargestNameBytes; only where the site has none
  static constexpr uint32_t kCategoryOfSite = UINT32_MAX;
  uint32_t category_pair = kCategoryOfSite;
  MarkerFlowOption flow;
  std::span<const uint8_t> stack;                     // as in kTimedMarker; empty: none
  std::span<const std::span<const uint8_t>> payload;  // kMostPieces at most
};

// MarkerWriter: one thread's markers, in a stream of its own. Each chunk says for itself whose they are: at its begin,
// and where another thread goes on with a chunk that was left half-filled.
//
//   thread:  TryPut: 24 bytes in the chunk at hand             nearly always
//            Enter ... Put ... Exit                            payloads, a new chunk, another recording
//            in a signal handler between the two: refused and counted, as between Enter and Exit
//            after such a handler jumped away:    refused, until somebody who knows the stack says GiveUp
//
// Threads: one owner. Context: any; a marker of a signal handler that interrupted one of the same thread is dropped and
// counted. No lock, no allocation.
class MarkerWriter {
 public:
  static constexpr size_t kLargestNameBytes = 400;
  static constexpr size_t kLargestTextBytes = 3500;
  static constexpr size_t kMostPieces = 64;

  // A marker without payload about this thread, one that the current chunk has room for. `segment`: the recording's, or
  // null where it has just ended. `site`: the recording's serial in the upper half, the site's id in the lower. False:
  // nothing was done, and Enter and Put will find out why. Here and below, `caller_sp`: the stack pointer of who called
  // into the library (__builtin_dwarf_cfa there).
  bool TryPut(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end, uintptr_t caller_sp) {
    const StreamWriter::Reserved block = TryReserve(segment, site, flags, start, end, 0, caller_sp);
    if (block.to == nullptr) return false;
    Commit(block);
    return true;
  }

  // The same with a payload of at most kMostQuickPayloadBytes: where it is to be written, until Commit. Null: nothing
  // was done.
  static constexpr size_t kMostQuickPayloadBytes = 100;
  StreamWriter::Reserved TryReserve(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end,
                                    size_t payload_bytes, uintptr_t caller_sp) {
    if (under_way_at_ != 0) return {};
    Begin(caller_sp);
    if (segment_ != segment || site >> 32 != serial_) {
      End();
      return {};
    }
    const bool one_time = (flags & kMarkerHasOneTime) != 0;
    const size_t head_bytes = one_time ? kQuickInstantBytes : kQuickIntervalBytes;
    const size_t bytes = head_bytes + payload_bytes;
    StreamWriter::Reserved block = stream_.Reserve(static_cast<uint32_t>(bytes));
    if (block.to == nullptr) {
      End();
      return {};
    }
    const uint64_t head =
        (bytes - 1) | uint64_t{static_cast<uint8_t>(EntryType::kTimedMarker)} << 8 | uint64_t{flags} << 16 | site << 32;
    memcpy(block.to, &head, sizeof head);
    memcpy(block.to + 8, &start, sizeof start);
    if (!one_time) memcpy(block.to + 16, &end, sizeof end);
    block.to += head_bytes;
    return block;
  }
  void Commit(const StreamWriter::Reserved& block) {
    stream_.Commit(block);
    End();
  }
  // For who cannot keep it between the two.
  uint8_t* TryBegin(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end,
                    size_t payload_bytes, uintptr_t caller_sp) {
    const StreamWriter::Reserved block = TryReserve(segment, site, flags, start, end, payload_bytes, caller_sp);
    if (block.to != nullptr) begun_tail_ = block.tail;  // else it may be that of a marker that this one interrupted
    return block.to;
  }
  void Commit() { Commit({nullptr, begun_tail_}); }

  // Begins to write to `segment`, forgetting what was before if that is another one than last time. False: the thread
  // was interrupted in the middle of a marker; counted. A segment that was retired, or is the parent's in a forked
  // child, takes what is on its way and keeps nothing.
  bool Enter(const Segment* segment, uintptr_t caller_sp);
  void Exit() { End(); }

  // Where on the stack the marker is made that is under way, in the frame of the function that was called; 0: none is.
  uintptr_t under_way_at() const { return under_way_at_; }
  // That one will never be finished: its thread jumped out of it. REQUIRES: under_way_at() is not 0.
  void GiveUp();

  // Between Enter and Exit. False: dropped, and counted.
  bool Put(ThreadId writer, const PlainMarker& marker, int64_t now_ns);
  bool Put(ThreadId writer, const TimedMarker& marker);

  // The thread has ended, in the middle of a marker perhaps: its half-filled chunk is left for others.
  void Leave();

 private:
  // The size of the block, the kind, flags, 0, the site, one or two times.
  static constexpr size_t kQuickInstantBytes = 16;
  static constexpr size_t kQuickIntervalBytes = 24;

  // Of the time in which a signal handler of the thread's may change nothing: what is between the two is neither read
  // before nor written after, by the compiler's doing.
  void Begin(uintptr_t caller_sp) {
    under_way_at_ = caller_sp - sizeof caller_sp;  // below it the callee's frame begins
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void End() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    under_way_at_ = 0;
  }

  bool Announce(ThreadId writer, size_t entry_bytes, int64_t now_ns);

  // Null: nothing was written yet, and the stream has no room; or the fields below do not belong together, while a
  // marker is under way.
  const Segment* segment_ = nullptr;
  uint32_t serial_ = 0;  // the segment's
  StreamWriter stream_;
  uint32_t begun_tail_ = 0;              // between TryBegin and Commit
  uint32_t announced_serial_ = 0;        // the chunk that says who we are
  volatile uintptr_t under_way_at_ = 0;  // owner's thread; volatile so that its own signal handler sees it
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_MARKER_WRITER_H_
