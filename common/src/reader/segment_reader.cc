#include "geckoprof/reader/segment_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "counter_reader.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/builtin_categories.h"
#include "geckoprof/reader/block_walk.h"
#include "geckoprof/reader/marker_type_union.h"
#include "geckoprof/segment/clock_pair.h"
#include "geckoprof/segment/segment_name.h"
#include "geckoprof/segment/segment_view.h"
#include "interval_markers.h"
#include "marker_reader.h"
#include "metadata_reader.h"
#include "plausible_threads.h"
#include "sample_reader.h"
#include "segment_facts.h"
#include "segment_tables.h"

namespace geckoprof {
namespace {

struct ChunkPlace {
  uint32_t index;
  uint16_t stream;
  uint64_t block;
  uint32_t tail;
};

void FillCategories(ProcessProfile& out) {
  for (const BuiltinCategory& category : kBuiltinCategories) {
    CategoryRow row{std::string(category.name), std::string(category.color), {}};
    for (const std::string_view subcategory : category.subcategories) row.subcategories.emplace_back(subcategory);
    out.categories.push_back(std::move(row));
  }
}

// An entry that makes no sense is left out. No other entry depends on its place.
bool ReadMetadataChunk(const SegmentView::ChunkCopy& chunk, MetadataReader& metadata) {
  bool fine = true;
  const bool whole = ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) {
    if (!metadata.Read(entry)) fine = false;
    return true;
  });
  return fine && whole;
}

struct ChunkList {
  std::vector<ChunkPlace> places;  // in the order in which they were begun
  uint64_t ever_used = 0;          // chunks that are not as they were made
  uint64_t damaged = 0;
};

ChunkList ListChunks(const SegmentView& view) {
  ChunkList list;
  view.DescribeChunks([&list](uint32_t i, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
    if (result == SegmentView::CopyResult::kDamaged) ++list.damaged;
    if (result == SegmentView::CopyResult::kCopied) list.places.push_back({i, chunk.stream, chunk.block, chunk.tail});
    // The entries of a released chunk are lost, as those of a recycled one.
    const bool is_unused = chunk.state == ChunkState::kFree || chunk.state == ChunkState::kReleased;
    if (result != SegmentView::CopyResult::kEmpty || !is_unused) ++list.ever_used;
  });
  std::sort(list.places.begin(), list.places.end(),
            [](const ChunkPlace& a, const ChunkPlace& b) { return a.block < b.block; });
  return list;
}

// Each acquired chunk moves the block index on by a chunk. If more chunks were acquired than are in use, the surplus
// replaced older chunks. `header` was copied before the chunks were listed, so the difference is never negative in a
// live segment.
uint64_t RecycledChunks(const SegmentHeader& header, uint64_t ever_used) {
  const uint64_t taken = header.next_block.load(std::memory_order_relaxed) / header.chunk_bytes;
  return taken > ever_used ? taken - ever_used : 0;
}

void AddLoss(std::string_view what, uint64_t count, ProcessProfile& out) {
  if (count != 0) out.losses.push_back({std::string(what), count});
}

void AddCounterLosses(const CounterReader& counters, ProcessProfile& out) {
  AddLoss("unreadable-counter", counters.unreadable(), out);
  AddLoss("counter-color", counters.unknown_colors(), out);
}

void AddMarkerLosses(const MarkerReader& markers, ProcessProfile& out) {
  AddLoss("unreadable-marker", markers.unreadable(), out);
  AddLoss("backward-interval", markers.backward(), out);
  AddLoss("late-marker", markers.late(), out);
  AddLoss("missing-marker-stack", markers.without_stack(), out);
  AddLoss("marker-field", markers.lost_fields(), out);
}

// Returns the time of the last marker. A killed process has markers up to a tick after the sampler's last sign of life.
// A program may also make markers with future times. Times after the next tick are therefore ignored.
int64_t LastMarkerNs(const ProcessProfile& profile) {
  constexpr int64_t kLatestTickNs = 1'000'000'000;
  const int64_t until_ns = profile.end_ns + profile.interval_ns + kLatestTickNs;
  int64_t last_ns = 0;
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      for (const int64_t time_ns : {marker.start_ns, marker.end_ns}) {
        if (time_ns <= until_ns) last_ns = std::max(last_ns, time_ns);
      }
    }
  }
  return last_ns;
}

