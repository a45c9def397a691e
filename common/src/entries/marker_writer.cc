#include "geckoprof/entries/marker_writer.h"

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/utf8.h"
#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {
namespace {

constexpr size_t kWriterBytes = 1 + 3 * kMaxLeb128Bytes;
constexpr size_t kLargestHead = 3 + 4 + 8 + 8 + 4 + 4 + 8 + 2 * kMaxLeb128Bytes + MarkerWriter::kLargestNameBytes;

}  // namespace

// A nested call must leave everything as the interrupted call knows it, so this test comes first.
bool MarkerWriter::Enter(const Segment* segment, uintptr_t caller_sp) {
  if (under_way_at_ != 0) {
    segment->CountDrop(DropReason::kNested);
    return false;
  }
  SetUnderWay(caller_sp);
  if (segment_ != segment) {
    segment_ = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    stream_ = StreamWriter(segment, StreamId::FromNumber(kFirstMarkerStream), StreamWriter::Supply::kContinuePartial);
    announced_serial_ = 0;
    serial_ = segment->serial();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    segment_ = segment;
  }
  return true;
}

// The jump may have left the stream's fields half written. The next marker therefore makes another stream, which
// continues the released chunk.
void MarkerWriter::Abandon() {
  ReleasePartial();
  segment_ = nullptr;
  Exit();
}

void MarkerWriter::ReleasePartial() {
  if (segment_ != nullptr) stream_.ReleasePartial();
}

// Makes room for the marker at the same time, because the entry here and the marker must go into the same chunk.
bool MarkerWriter::Announce(ThreadId writer, size_t entry_bytes, int64_t now_ns) {
  if (!stream_.MakeRoom(kWriterBytes + 2 * kMaxLeb128Bytes + entry_bytes, now_ns)) return false;
  if (stream_.chunk_serial() == announced_serial_) return true;
  uint8_t room[kWriterBytes];
  EntryBuilder who(EntryType::kWriter, room);
  const ClockReading clocks = ReadClocks(4);
  const bool is_exact = clocks.apart_cycles <= 8 * kCloseCycles;  // else it would make other times worse
  who.U(static_cast<uint64_t>(writer.ToNumber())).U(static_cast<uint64_t>(clocks.pair.ns));
  who.U(is_exact ? clocks.pair.cycles : 0);
  if (!stream_.Append(who.bytes(), now_ns)) return false;
  announced_serial_ = stream_.chunk_serial();
  return true;
}

// The chunk at hand needs no time. A new chunk does, and may be slow.
uint8_t* MarkerWriter::Begin(ThreadId writer, const TimedMarker& marker, size_t payload_bytes) {
  const std::string_view name = Utf8Cut(marker.name, kLargestNameBytes);
  uint8_t room[kLargestHead];
  EntryBuilder head(EntryType::kTimedMarker, room);
  const bool one_time = marker.phase != kMarkerIsInterval;
  const bool has_category = marker.category_pair != TimedMarker::kCategoryOfSite;
  head.Byte(static_cast<uint8_t>(
      marker.phase | (one_time ? kMarkerHasOneTime : 0) | (marker.about.IsSpecified() ? kMarkerHasThread : 0) |
      (name.data() != nullptr ? kMarkerHasName : 0) | (has_category ? kMarkerHasCategory : 0) |
      (marker.stack.empty() ? 0 : kMarkerHasStack)));
  head.Byte(marker.flow.flags).Fixed(marker.site);
  if (!one_time) head.Fixed(marker.start);
  head.Fixed(marker.time);
  if (marker.about.IsSpecified()) head.Fixed(marker.about.ToNumber());
  if (name.data() != nullptr) head.T(name);
  if (has_category) head.Fixed(marker.category_pair);
  if (marker.flow.flags != 0) head.Fixed(marker.flow.id);
  if (!marker.stack.empty()) head.U(marker.stack.size());
  const size_t entry_bytes = head.bytes().size() + marker.stack.size() + payload_bytes;
  const size_t block_bytes = Uleb128Bytes(entry_bytes) + entry_bytes;
  constexpr size_t kTooLarge = size_t{1} << 30;  // for any chunk
  const auto wanted_bytes = static_cast<uint32_t>(std::min(block_bytes, kTooLarge));
  StreamWriter::Reserved block = stream_.Reserve(wanted_bytes);
  if (block.to == nullptr) {
    if (!Announce(writer, block_bytes, MonotonicNs())) return nullptr;
    block = stream_.Reserve(wanted_bytes);
  }
  uint8_t* to = WriteUleb128(entry_bytes, block.to);
  memcpy(to, head.bytes().data(), head.bytes().size());
  to += head.bytes().size();
  if (!marker.stack.empty()) memcpy(to, marker.stack.data(), marker.stack.size());
  begun_tail_ = block.tail;
  return to + marker.stack.size();
}

}  // namespace geckoprof
