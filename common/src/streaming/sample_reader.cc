#include "sample_reader.h"

#include <string.h>

#include <algorithm>

#include "block_walk.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/entries/entry_format.h"
#include "plausible_time.h"

namespace geckoprof {
namespace {

// A sample that was taken so long before the tick it is written in was asked for at an earlier one: its answer came
// late.
constexpr int64_t kLateAnswerNs = 50'000;

// A sample may be so much later than its tick whatever the chunk's row says: one of an earlier version names the tick.
constexpr int64_t kLatestAnswerIntervals = 1000;

}  // namespace

SampleReader::SampleReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata,
                           CounterReader* counters)
    : profile_(*profile),
      metadata_(*metadata),
      counters_(counters),
      has_cpu_(std::find(profile->features.begin(), profile->features.end(), "cpu") != profile->features.end()),
      frames_(profile, tables, metadata),
      threads_(profile->threads.size()) {}

bool SampleReader::ReadChunk(const SegmentView::ChunkCopy& chunk) {
  if (!IsPlausibleTime(chunk.begin_ns) || !IsPlausibleTime(chunk.last_ns)) return false;
  // The header was copied a little earlier; of a chunk without samples the row says nothing.
  latest_tick_ns_ = std::max(chunk.last_ns, profile_.end_ns) + kMostApartNs;
  if (chunk.begin_ns > latest_tick_ns_) return false;
  nodes_.assign(1, {});
  tick_ns_ = chunk.begin_ns;
  newest_ns_ = chunk.last_ns;
  any_tick_in_chunk_ = false;
  // The writer begins a new chunk when a library is unmapped, so what an address means does not change within one.
  frames_.MoveTo(chunk.begin_ns, chunk.last_ns);
  return ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) { return ReadEntry(entry); });
}

bool SampleReader::ReadEntry(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kTick:
      return ReadTick(reader);
    case EntryType::kStack:
      return ReadStack(reader);
    case EntryType::kSample:
    case EntryType::kBlockedSample:
      ReadSample(reader);
      return true;  // nothing else depends on it
    case EntryType::kLeftOut:
      ReadLeftOut(reader);
      return true;
    case EntryType::kMarkerStack:
      ReadMarkerStack(reader);
      return true;
    case EntryType::kCounterSample:
      if (counters_ != nullptr) counters_->ReadSamples(reader, tick_ns_, tick_number_);
      return true;
    default:
      return true;  // of a later version
  }
}

bool SampleReader::ReadTick(Leb128Reader& reader) {
  const uint64_t idle_ticks = reader.Uleb();
  const uint64_t since_ns = reader.Uleb();
  if (!reader.ok() || since_ns > static_cast<uint64_t>(latest_tick_ns_ - tick_ns_) || idle_ticks > UINT32_MAX) {
    return false;
  }
  tick_ns_ += static_cast<int64_t>(since_ns);
  // The first of a chunk counts ticks from before it.
  const int64_t tick_apart_ns = static_cast<int64_t>(since_ns / (idle_ticks + 1));
  if (any_tick_in_chunk_) least_apart_ns_ = std::min(least_apart_ns_, tick_apart_ns);
  any_tick_in_chunk_ = true;
  tick_number_ += idle_ticks + 1;
  previous_tick_ns_ = tick_ns_ - profile_.interval_ns;
  return true;
}

bool SampleReader::ReadStack(Leb128Reader& reader) {
  const uint64_t parent = reader.Uleb();
  const uint64_t count = reader.Uleb();
  constexpr size_t kMostNodes = 64 * 1024;  // four times what a writer makes of the largest chunk
  if (!reader.ok() || parent >= nodes_.size() || count > reader.remaining()) return false;
  if (nodes_.size() + count > kMostNodes || profile_.stacks.size() + count > INT32_MAX / 2) return false;
  StackReader::Node node = nodes_[parent];
  for (uint64_t i = 0; i < count; ++i) {
    if (!frames_.ReadFrame(reader, node)) return false;
    nodes_.push_back(node);
  }
  return true;
}

void SampleReader::ReadSample(Leb128Reader& reader) {
  const uint64_t index = reader.Uleb();
  const int64_t offset_ns = reader.Zigzag();
  const uint64_t cpu = reader.Uleb();
  const uint64_t node = reader.Uleb();
  const int64_t latest_ns = std::max(profile_.interval_ns * kLatestAnswerIntervals, newest_ns_ - tick_ns_);
  if (!reader.ok() || node >= nodes_.size() || offset_ns < -tick_ns_ || offset_ns > latest_ns) {
    ++unreadable_;
    return;
  }
  const int32_t thread = metadata_.ThreadByIndex(index);
  if (thread == kNone) {
    ++without_thread_;
    return;
  }
  SampleRow sample;
  sample.time_ns = tick_ns_ + offset_ns;
  sample.stack = nodes_[node].stack;
  sample.cpu_delta_ns = cpu == 0 || cpu > INT64_MAX ? -1 : static_cast<int64_t>(cpu - 1);
  AddSample(static_cast<size_t>(thread), sample);
}

