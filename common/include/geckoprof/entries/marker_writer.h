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

// MarkerWriter: one thread's markers, in a stream of its own. Each chunk names its writer at its begin. A thread that
// continues a half-filled chunk names itself there.
//
//   thread:  TryPut: 24 bytes in the chunk at hand             nearly always
//            Enter ... Put ... Exit                            payloads, a new chunk, another recording
//            in a signal handler between the two: refused and counted, as between Enter and Exit
//            after such a handler jumped away:    refused, until the caller learns that from the stack (Abandon)
//
// A signal handler may interrupt a marker of its thread. The handler's own marker is dropped and counted then. The
// writer takes no lock and allocates nothing. Threads: one owner. Context: any.
class MarkerWriter {
 public:
  static constexpr size_t kLargestNameBytes = 400;
  static constexpr size_t kLargestTextBytes = 3500;
  static constexpr size_t kMostPieces = 64;

  // Puts a marker without payload about this thread, if the current chunk has room. `segment` is the recording's, or
  // null if the recording has just ended. `site` holds the recording's serial in the upper half, and the site's id in
  // the lower. Returns false if nothing was done. Enter and Put find out the reason then. Here and below, `caller_sp`
  // is the stack pointer of the library's caller (__builtin_dwarf_cfa in the exported function).
  bool TryPut(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end, uintptr_t caller_sp) {
    const StreamWriter::Reserved block = TryReserve(segment, site, flags, start, end, 0, caller_sp);
    if (block.to == nullptr) return false;
    Commit(block);
    return true;
  }

  // The same with a payload of at most kMostQuickPayloadBytes. Returns the place that the caller fills before Commit,
  // or null if nothing was done.
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
  // For callers that cannot carry the reservation from TryBegin to Commit.
  uint8_t* TryBegin(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end,
                    size_t payload_bytes, uintptr_t caller_sp) {
    const StreamWriter::Reserved block = TryReserve(segment, site, flags, start, end, payload_bytes, caller_sp);
    if (block.to != nullptr) begun_tail_ = block.tail;  // else it may be that of a marker that this one interrupted
    return block.to;
  }
  void Commit() { Commit({nullptr, begun_tail_}); }

  // Begins a marker in `segment`. The writer begins a new stream if the last marker went to another segment. Returns
  // false, and counts the marker, if the thread was interrupted within a marker. A retired segment accepts the bytes
  // and keeps nothing. The same holds for the parent's segment in a forked child.
  bool Enter(const Segment* segment, uintptr_t caller_sp);
  void Exit() { End(); }

  // An address in the frame of the library's function that makes the marker under way. 0: no marker is under way.
  uintptr_t under_way_at() const { return under_way_at_; }
  // Drops the marker that is under way, which its thread jumped out of. The next marker continues the chunk.
  void Abandon();

  // Each writes one marker. Returns false if it was dropped, which is counted. REQUIRES: between Enter and Exit.
  bool Put(ThreadId writer, const PlainMarker& marker, int64_t now_ns);
  bool Put(ThreadId writer, const TimedMarker& marker);

  // Leaves the half-filled chunk to other threads, since this thread has ended. It may have ended within a marker.
  void Leave();

 private:
  // The size of the block, the kind, flags, 0, the site, one or two times.
  static constexpr size_t kQuickInstantBytes = 16;
  static constexpr size_t kQuickIntervalBytes = 24;

  // A signal handler of the thread may change nothing between Begin and End. The fences keep the compiler from moving
  // loads and stores out.
  void Begin(uintptr_t caller_sp) {
    under_way_at_ = caller_sp - sizeof caller_sp;  // below it the callee's frame begins
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void End() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    under_way_at_ = 0;
  }

  bool Announce(ThreadId writer, size_t entry_bytes, int64_t now_ns);

  // Null: the stream has no chunk, or the marker under way is moving the stream to another segment.
  const Segment* segment_ = nullptr;
  uint32_t serial_ = 0;  // the segment's
  StreamWriter stream_;
  uint32_t begun_tail_ = 0;              // between TryBegin and Commit
  uint32_t announced_serial_ = 0;        // the chunk that says who we are
  volatile uintptr_t under_way_at_ = 0;  // owner's thread; volatile so that its own signal handler sees it
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_MARKER_WRITER_H_
