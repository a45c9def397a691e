#include "geckoprof/entries/marker_writer.h"

#include "geckoprof/entries/entry_builder.h"

namespace geckoprof {
namespace {

constexpr size_t kWriterBytes = 1 + kMaxLeb128Bytes;
constexpr size_t kFixedBytes = 1 + 7 * kMaxLeb128Bytes;
constexpr size_t kLargestEntry = kFixedBytes + MarkerWriter::kLargestNameBytes + MarkerWriter::kLargestTextBytes;

// Cuts between characters of UTF-8.
std::string_view Cut(std::string_view text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace

bool MarkerWriter::Put(const Segment* segment, ThreadId writer, const PlainMarker& marker, int64_t now_ns) {
  // First of all: a nested call must leave everything as the one that it interrupted knows it.
  if (busy_) {
    segment->CountDrop(DropReason::kNested);
    return false;
  }
  busy_ = true;
  if (segment_ != segment) Begin(segment);
  const bool put = PutInTurn(writer, marker, now_ns);
  busy_ = false;
  return put;
}

void MarkerWriter::Begin(const Segment* segment) {
  segment_ = segment;
  stream_ = StreamWriter(segment, StreamId::FromNumber(kFirstMarkerStream), StreamWriter::Supply::kContinuePartial);
  announced_serial_ = 0;
}

bool MarkerWriter::PutInTurn(ThreadId writer, const PlainMarker& marker, int64_t now_ns) {
  const std::string_view name = Cut(marker.name, kLargestNameBytes);
  const std::string_view text = marker.has_text ? Cut(marker.text, kLargestTextBytes) : std::string_view();
  // Room for all of it at once, since what is written depends on the chunk that it goes into.
  if (!stream_.MakeRoom(kWriterBytes + kFixedBytes + 2 * kMaxLeb128Bytes + name.size() + text.size(), now_ns))
    return false;
  if (stream_.chunk_serial() != announced_serial_) {
    uint8_t room[kWriterBytes];
    EntryBuilder who(EntryType::kWriter, room);
    if (!stream_.Put(who.U(static_cast<uint64_t>(writer.ToNumber())).bytes(), now_ns)) return false;
    announced_serial_ = stream_.chunk_serial();
  }
  uint8_t room[kLargestEntry];
  EntryBuilder entry(EntryType::kMarker, room);
  entry.U(marker.phase).Z(marker.start_ns - stream_.chunk_begin_ns()).Z(marker.end_ns - marker.start_ns);
  entry.U(marker.category_pair);
  entry.U(static_cast<uint64_t>(marker.has_text ? MarkerPayload::kText : MarkerPayload::kNothing)).T(name);
  if (marker.has_text) entry.T(text);
  return stream_.Put(entry.bytes(), now_ns).has_value();
}

}  // namespace geckoprof
