#include "tools/record/marker_watch.h"

#include <dirent.h>

#include <algorithm>
#include <optional>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/block_walk.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/clock_pair.h"
#include "tools/record/session_contents.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostSites = 10'000;  // of a segment, which may hold anything

void ReadSite(std::span<const uint8_t> entry, std::map<uint32_t, std::string>& names) {
  Leb128Reader reader(entry);
  if (static_cast<EntryType>(reader.Byte()) != EntryType::kMarkerSite) return;
  const auto id = static_cast<uint32_t>(reader.Uleb());
  reader.Uleb();  // category
  reader.Uleb();  // type
  const bool has_name = reader.Uleb() != 0;
  const std::string_view name = ReadText(reader);
  if (reader.ok() && has_name && names.size() < kMostSites) names.emplace(id, name);
}

}  // namespace

// Times of markers in ns, by the straight line between the first and the latest pair of clocks. That is exact enough
// for the durations of triggers.
class MarkerWatch::Times {
 public:
  explicit Times(const SegmentHeader& header)
      : first_{header.first_cycles, header.first_cycles_ns}, has_counter_(header.first_cycles != 0) {
    const std::optional<ClockPair> latest = ReadLatestPair(header);
    if (!latest.has_value() || latest->cycles <= first_.cycles || latest->ns <= first_.ns) return;
    ns_per_cycle_ = static_cast<double>(latest->ns - first_.ns) / static_cast<double>(latest->cycles - first_.cycles);
  }
  bool are_known() const { return !has_counter_ || ns_per_cycle_ > 0; }
  int64_t ToNs(uint64_t time) const {
    if ((time & kTimeIsCycles) == 0) return static_cast<int64_t>(time);
    const auto cycles = static_cast<int64_t>((time & ~kTimeIsCycles) - first_.cycles);
    return first_.ns + static_cast<int64_t>(static_cast<double>(cycles) * ns_per_cycle_);
  }

 private:
  const ClockPair first_;
  const bool has_counter_;
  double ns_per_cycle_ = 0;
};

struct MarkerWatch::Reading {
  int32_t pid;
  Segment& segment;
  const SegmentView& view;
  const Times times;
  const Found& found;
  bool has_read_sites = false;

  // Returns an empty name if the metadata does not have the site.
  const std::string& NameOf(uint32_t site) {
    static const std::string kUnknown;
    auto known = segment.site_names.find(site);
    if (known == segment.site_names.end() && !has_read_sites) {
      has_read_sites = true;
      view.DescribeChunks([this](uint32_t index, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
        SegmentView::ChunkCopy copy;
        if (result != SegmentView::CopyResult::kCopied || chunk.stream != kMetadataStream) return;
        if (view.CopyChunk(index, copy) != SegmentView::CopyResult::kCopied) return;
        ForEachEntry(copy.bytes, [this](std::span<const uint8_t> entry) {
          ReadSite(entry, segment.site_names);
          return true;
        });
      });
      known = segment.site_names.find(site);
    }
    return known != segment.site_names.end() ? known->second : kUnknown;
  }
};

void MarkerWatch::Look(const Found& found) {
  for (auto& [name, segment] : segments_) segment.is_there = false;
  DIR* const folder = opendir(session_.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) LookAtFile(entry->d_name, found);
  closedir(folder);
  std::erase_if(segments_, [](const auto& segment) { return !segment.second.is_there; });
}

void MarkerWatch::LookAtFile(const std::string& file_name, const Found& found) {
  SegmentName name;
  SegmentView view;
  if (!name.Parse(file_name)) return;
  if (view.OpenFile(Concat(session_, "/", file_name).c_str()) != SegmentView::OpenResult::kOk) return;
  Segment& segment = segments_[file_name];
  if (segment.created_ns != view.header().created_ns) segment = {.created_ns = view.header().created_ns};
  segment.is_there = true;
  LookAt(name.pid, segment, view, found);
}

void MarkerWatch::LookAt(int32_t pid, Segment& segment, const SegmentView& view, const Found& found) const {
  Reading reading{pid, segment, view, Times(view.header()), found};
  if (!reading.times.are_known()) return;  // in a moment
  SegmentView::ChunkCopy copy;
  view.DescribeChunks([&](uint32_t index, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
    if (result != SegmentView::CopyResult::kCopied || chunk.stream < kFirstMarkerStream) return;
    if (segment.places.size() <= index) segment.places.resize(index + 1);
    Place& place = segment.places[index];
    if (place.block == chunk.block && place.tail == chunk.tail) return;
    if (view.CopyChunk(index, copy) != SegmentView::CopyResult::kCopied) return;
    if (place.block != copy.block || place.tail > copy.bytes.size()) place = {.block = copy.block};
    ReadEntries(reading, std::span<const uint8_t>(copy.bytes).subspan(place.tail), place);
    place.tail = static_cast<uint32_t>(copy.bytes.size());
  });
}

void MarkerWatch::ReadEntries(Reading& reading, std::span<const uint8_t> bytes, Place& place) const {
  ForEachEntry(bytes, [&](std::span<const uint8_t> entry) {
    Leb128Reader reader(entry);
    const auto type = static_cast<EntryType>(reader.Byte());
    if (type == EntryType::kWriter) place.writer_tid = static_cast<int32_t>(reader.Uleb());
    if (type == EntryType::kTimedMarker) ReadMarker(reading, reader, place.writer_tid);
    return true;
  });
}

void MarkerWatch::ReadMarker(Reading& reading, Leb128Reader& entry, int32_t writer_tid) const {
  const uint8_t flags = entry.Byte();
  entry.Byte();
  const auto phase = static_cast<MarkerPhase>(flags & kMarkerPhaseMask);
  if (phase == MarkerPhase::kInstant) return;
  const auto site = ReadFixed<uint32_t>(entry);
  const auto first = ReadFixed<uint64_t>(entry);
  const uint64_t second = (flags & kMarkerHasOneTime) != 0 ? first : ReadFixed<uint64_t>(entry);
  int64_t duration_ns = reading.times.ToNs(second) - reading.times.ToNs(first);
  if (phase == MarkerPhase::kInterval && duration_ns <= least_ns_) return;
  const int32_t tid = (flags & kMarkerHasThread) != 0 ? ReadFixed<int32_t>(entry) : writer_tid;
  const std::string name = (flags & kMarkerHasName) != 0 ? std::string(ReadText(entry)) : reading.NameOf(site);
  if (!entry.ok()) return;
  if (phase != MarkerPhase::kInterval) {
    auto& begun = reading.segment.begun;
    const auto start = begun.find({tid, name});
    if (phase == MarkerPhase::kIntervalStart) {
      if (begun.size() >= kMostBegun) begun.clear();
      begun[{tid, name}] = reading.times.ToNs(first);
      return;
    }
    if (start == begun.end()) return;
    duration_ns = reading.times.ToNs(second) - start->second;
    begun.erase(start);
    if (duration_ns <= least_ns_) return;
  }
  reading.found({reading.pid, name, duration_ns});
}

}  // namespace geckoprof
