#include "marker_reader.h"

#include <algorithm>
#include <utility>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/block_walk.h"
#include "recorded_times.h"

namespace geckoprof {

ThreadsByTid::ThreadsByTid(std::span<const ThreadRow> threads) {
  lives_.reserve(threads.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    const int64_t ended_ns = threads[i].unregistered_ns;
    lives_.push_back({threads[i].tid, static_cast<int32_t>(i), ended_ns != 0 ? ended_ns : INT64_MAX});
  }
  std::sort(lives_.begin(), lives_.end(),
            [](const Life& a, const Life& b) { return a.tid != b.tid ? a.tid < b.tid : a.row < b.row; });
  for (size_t i = 1; i < lives_.size(); ++i) {
    if (lives_[i].tid == lives_[i - 1].tid) {
      lives_[i].until_ns = std::max(lives_[i].until_ns, lives_[i - 1].until_ns);
    }
  }
}

int32_t ThreadsByTid::At(int32_t tid, int64_t time_ns) const {
  const auto found = std::partition_point(lives_.begin(), lives_.end(), [&](const Life& life) {
    return life.tid != tid ? life.tid < tid : life.until_ns < time_ns;
  });
  if (found != lives_.end() && found->tid == tid) return found->row;
  return found != lives_.begin() && found[-1].tid == tid ? found[-1].row : kNone;
}

bool MarkerReader::ReadChunk(const SegmentView::ChunkCopy& chunk) {
  writer_tid_ = 0;
  // The chunk does not have the time of its last marker.
  stacks_.MoveTo(chunk.begin_ns, INT64_MAX, INT64_MAX);
  return ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) { return ReadEntry(entry); });
}

// Clears the row of the marker before. The memory of its fields is used again.
MarkerRow& MarkerReader::EmptyRow() {
  std::vector<MarkerField> fields = std::move(row_.fields);
  fields.clear();
  row_ = {};
  row_.fields = std::move(fields);
  return row_;
}

bool MarkerReader::ReadEntry(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kWriter:
      writer_tid_ = static_cast<int32_t>(reader.Uleb());
      return reader.ok();
    case EntryType::kTimedMarker:
      if (!ReadTimedMarker(reader)) ++unreadable_;
      return true;  // nothing else depends on it
    default:
      return true;  // of a later version
  }
}

bool MarkerReader::AddTo(int32_t tid, MarkerRow& marker) {
  if (marker.start_ns >= kLatestNs || marker.end_ns >= kLatestNs) ++late_;
  if (marker.phase == MarkerPhase::kInterval && marker.end_ns < marker.start_ns) {
    marker.end_ns = marker.start_ns;
    ++backward_;
  }
  const int64_t time_ns =
      marker.phase == MarkerPhase::kInterval ? marker.end_ns : std::max(marker.start_ns, marker.end_ns);
  profile_.threads[FindThread(tid, time_ns)].markers.push_back(marker);
  return true;
}

bool MarkerReader::ReadTimedMarker(Leb128Reader& reader) {
  const uint8_t flags = reader.Byte();
  const uint8_t more_flags = reader.Byte();
  const auto site_id = ReadFixed<uint32_t>(reader);
  const auto first = ReadFixed<uint64_t>(reader);
  const uint64_t second = (flags & kMarkerHasOneTime) != 0 ? first : ReadFixed<uint64_t>(reader);
  const int32_t tid = (flags & kMarkerHasThread) != 0 ? ReadFixed<int32_t>(reader) : writer_tid_;
  const std::string_view name = (flags & kMarkerHasName) != 0 ? ReadText(reader) : std::string_view();
  const bool has_category = (flags & kMarkerHasCategory) != 0;
  const uint32_t pair = has_category ? ReadFixed<uint32_t>(reader) : 0;
  const bool has_flow = (more_flags & kMarkerHasFlow) != 0;
  const uint64_t flow = has_flow ? ReadFixed<uint64_t>(reader) : 0;
  const MarkerSites::Site* const site = sites_.Find(site_id);
  if (!reader.ok() || site == nullptr || tid == 0) return false;
  MarkerRow& marker = EmptyRow();
  marker.phase = static_cast<MarkerPhase>(flags & kMarkerPhaseMask);
  marker.start_ns = payloads_.ToNs(first);
  marker.end_ns = payloads_.ToNs(second);
  marker.category = tables_.categories().Find(has_category ? pair : site->category_pair).category;
  marker.type = site->type;
  marker.name = site->name != kNone ? site->name : tables_.Name(name);
  if ((flags & kMarkerHasStack) != 0 && !ReadStack(reader, marker)) return false;
  if (!payloads_.Read(sites_.SiteFields(*site), reader, marker.fields)) return false;
  if (has_flow) {
    const std::string_view key = types_.Flow((more_flags & kMarkerEndsFlow) != 0, marker.type);
    payloads_.AddOnce(payloads_.FlowField(tables_.String(key), flow), marker.fields);
  }
  if (marker.stack != kNone && marker.type == kNone) marker.type = types_.StackOnly();
  return AddTo(tid, marker);
}

bool MarkerReader::ReadStack(Leb128Reader& reader, MarkerRow& marker) {
  Leb128Reader frames(reader.Bytes(reader.Uleb()));
  const uint64_t head = frames.Uleb();
  if (!frames.ok()) return false;
  marker.stack_tid = writer_tid_;
  if ((head & 1) != 0) {
    marker.stack = samples_.MarkerStack(head >> 1);
    if (marker.stack == kNone) ++without_stack_;
    return true;
  }
  StackReader::Node node;
  for (uint64_t left = head >> 1; left > 0; --left) {
    if (!stacks_.ReadFrame(frames, node, std::max(marker.start_ns, marker.end_ns))) return false;
  }
  if (head != 0) marker.stack = node.stack;
  if (frames.remaining() == 0) return true;
  // The stack was captured before, perhaps of another thread.
  const uint64_t tid = frames.Uleb();
  const uint64_t time_ns = frames.Uleb();
  if (!frames.ok() || tid > INT32_MAX || time_ns >= uint64_t{kLatestNs}) return false;
  marker.stack_tid = static_cast<int32_t>(tid);
  marker.stack_time_ns = std::max(static_cast<int64_t>(time_ns), profile_.start_ns);  // not from an earlier recording
  return true;
}

bool MarkerReader::ReadClocks(const SegmentView::ChunkCopy& chunk, CycleTimes& cycles) {
  return ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) {
    Leb128Reader reader(entry);
    if (static_cast<EntryType>(reader.Byte()) != EntryType::kWriter) return true;
    reader.Uleb();
    const auto ns = static_cast<int64_t>(reader.Uleb());
    const ClockPair pair{reader.Uleb(), ns};
    if (reader.ok() && pair.cycles != 0) cycles.Add(pair);
    return true;
  });
}

size_t MarkerReader::FindThread(int32_t tid, int64_t time_ns) {
  int32_t row = threads_.At(tid, time_ns);
  if (row != kNone) return static_cast<size_t>(row);
  const uint64_t key = MixBits(static_cast<uint32_t>(tid));
  row = strangers_.Find(key);
  if (row != kNone) return static_cast<size_t>(row);
  ThreadRow thread;
  thread.tid = tid;
  thread.registered_ns = time_ns;
  thread.unregistered_ns = time_ns;
  strangers_.Insert(key, static_cast<int32_t>(profile_.threads.size()));
  profile_.threads.push_back(std::move(thread));
  return profile_.threads.size() - 1;
}

}  // namespace geckoprof
