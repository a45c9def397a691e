#include "geckoprof/streaming/segment_reader.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "block_walk.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/builtin_categories.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "marker_reader.h"
#include "metadata_reader.h"
#include "sample_reader.h"
#include "segment_tables.h"

namespace geckoprof {
namespace {

constexpr std::string_view kDropNames[] = {"no-chunk",    "too-large",      "nested-marker",    "metadata-full",
                                           "late-signal", "signal-blocked", "moved-while-read", "no-capture-buffer",
                                           "missed-tick", "label-overflow", "unreadable-stack", "signal-not-sent"};
static_assert(std::size(kDropNames) == static_cast<size_t>(DropReason::kCount));

constexpr std::string_view kStopNames[] = {"none",
                                           "stopped",
                                           "duration over",
                                           "only thread left",
                                           "single-thread call",
                                           "seccomp filter",
                                           "system call failed",
                                           "no thread allowed",
                                           "out of memory",
                                           "exited",
                                           "exec"};
static_assert(std::size(kStopNames) == static_cast<size_t>(StopReason::kCount));

struct ChunkPlace {
  uint32_t index;
  uint16_t stream;
  uint64_t block;
};

void FillCategories(ProcessProfile& out) {
  for (const BuiltinCategory& category : kBuiltinCategories) {
    CategoryRow row{std::string(category.name), std::string(category.color), {"Other"}};
    if (!category.second_subcategory.empty()) row.subcategories.emplace_back(category.second_subcategory);
    out.categories.push_back(std::move(row));
  }
}

void FillLosses(const SegmentHeader& header, ProcessProfile& out) {
  for (size_t i = 0; i < std::size(kDropNames); ++i) {
    const uint64_t count = header.drops[i].load(std::memory_order_relaxed);
    if (count != 0) out.losses.push_back({std::string(kDropNames[i]), count});
  }
}

// Upper bound of each half octave: 1 (1.5), 2, 3, 4, 6, 8 ... in whole ns.
void FillPauses(const SegmentHeader& header, ProcessProfile& out) {
  for (uint32_t i = 0; i < kPauseBuckets; ++i) {
    const uint64_t octave = uint64_t{1} << (i / 2);
    out.pauses.upper_ns.push_back(i % 2 == 0 ? octave + octave / 2 : octave * 2);
    out.pauses.counts.push_back(header.pause_counts[i].load(std::memory_order_relaxed));
  }
}

void FillFromHeader(const SegmentHeader& header, ProcessProfile& out) {
  out.pid = header.pid;
  out.parent_pid = header.parent_pid;
  out.image = header.image;
  out.exec_ns = header.exec_ns;
  out.constructor_ns = header.constructor_ns;
  out.start_ns = header.exec_ns != 0 ? header.exec_ns : header.constructor_ns;
  if (out.start_ns == 0) out.start_ns = header.created_ns;
  out.start_epoch_ms = static_cast<double>(header.created_epoch_ns - (header.created_ns - out.start_ns)) / 1e6;
  out.end_ns = std::max(header.heartbeat_ns.load(std::memory_order_relaxed), out.start_ns);
  // Shorter than anything that can be asked for: a damaged header.
  out.interval_ns = header.interval_ns >= 10'000 ? header.interval_ns : 1'000'000;
  out.capacity_bytes = header.capacity_bytes;
  const uint32_t stop = header.stop_reason.load(std::memory_order_relaxed);
  out.end_reason = stop == 0 ? "alive" : stop < std::size(kStopNames) ? kStopNames[stop] : "unknown";
  for (unsigned bit = 0; bit < kFeatureBitCount; ++bit) {
    if ((header.features >> bit & 1) != 0) out.features.emplace_back(FeatureNames()[bit]);
  }
  out.samples_asked = header.samples_asked.load(std::memory_order_relaxed);
  out.samples_taken = header.samples_taken.load(std::memory_order_relaxed);
  out.segment_bytes_used = header.sampler_bytes.load(std::memory_order_relaxed);
  FillLosses(header, out);
  FillPauses(header, out);
}

bool ReadMetadataChunk(const SegmentView::ChunkCopy& chunk, MetadataReader& metadata) {
  return ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) { return metadata.Read(entry); });
}

// Threads in order of registration, the main one first: rows are moved only here, when nothing refers to them by number
// any more.
void OrderThreads(ProcessProfile& out) {
  std::stable_sort(out.threads.begin(), out.threads.end(), [](const ThreadRow& a, const ThreadRow& b) {
    if (a.is_main != b.is_main) return a.is_main;
    return a.registered_ns < b.registered_ns;
  });
}

// Which chunks there are, in the order in which they were begun.
bool ListChunks(const SegmentView& view, std::vector<ChunkPlace>& places) {
  bool fine = true;
  SegmentView::ChunkCopy copy;
  for (uint32_t i = 0; i < view.chunk_count(); ++i) {
    const SegmentView::CopyResult result = view.CopyChunk(i, copy);
    if (result == SegmentView::CopyResult::kDamaged) fine = false;
    if (result == SegmentView::CopyResult::kCopied) places.push_back({i, copy.stream, copy.block});
  }
  std::sort(places.begin(), places.end(), [](const ChunkPlace& a, const ChunkPlace& b) { return a.block < b.block; });
  return fine;
}

SegmentReadStatus ReadAll(const SegmentView& view, ProcessProfile& out) {
  out = ProcessProfile();
  FillFromHeader(view.header(), out);
  FillCategories(out);
  SegmentTables tables(&out);
  MetadataReader metadata(&out, &tables);
  SampleReader samples(&out, &tables, &metadata);
  MarkerReader markers(&out, &tables, &metadata);
  std::vector<ChunkPlace> places;
  bool fine = ListChunks(view, places);
  SegmentView::ChunkCopy copy;
  // The metadata first: everything else names it. A chunk that was recycled since it was listed has another block by
  // now.
  const auto for_each_of = [&](auto wanted, auto read) {
    for (const ChunkPlace& place : places) {
      if (!wanted(place.stream)) continue;
      if (view.CopyChunk(place.index, copy) != SegmentView::CopyResult::kCopied || copy.block != place.block) continue;
      if (!read(copy)) fine = false;
    }
  };
  for_each_of([](uint16_t stream) { return stream == kMetadataStream; },
              [&](const auto& chunk) { return ReadMetadataChunk(chunk, metadata); });
  for_each_of([](uint16_t stream) { return stream == kSamplerStream; },
              [&](const auto& chunk) { return samples.ReadChunk(chunk); });
  samples.Finish();
  for_each_of([](uint16_t stream) { return stream >= kFirstMarkerStream; },
              [&](const auto& chunk) { return markers.ReadChunk(chunk); });
  OrderThreads(out);
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

}  // namespace

SegmentReadResult ReadSegmentFile(const char* path, ProcessProfile& out) {
  SegmentView view;
  const SegmentReadStatus status = ToStatus(view.OpenFile(path));
  if (status != SegmentReadStatus::kOk) return {status, view.open_error()};
  return {ReadAll(view, out), 0};
}

SegmentReadResult ReadOwnSegment(const Segment& segment, ProcessProfile& out) {
  SegmentView view;
  const SegmentReadStatus status = ToStatus(view.OpenOwn(segment));
  if (status != SegmentReadStatus::kOk) return {status, 0};
  return {ReadAll(view, out), 0};
}

}  // namespace geckoprof
