#include "marker_reader.h"

#include <utility>

#include "block_walk.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/entries/entry_format.h"
#include "plausible_time.h"

namespace geckoprof {

bool MarkerReader::ReadChunk(const SegmentView::ChunkCopy& chunk) {
  chunk_begin_ns_ = PlausibleTime(chunk.begin_ns);
  writer_tid_ = 0;
  return ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) { return ReadEntry(entry); });
}

bool MarkerReader::ReadEntry(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kWriter:
      writer_tid_ = static_cast<int32_t>(reader.Uleb());
      return reader.ok();
    case EntryType::kMarker:
      if (!ReadMarker(reader)) ++unreadable_;
      return true;  // nothing else depends on it
    default:
      return true;  // of a later version
  }
}

bool MarkerReader::ReadMarker(Leb128Reader& reader) {
  const uint64_t phase = reader.Uleb();
  MarkerRow marker;
  marker.start_ns = PlausibleSum(chunk_begin_ns_, reader.Zigzag());
  marker.end_ns = PlausibleSum(marker.start_ns, reader.Zigzag());
  const uint64_t pair = reader.Uleb();
  const uint64_t payload = reader.Uleb();
  const std::string_view name = ReadText(reader);
  std::string_view text;
  if (payload == static_cast<uint64_t>(MarkerPayload::kText)) text = ReadText(reader);
  if (!reader.ok() || phase > static_cast<uint64_t>(MarkerPhase::kIntervalEnd) || writer_tid_ == 0) return false;
  marker.phase = static_cast<MarkerPhase>(phase);
  // Of a later version: none.
  marker.category = pair >> 8 < profile_.categories.size() ? static_cast<int32_t>(pair >> 8) : kNone;
  marker.name = tables_.String(name);
  if (payload == static_cast<uint64_t>(MarkerPayload::kText)) {
    marker.type = TextType();
    MarkerField field;
    field.key = tables_.String("name");
    field.text = tables_.String(text);
    marker.fields.push_back(field);
  }
  profile_.threads[WriterThread(marker.end_ns)].markers.push_back(std::move(marker));
  return true;
}

size_t MarkerReader::WriterThread(int64_t time_ns) {
  int32_t row = threads_.At(writer_tid_, time_ns);
  if (row != kNone) return static_cast<size_t>(row);
  const uint64_t key = MixBits(static_cast<uint32_t>(writer_tid_));
  row = strangers_.Find(key);
  if (row != kNone) return static_cast<size_t>(row);
  ThreadRow thread;
  thread.tid = writer_tid_;
  thread.registered_ns = time_ns;
  thread.unregistered_ns = time_ns;
  strangers_.Insert(key, static_cast<int32_t>(profile_.threads.size()));
  profile_.threads.push_back(std::move(thread));
  return profile_.threads.size() - 1;
}

// The type that the original calls Text, with its labels (gecko-profile-format, schema entries).
int32_t MarkerReader::TextType() {
  if (text_type_ != kNone) return text_type_;
  MarkerTypeRow type;
  type.name = "Text";
  type.description = "A marker with a text";
  type.chart_label = "{marker.data.name}";
  type.table_label = "{marker.name} - {marker.data.name}";
  type.display = {"marker-chart", "marker-table"};
  type.fields.push_back({"name", "Details", "string", false});
  text_type_ = static_cast<int32_t>(profile_.marker_types.size());
  profile_.marker_types.push_back(std::move(type));
  return text_type_;
}

}  // namespace geckoprof
