#include "geckoprof/entries/marker_writer.h"

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/utf8_cut.h"
#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {
namespace {

constexpr size_t kWriterBytes = 1 + 3 * kMaxLeb128Bytes;
constexpr size_t kFixedBytes = 1 + 7 * kMaxLeb128Bytes;
constexpr size_t kLargestEntry = kFixedBytes + MarkerWriter::kLargestNameBytes + MarkerWriter::kLargestTextBytes;
constexpr size_t kLargestTimedHead = 3 + 4 + 8 + 8 + 4 + 4 + 8 + 2 * kMaxLeb128Bytes + MarkerWriter::kLargestNameBytes;

}  // namespace

// First of all: a nested call must leave everything as the one that it interrupted knows it.
bool MarkerWriter::Enter(const Segment* segment, uintptr_t caller_sp) {
  if (under_way_at_ != 0) {
    segment->CountDrop(DropReason::kNested);
    return false;
  }
  Begin(caller_sp);
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

// The jump may have left the stream's fields half written. So the next marker makes another stream, which goes on with
// the chunk that this one leaves.
void MarkerWriter::Abandon() {
  Leave();
  segment_ = nullptr;
  End();
}

void MarkerWriter::Leave() {
  if (segment_ != nullptr) stream_.Leave();
}

// Room for all of it at once, since what is written depends on the chunk that it goes into.
bool MarkerWriter::Announce(ThreadId writer, size_t entry_bytes, int64_t now_ns) {
  if (!stream_.MakeRoom(kWriterBytes + 2 * kMaxLeb128Bytes + entry_bytes, now_ns)) return false;
  if (stream_.chunk_serial() == announced_serial_) return true;
  uint8_t room[kWriterBytes];
  EntryBuilder who(EntryType::kWriter, room);
  const ClockReading clocks = ReadClocks(4);
  const bool is_exact = clocks.apart_cycles <= 8 * kCloseCycles;  // else it would make other times worse
  who.U(static_cast<uint64_t>(writer.ToNumber())).U(static_cast<uint64_t>(clocks.pair.ns));
  who.U(is_exact ? clocks.pair.cycles : 0);
  if (!stream_.Put(who.bytes(), now_ns)) return false;
  announced_serial_ = stream_.chunk_serial();
  return true;
}

bool MarkerWriter::Put(ThreadId writer, const PlainMarker& marker, int64_t now_ns) {
  const std::string_view name = Utf8Cut(marker.name, kLargestNameBytes);
  const std::string_view text = marker.has_text ? Utf8Cut(marker.text, kLargestTextBytes) : std::string_view();
  if (name.size() < marker.name.size() || (marker.has_text && text.size() < marker.text.size())) {
    segment_->CountDrop(DropReason::kTextCut);
  }
  if (!Announce(writer, kFixedBytes + name.size() + text.size(), now_ns)) return false;
  uint8_t room[kLargestEntry];
  EntryBuilder entry(EntryType::kMarker, room);
  entry.U(marker.phase).Z(marker.start_ns - stream_.chunk_begin_ns()).Z(marker.end_ns - marker.start_ns);
  entry.U(marker.category_pair);
  entry.U(static_cast<uint64_t>(marker.has_text ? MarkerPayload::kText : MarkerPayload::kNothing)).T(name);
  if (marker.has_text) entry.T(text);
  return stream_.Put(entry.bytes(), now_ns).has_value();
}

// Into the chunk at hand, without asking for the time; a new chunk is in no hurry.
bool MarkerWriter::Put(ThreadId writer, const TimedMarker& marker) {
  const std::string_view name = Utf8Cut(marker.name, kLargestNameBytes);
  size_t payload_bytes = 0;
  for (const auto& piece : marker.payload) payload_bytes += piece.size();
  uint8_t room[kLargestTimedHead];
  EntryBuilder head(EntryType::kTimedMarker, room);
  const bool one_time = marker.phase != 1;
  const bool has_category = marker.category_pair != TimedMarker::kCategoryOfSite;
  head.Byte(static_cast<uint8_t>(
      marker.phase | (one_time ? kMarkerHasOneTime : 0) | (marker.about.IsSpecified() ? kMarkerHasThread : 0) |
      (name.data() != nullptr ? kMarkerHasName : 0) | (has_category ? kMarkerHasCategory : 0) |
      (marker.stack.empty() ? 0 : kMarkerHasStack)));
  head.Byte(marker.flow.flags).Fixed(marker.site).Fixed(marker.phase == 3 ? marker.end : marker.start);
  if (!one_time) head.Fixed(marker.end);
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
    if (!Announce(writer, block_bytes, MonotonicNs())) return false;
    block = stream_.Reserve(wanted_bytes);
  }
  uint8_t* to = WriteUleb128(entry_bytes, block.to);
  memcpy(to, head.bytes().data(), head.bytes().size());
  to += head.bytes().size();
  if (!marker.stack.empty()) memcpy(to, marker.stack.data(), marker.stack.size());
  to += marker.stack.size();
  for (const auto& piece : marker.payload) {
    if (!piece.empty()) memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  stream_.Commit(block);
  return true;
}

}  // namespace geckoprof