void SampleReader::ReadLeftOut(Leb128Reader& reader) {
  uint32_t index = 0;
  const std::span<const uint8_t> bytes = reader.Bytes(sizeof(index));
  if (!reader.ok()) return;
  memcpy(&index, bytes.data(), sizeof(index));
  const int32_t thread = metadata_.ThreadByIndex(index);
  if (thread == kNone) return;
  ThreadState& state = threads_[static_cast<size_t>(thread)];
  if (state.any) AddIdleTicks(static_cast<size_t>(thread), TicksSince(state.last_tick), previous_tick_ns_);
  state.any = false;
}

void SampleReader::ReadMarkerStack(Leb128Reader& reader) {
  const uint64_t id = reader.Uleb();
  const uint64_t node = reader.Uleb();
  if (!reader.ok() || node >= nodes_.size()) {
    ++unreadable_;
    return;
  }
  marker_stacks_.Insert(MixBits(id), nodes_[node].stack);
}

int32_t SampleReader::MarkerStack(uint64_t id) const { return marker_stacks_.Find(MixBits(id)); }

void SampleReader::AddSample(size_t thread, SampleRow sample) {
  ThreadState& state = threads_[thread];
  if (state.any) {
    uint64_t idle = TicksSince(state.last_tick);
    if (idle > 0 && sample.time_ns < tick_ns_ - kLateAnswerNs) --idle;  // that tick is this sample's
    // Nor was it idle while it used the CPU time that this sample tells of.
    const int64_t ran_ns = std::max<int64_t>(sample.cpu_delta_ns, 0);
    AddIdleTicks(thread, idle, std::min(previous_tick_ns_, sample.time_ns - ran_ns));
  }
  std::vector<SampleRow>& samples = profile_.threads[thread].samples;
  if (!samples.empty() && sample.time_ns <= samples.back().time_ns) sample.time_ns = samples.back().time_ns + 1;
  samples.push_back(sample);
  state = {tick_number_, true};
}

void SampleReader::AddIdleTicks(size_t thread, uint64_t ticks, int64_t last_tick_ns) {
  std::vector<SampleRow>& samples = profile_.threads[thread].samples;
  // Rows are in order of time and never overlap: all ticks of the run lie behind the sample before it.
  const int64_t room_ns = last_tick_ns - samples.back().time_ns;
  if (ticks == 0 || room_ns <= 0) return;
  const auto most = static_cast<uint64_t>((room_ns + profile_.interval_ns / 2) / profile_.interval_ns);
  if (most == 0) return;
  SampleRow idle;
  idle.stack = samples.back().stack;
  idle.time_ns = last_tick_ns;
  idle.cpu_delta_ns = has_cpu_ ? 0 : -1;
  idle.idle_ticks = static_cast<uint32_t>(std::min({ticks, most, uint64_t{UINT32_MAX}}));
  samples.push_back(idle);
}

void SampleReader::Finish() {
  // A damaged header may say that the process began later than it was sampled.
  int64_t first_ns = profile_.start_ns;
  for (const ThreadRow& thread : profile_.threads) {
    if (!thread.samples.empty()) first_ns = std::min(first_ns, thread.samples.front().time_ns);
  }
  profile_.start_epoch_ms -= static_cast<double>(profile_.start_ns - first_ns) / 1e6;
  profile_.start_ns = first_ns;
  const int64_t last_tick_ns = profile_.end_ns;
  // The last answer may be later than the tick that asked for it, which was the last sign of life.
  for (const ThreadRow& thread : profile_.threads) {
    if (!thread.samples.empty()) profile_.end_ns = std::max(profile_.end_ns, thread.samples.back().time_ns);
  }
  // Some tick was in time, or all were late: a header that says far less is damaged, or they would have been late on.
  const int64_t interval_ns = std::max(profile_.interval_ns, least_apart_ns_ == INT64_MAX ? 0 : least_apart_ns_);
  for (size_t i = 0; i < threads_.size(); ++i) {
    const ThreadRow& thread = profile_.threads[i];
    if (!threads_[i].any || thread.samples.empty()) continue;
    const bool ended = thread.unregistered_ns != 0 && thread.unregistered_ns < last_tick_ns;
    const int64_t end_ns = ended ? thread.unregistered_ns : last_tick_ns;
    const int64_t idle_ns = end_ns - thread.samples.back().time_ns;
    if (interval_ns <= 0 || idle_ns < 2 * interval_ns) continue;
    AddIdleTicks(i, static_cast<uint64_t>(idle_ns / interval_ns), end_ns);
  }
}

}  // namespace geckoprof