// Finds the stack of the crash. Its innermost frame is the instruction, and that of a marker is a return address. The
// stack therefore gets a frame one byte later.
void FindCrashStack(const SegmentHeader& header, const SampleReader& samples, ProcessProfile& out) {
  if (out.crash.signal == 0) return;
  const int32_t found = samples.MarkerStack(header.crash.stack_id);
  if (found <= 0) return;
  const StackRow stack = out.stacks[static_cast<size_t>(found)];
  FrameRow frame = out.frames[static_cast<size_t>(stack.frame)];
  out.crash.stack = found;
  if (frame.kind != FrameKind::kInstruction || frame.address != out.crash.pc) return;
  ++frame.address;
  out.frames.push_back(frame);
  out.stacks.push_back({stack.prefix, static_cast<int32_t>(out.frames.size() - 1)});
  out.crash.stack = static_cast<int32_t>(out.stacks.size() - 1);
}

void AddClocks(const SegmentHeader& header, const ClockReading* read_at, CycleTimes& cycles) {
  cycles.Add({header.first_cycles, header.first_cycles_ns});
  if (const auto latest = ReadLatestPair(header)) cycles.Add(*latest);
  if (read_at != nullptr && header.first_cycles != 0) cycles.Add(read_at->pair);
}

// Returns the end of the recording. It is the present time if the recording goes on.
int64_t EndNs(const SegmentHeader& header, const ClockReading* read_at, const ProcessProfile& profile) {
  const auto state = static_cast<SegmentState>(header.state.load(std::memory_order_relaxed));
  const bool goes_on = read_at != nullptr && state == SegmentState::kRecording;
  return std::max({profile.end_ns, LastMarkerNs(profile), goes_on ? read_at->pair.ns : 0});
}

// `open` opens a view of the same segment. `read_at`: of one that is being written, the clocks of this machine, now.
template <typename Open>
SegmentReadStatus ReadAll(const SegmentView& view, const Open& open, const ClockReading* read_at, ProcessProfile& out) {
  out = ProcessProfile();
  uint64_t damaged_fields = FillFromHeader(view.header(), out);
  FillCategories(out);
  // The process may go on meanwhile. Samples and markers are read from the chunks that were listed first. The metadata
  // is read from a later list, because it must have all that they name.
  const ChunkList list = ListChunks(view);
  SegmentView later;  // with the chunks that were prepared in the meantime
  const bool is_later = open(later) == SegmentView::OpenResult::kOk;
  const SegmentView& metadata_view = is_later ? later : view;
  const ChunkList metadata_list = ListChunks(metadata_view);
  SegmentView::ChunkCopy copy;
  uint64_t damaged_chunks = list.damaged;
  // A chunk that was recycled since it was listed has another block by now.
  const auto for_each_of = [&](auto wanted, auto read) {
    const bool is_metadata = wanted(kMetadataStream);
    for (const ChunkPlace& place : (is_metadata ? metadata_list : list).places) {
      if (!wanted(place.stream)) continue;
      const SegmentView::CopyResult result = (is_metadata ? metadata_view : view).CopyChunk(place.index, copy);
      const bool listed = result == SegmentView::CopyResult::kCopied && copy.block == place.block;
      if (listed && !is_metadata && copy.bytes.size() > place.tail) copy.bytes.resize(place.tail);
      if (result == SegmentView::CopyResult::kDamaged || (listed && !read(copy))) ++damaged_chunks;
    }
  };
  // The metadata comes first, because all other entries refer to it.
  SegmentTables tables(&out);
  CounterReader counters(&out);
  MetadataReader metadata(&out, &tables, &counters);
  for_each_of([](uint16_t stream) { return stream == kMetadataStream; },
              [&](const auto& chunk) { return ReadMetadataChunk(chunk, metadata); });
  MoveMissingFeatures(out);
  SampleReader samples(&out, &tables, &metadata, &counters);
  for_each_of([](uint16_t stream) { return stream == kSamplerStream; },
              [&](const auto& chunk) { return samples.ReadChunk(chunk); });
  samples.Finish();
  FindCrashStack(view.header(), samples, out);
  counters.Finish();
  const auto is_markers = [](uint16_t stream) { return stream >= kFirstMarkerStream; };
  CycleTimes cycles;
  AddClocks(view.header(), read_at, cycles);
  for_each_of(is_markers, [&](const auto& chunk) { return MarkerReader::ReadClocks(chunk, cycles); });
  cycles.Finish();
  MarkerReader markers(&out, &tables, &metadata, &samples, &cycles);
  for_each_of(is_markers, [&](const auto& chunk) { return markers.ReadChunk(chunk); });
  AddIntervalMarkers(tables, out);
  UniteMarkerTypes(out.marker_types);
  out.end_ns = EndNs(view.header(), read_at, out);
  MakeThreadsPlausible(out);
  MakePausesPlausible(out);
  AddLoss("recycled-chunk", RecycledChunks(view.header(), list.ever_used), out);
  AddLoss("damaged-field", damaged_fields += metadata.implausible(), out);
  AddLoss("damaged-chunk", damaged_chunks, out);
  AddLoss("sample-without-thread", samples.without_thread(), out);
  AddLoss("unreadable-sample", samples.unreadable(), out);
  AddCounterLosses(counters, out);
  AddLoss("refused-category", tables.categories().refused(), out);
  AddMarkerLosses(markers, out);
  const bool fine =
      damaged_fields + damaged_chunks + samples.unreadable() + counters.unreadable() + markers.unreadable() == 0;
  return fine ? SegmentReadStatus::kOk : SegmentReadStatus::kDamaged;
}

SegmentReadStatus ToStatus(SegmentView::OpenResult result) {
  switch (result) {
    case SegmentView::OpenResult::kOk:
      return SegmentReadStatus::kOk;
    case SegmentView::OpenResult::kCannotOpen:
      return SegmentReadStatus::kCannotOpen;
    case SegmentView::OpenResult::kNotASegment:
      return SegmentReadStatus::kNotASegment;
    case SegmentView::OpenResult::kNewerVersion:
      return SegmentReadStatus::kNewerVersion;
    case SegmentView::OpenResult::kDamaged:
      return SegmentReadStatus::kDamaged;
  }
  return SegmentReadStatus::kDamaged;
}

// `open` opens the view and returns its result. If the view opens a file, the result has errno.
enum class SegmentSource : uint8_t { kAnyProcess, kThisProcess };
template <typename Open>
SegmentReadResult ReadOpened(SegmentSource whose, const Open& open, ProcessProfile& out) {
  const ClockReading now = whose == SegmentSource::kThisProcess ? ReadClocks(64) : ClockReading{};
  SegmentView view;
  const SegmentReadStatus status = ToStatus(open(view));
  if (status != SegmentReadStatus::kOk) return {status, view.open_error()};
  return {ReadAll(view, open, whose == SegmentSource::kThisProcess ? &now : nullptr, out), 0};
}

}  // namespace

SegmentReadResult ReadSegmentFile(const char* path, ProcessProfile& out) {
  return ReadOpened(
      SegmentSource::kAnyProcess, [path](SegmentView& view) { return view.OpenFile(path); }, out);
}

SegmentReadResult ReadSegmentFile(int descriptor, ProcessProfile& out) {
  const auto open = [descriptor](SegmentView& view) {
    return view.OpenDescriptor(Fd(static_cast<int>(RawSyscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 0))));
  };
  return ReadOpened(SegmentSource::kAnyProcess, open, out);
}

SegmentReadResult ReadMappedSegment(const SegmentView::Mapping& mapping, ProcessProfile& out) {
  return ReadOpened(
      SegmentSource::kThisProcess, [&mapping](SegmentView& view) { return view.OpenMapping(mapping); }, out);
}

SegmentReadResult ReadOwnSegment(const Segment& segment, ProcessProfile& out) {
  return ReadOpened(
      SegmentSource::kThisProcess, [&segment](SegmentView& view) { return view.OpenMapped(segment); }, out);
}

void TakeFileName(std::string_view file_name, ProcessProfile& process) {
  SegmentName name;
  if (!name.Parse(file_name)) return;
  for (ThreadRow& thread : process.threads) {
    if (thread.is_main && thread.tid == process.pid) thread.tid = name.pid;
  }
  process.pid = name.pid;
  process.image = name.image;
}

}  // namespace geckoprof
