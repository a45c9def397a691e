#include "sample_reader.h"

#include <string.h>

#include <algorithm>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/block_walk.h"
#include "geckoprof/reader/profile_facts.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

// If a sample lies this far before its tick, it was requested at an earlier tick, and its answer came late.
constexpr int64_t kLateAnswerNs = 50'000;

// The sampler looks at each thread at least once in this number of ticks, so a thread may have woken in the last ones.
constexpr uint64_t kUnsureTicks = 4;

// A sample may be this much later than its tick, whatever the chunk's row says. In chunks of an earlier version the row
// has the time of the tick.
constexpr int64_t kLatestAnswerIntervals = 1000;

// Libraries are listed again within this after an address was met that is in none.
constexpr int64_t kNoticedWithinNs = 10'000'000;

// A thread that begins has its first sample within this time. If the first one is later, earlier ones were recycled.
constexpr int64_t kFirstSampleNs = 1'000'000'000;

// A damaged file may have a hundred thousand threads and as many pauses. After this number of rows, each idle time of a
// thread gets only its latest run.
constexpr uint64_t kMaxTickRows = uint64_t{1} << 21;

// A field at the end of an entry is 0 if it is missing.
uint64_t OptionalNumber(Leb128Reader& reader) { return reader.remaining() > 0 ? reader.Uleb() : 0; }

}  // namespace

SampleReader::SampleReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata,
                           CounterReader* counters)
    : profile_(*profile),
      metadata_(*metadata),
      counters_(counters),
      has_cpu_(std::find(profile->features.begin(), profile->features.end(), "cpu") != profile->features.end()),
      frames_(profile, tables, metadata),
      gaps_(profile, tables) {
  threads_.reserve(profile->threads.size());
  for (ThreadRow& thread : profile->threads) threads_.push_back({ThreadSamples(&gaps_, &thread)});
}

bool SampleReader::ReadChunk(const SegmentView::ChunkCopy& chunk) {
  if (!IsPlausibleTime(chunk.begin_ns) || !IsPlausibleTime(chunk.last_ns)) return false;
  // The header was copied a little earlier. The row of a chunk without samples says nothing.
  latest_tick_ns_ = std::max(chunk.last_ns, profile_.end_ns) + kMaxApartNs;
  if (chunk.begin_ns > latest_tick_ns_) return false;
  // Chunks come in the order of their begins. If a chunk claims to be much older, its begin is replaced.
  const int64_t earliest_ns = std::max(ticks_.last_ns(), profile_.start_ns);
  const bool is_too_early = earliest_ns - chunk.begin_ns > kMaxApartNs && earliest_ns <= chunk.last_ns;
  const int64_t begin_ns = is_too_early ? earliest_ns : chunk.begin_ns;
  nodes_.assign(1, {});
  tick_ns_ = begin_ns;
  newest_ns_ = chunk.last_ns;
  any_tick_in_chunk_ = false;
  ListStretches(chunk.bytes, begin_ns);
  BeginStretch(0);
  const bool is_whole = ForEachEntry(chunk.bytes, [&](std::span<const uint8_t> entry) { return ReadEntry(entry); });
  return is_whole && !is_too_early;
}

// An impossible end is replaced by the end before it or by the chunk's. Its effect is limited to the libraries of this
// chunk.
void SampleReader::ListStretches(std::span<const uint8_t> bytes, int64_t begin_ns) {
  stretches_.assign(1, begin_ns);
  ForEachEntry(bytes, [&](std::span<const uint8_t> entry) {
    Leb128Reader reader(entry);
    if (static_cast<EntryType>(reader.Byte()) != EntryType::kUnmapped) return true;
    const uint64_t since_ns = std::min(reader.Uleb(), static_cast<uint64_t>(latest_tick_ns_ - begin_ns));
    stretches_.push_back(std::max(begin_ns + static_cast<int64_t>(since_ns), stretches_.back()));
    return true;
  });
}

void SampleReader::BeginStretch(size_t number) {
  stretch_ = number;
  if (number + 1 < stretches_.size()) {
    const int64_t end_ns = stretches_[number + 1];
    frames_.MoveTo(stretches_[number], end_ns - 1, end_ns - 1);
  } else {
    frames_.MoveTo(stretches_[number], newest_ns_, newest_ns_ + kNoticedWithinNs);
  }
}

bool SampleReader::ReadEntry(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kTick:
      return ReadTick(reader);
    case EntryType::kTicksEnd:
      ReadTicksEnd(reader);
      return true;
    case EntryType::kStack:
      return ReadStack(reader);
    case EntryType::kSample:
      ReadSample(reader, SampleState::kRunning);
      return true;  // nothing else depends on it
    case EntryType::kBlockedSample:
      ReadSample(reader, SampleState::kWaiting);
      return true;
    case EntryType::kLastSample:
      ReadLastSample(reader);
      return true;
    case EntryType::kFilteredOut:
      ReadFilteredOut(reader);
      return true;
    case EntryType::kUnmapped:
      BeginStretch(stretch_ + 1);
      return true;
    case EntryType::kMarkerStack:
      ReadMarkerStack(reader);
      return true;
    case EntryType::kCounterSample:
      if (counters_ != nullptr) counters_->ReadSamples(reader, tick_ns_, ticks_.last());
      return true;
    case EntryType::kLooks:
      ReadLooks(reader);
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
  if (!ticks_.is_open()) least_apart_ns_ = INT64_MAX;
  ticks_.Add(idle_ticks + 1, tick_ns_, IntervalAt(profile_, tick_ns_));
  return true;
}

// An entry that makes no sense is left out. The next tick has its time anyway.
void SampleReader::ReadTicksEnd(Leb128Reader& reader) {
  const uint64_t count = reader.Uleb();
  const int64_t since_ns = reader.Zigzag();
  if (!reader.ok() || count > UINT32_MAX || since_ns < -tick_ns_ || since_ns > latest_tick_ns_ - tick_ns_) return;
  const int64_t last_ns = tick_ns_ + since_ns;
  if (last_ns >= ticks_.last_ns()) ticks_.Add(count, last_ns, IntervalAt(profile_, last_ns));
  ticks_.End();
}

bool SampleReader::ReadStack(Leb128Reader& reader) {
  const uint64_t parent = reader.Uleb();
  const uint64_t count = reader.Uleb();
  constexpr size_t kMaxNodes = 64 * 1024;  // four times as many as a writer makes in the largest chunk
  if (!reader.ok() || parent >= nodes_.size() || count > reader.remaining()) return false;
  if (nodes_.size() + count > kMaxNodes || profile_.stacks.size() + count > INT32_MAX / 2) return false;
  StackReader::Node node = nodes_[parent];
  for (uint64_t i = 0; i < count; ++i) {
    if (!frames_.ReadFrame(reader, node)) return false;
    nodes_.push_back(node);
  }
  return true;
}

int32_t SampleReader::PlaceSample(const Leb128Reader& reader, const SamplePlace& place, int64_t latest_ns,
                                  SampleRow& sample) {
  if (!reader.ok() || place.node >= nodes_.size() || place.offset_ns < -tick_ns_ || place.offset_ns > latest_ns) {
    ++unreadable_;
    return kNone;
  }
  const int32_t thread = metadata_.ThreadByIndex(place.thread);
  if (thread == kNone) ++without_thread_;
  sample.time_ns = tick_ns_ + place.offset_ns;
  // A wait without a stack was too short to be read.
  if (sample.state != SampleState::kWaiting || place.node != 0) sample.stack = nodes_[place.node].stack;
  return thread;
}

// A look that makes no sense ends its batch.
void SampleReader::ReadLooks(Leb128Reader& reader) {
  constexpr uint64_t kLongest = uint64_t{1} << 40;  // in units: more than three days
  const uint64_t first_ns = reader.Uleb();
  uint64_t since = 0;
  while (reader.ok() && reader.remaining() > 0) {
    uint64_t fields[6];
    uint64_t longest = 0;
    for (uint64_t& field : fields) longest = std::max(longest, field = reader.Uleb());
    since += fields[0];
    const int64_t time_ns = PlausibleTime(first_ns + since * kLookUnitNs);
    if (!reader.ok() || longest > kLongest || time_ns <= 0) break;
    const auto ns = [&fields](size_t field) { return static_cast<int64_t>(fields[field]) * kLookUnitNs; };
    profile_.looks.push_back({time_ns, ns(1), ns(2), ns(3), ns(4), ns(5)});
  }
}

void SampleReader::ReadSample(Leb128Reader& reader, SampleState state) {
  SamplePlace place;
  place.thread = reader.Uleb();
  place.offset_ns = reader.Zigzag();
  const uint64_t cpu = reader.Uleb();
  place.node = reader.Uleb();
  const int64_t latest_ns = std::max(profile_.interval_ns * kLatestAnswerIntervals, newest_ns_ - tick_ns_);
  SampleRow sample;
  sample.state = state;
  const int32_t thread = PlaceSample(reader, place, latest_ns, sample);
  if (thread == kNone) return;
  sample.cpu_delta_ns = cpu == 0 || cpu > INT64_MAX ? -1 : static_cast<int64_t>(cpu - 1);
  const bool is_waiting = state == SampleState::kWaiting;
  if (is_waiting) sample.cause = WaitCauseFromNumber(OptionalNumber(reader));
  const uint64_t ready_ns = OptionalNumber(reader);
  if (sample.cpu_delta_ns >= 0 && ready_ns <= INT64_MAX) sample.ready_ns = static_cast<int64_t>(ready_ns);
  if (is_waiting) ReadLock(reader, sample);
  AddSample(static_cast<size_t>(thread), sample);
}

void SampleReader::ReadLock(Leb128Reader& reader, SampleRow& sample) const {
  const uint64_t address = OptionalNumber(reader);
  const uint64_t holder = OptionalNumber(reader);
  if (sample.cause != WaitCause::kLock) return;
  if (address != 0) sample.lock_address = address - 1;
  const int32_t thread = holder == 0 ? kNone : metadata_.ThreadByIndex(holder - 1);
  if (thread != kNone) sample.holder_tid = profile_.threads[static_cast<size_t>(thread)].tid;
}

void SampleReader::ReadLastSample(Leb128Reader& reader) {
  SamplePlace place;
  place.thread = reader.Uleb();
  place.offset_ns = reader.Zigzag();
  const bool was_blocked = (reader.Uleb() & kLastSampleIsBlocked) != 0;
  place.node = reader.Uleb();
  SampleRow sample;
  if (was_blocked) sample.state = SampleState::kWaiting;
  const int32_t thread = PlaceSample(reader, place, std::max<int64_t>(newest_ns_ - tick_ns_, 0), sample);
  if (thread == kNone) return;
  sample.cpu_delta_ns = has_cpu_ ? 0 : -1;
  if (was_blocked) {
    sample.cause = WaitCauseFromNumber(OptionalNumber(reader));
    ReadLock(reader, sample);
  }
  AddLastSample(static_cast<size_t>(thread), sample);
}

void SampleReader::ReadFilteredOut(Leb128Reader& reader) {
  uint32_t index = 0;
  const std::span<const uint8_t> bytes = reader.Bytes(sizeof(index));
  if (!reader.ok()) return;
  memcpy(&index, bytes.data(), sizeof(index));
  const int32_t thread = metadata_.ThreadByIndex(index);
  if (thread == kNone) return;
  ThreadState& state = threads_[static_cast<size_t>(thread)];
  if (state.any && ticks_.last() > 0) AddIdleTicks(static_cast<size_t>(thread), ticks_.last() - 1, INT64_MAX);
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
  ThreadSamples& samples = state.samples;
  if (samples.empty()) {
    // Without CPU time and the thread's begin there is nothing to tell.
    const SampleRow leading = LeadingRow(profile_.threads[thread], sample);
    if (sample.cpu_delta_ns >= 0 && leading.time_ns < sample.time_ns) samples.push_back(leading);
  } else {
    AddRowsBefore(thread, sample);
  }
  if (!samples.empty() && sample.time_ns <= samples.back().time_ns) sample.time_ns = samples.back().time_ns + 1;
  samples.push_back(sample);
  state.last_tick = ticks_.last();
  state.any = true;
}

// The time since the thread's row before has three parts, see SampleRow. A tick without a sample shows the thread as
// waiting or as ready, as it is likely to have been then.
void SampleReader::AddRowsBefore(size_t thread, SampleRow& sample) {
  const int64_t before_ns = threads_[thread].samples.back().time_ns;
  const int64_t passed_ns = std::max<int64_t>(sample.time_ns - before_ns, 0);
  const int64_t ran_ns = std::clamp<int64_t>(sample.cpu_delta_ns, 0, passed_ns);
  sample.ready_ns = std::min(sample.ready_ns, passed_ns - ran_ns);
  if (!threads_[thread].any) return;
  const uint64_t own_ticks = sample.time_ns < tick_ns_ - kLateAnswerNs ? 2 : 1;  // a late one was asked for before
  if (ticks_.last() <= own_ticks) return;
  const uint64_t last_tick = ticks_.last() - own_ticks;
  AddIdleTicks(thread, last_tick, sample.time_ns - ran_ns - sample.ready_ns, sample.cause);
  AddReadyRows(thread, last_tick, sample);
}

// The rows have the stack of the row before. A time without a tick has one row, in its middle.
void SampleReader::AddReadyRows(size_t thread, uint64_t last_tick, SampleRow& sample) {
  if (sample.ready_ns < IntervalAt(profile_, sample.time_ns) / 2) return;
  ThreadSamples& samples = threads_[thread].samples;
  const int64_t ran_from_ns = sample.time_ns - std::max<int64_t>(sample.cpu_delta_ns, 0);
  const int64_t ready_from_ns = std::max(ran_from_ns - sample.ready_ns, samples.back().time_ns);
  SampleRow row;
  row.state = SampleState::kReady;
  row.stack = samples.back().stack;
  row.cpu_delta_ns = 0;
  // Each row has its part of the time, and the sample keeps the rest.
  const auto ready_until = [&](int64_t time_ns) { return time_ns - std::max(ready_from_ns, samples.back().time_ns); };
  const int64_t whole_ns = sample.ready_ns;
  const uint64_t waited_until = ticks_.FirstSince(ready_from_ns + 1).number - 1;
  ForEachRun({std::max(threads_[thread].last_tick, waited_until), last_tick, ran_from_ns},
             [&](const TickRuns::Part& ticks) {
               row.ready_ns = ready_until(ticks.last_ns);
               if (AddTickRow(thread, ticks, row)) sample.ready_ns -= row.ready_ns;
             });
  row.time_ns = ran_from_ns - whole_ns / 2;
  if (sample.ready_ns < whole_ns || row.time_ns <= samples.back().time_ns) return;
  if (ticks_.IsBetweenRuns(row.time_ns)) return;  // sampling was paused
  row.ready_ns = ready_until(row.time_ns);
  sample.ready_ns -= row.ready_ns;
  samples.push_back(row);
}

// If the original is missing, the thread has had this stack since the first tick that is known after the original. It
// used its CPU time before that. Otherwise the thread waits on. Its idle ticks so far become a row, so that a thread
// that sleeps for long has rows throughout.
void SampleReader::AddLastSample(size_t thread, SampleRow sample) {
  ThreadState& state = threads_[thread];
  ThreadSamples& samples = state.samples;
  if (state.any && samples.back().time_ns >= sample.time_ns) {
    if (sample.state != SampleState::kWaiting || ticks_.last() <= state.last_tick + kUnsureTicks) return;
    AddIdleTicks(thread, ticks_.last() - kUnsureTicks, INT64_MAX);
    state.last_tick = ticks_.last() - kUnsureTicks;
    return;
  }
  if (ticks_.runs().empty()) return;  // the chunk is damaged
  const TickRuns::Tick tick = ticks_.FirstSince(sample.time_ns);
  if (state.any && tick.number > 1) AddIdleTicks(thread, tick.number - 1, sample.time_ns);
  sample.time_ns = std::max(sample.time_ns, tick.time_ns);
  if (!samples.empty() && sample.time_ns <= samples.back().time_ns) sample.time_ns = samples.back().time_ns + 1;
  samples.push_back(sample);
  state.last_tick = tick.number;
  state.any = true;
}

// The formats assume that the CPU time of a thread's first row was used before the recording. If it is known to belong
// to a time within the recording, a row without a stack and CPU time comes first. It has the thread's begin, or that of
// the time that is known.
SampleRow SampleReader::LeadingRow(const ThreadRow& thread, const SampleRow& first) const {
  SampleRow row;
  row.cpu_delta_ns = 0;
  const int64_t passed_ns = std::min(first.cpu_delta_ns, kLatestNs) + std::min(first.ready_ns, kLatestNs);
  const int64_t earliest_ns = std::min(profile_.start_ns, first.time_ns);
  row.time_ns = std::max(first.time_ns - passed_ns, earliest_ns);
  const bool is_begin = thread.registered_ns >= earliest_ns && first.time_ns - thread.registered_ns <= kFirstSampleNs;
  if (is_begin) row.time_ns = std::min(row.time_ns, thread.registered_ns);
  return row;
}

// The ticks after the thread's last one, up to `last_tick`, that were no later than `until_ns`. After a row of a
// running thread it is not known where the thread waited. The cause is then that of its next wait.
void SampleReader::AddIdleTicks(size_t thread, uint64_t last_tick, int64_t until_ns, WaitCause next_cause) {
  const ThreadSamples& samples = threads_[thread].samples;
  SampleRow row;
  if (samples.back().state == SampleState::kWaiting) {
    row = samples.back();
    row.ready_ns = 0;
  } else {
    row.state = SampleState::kWaiting;
    row.cause = next_cause;
  }
  row.cpu_delta_ns = has_cpu_ ? 0 : -1;
  ForEachRun({threads_[thread].last_tick, last_tick, until_ns},
             [&](const TickRuns::Part& ticks) { AddTickRow(thread, ticks, row); });
}

template <typename Add>
void SampleReader::ForEachRun(const Ticks& ticks, const Add& add) {
  if (ticks.last <= ticks.after) return;
  const size_t end = ticks_.runs().size();
  size_t run = ticks_.RunAfter(ticks.after);
  if (tick_rows_ > kMaxTickRows) run = std::max(run, end - 1);
  for (; run < end; ++run) add(ticks_.Slice(run, ticks.after, ticks.last, ticks.until_ns));
}

// Returns false if there is no such tick after the thread's last row.
bool SampleReader::AddTickRow(size_t thread, const TickRuns::Part& ticks, SampleRow row) {
  ThreadSamples& samples = threads_[thread].samples;
  if (ticks.count == 0 || ticks.last_ns <= samples.back().time_ns) return false;
  // Rows are in order of time and never overlap. All ticks of the run therefore come after the sample before it.
  const int64_t room_ns = ticks.last_ns - samples.back().time_ns;
  const auto most = static_cast<uint64_t>(room_ns / ticks.apart_ns + (room_ns % ticks.apart_ns >= ticks.apart_ns / 2));
  if (most == 0) return false;
  row.time_ns = ticks.last_ns;
  row.idle_ticks = static_cast<uint32_t>(std::min({ticks.count, most, uint64_t{UINT32_MAX}}));
  row.apart_ns = ticks.apart_ns;
  samples.push_back(row);
  ++tick_rows_;
  return true;
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
  for (const ThreadState& thread : threads_) {
    if (!thread.samples.empty()) profile_.end_ns = std::max(profile_.end_ns, thread.samples.back().time_ns);
  }
  // The header's interval may be damaged. The smallest distance of ticks is then a better limit, because some tick was
  // in time, or all were late.
  const int64_t interval_ns = std::max(IntervalAt(profile_, last_tick_ns),
                                       least_apart_ns_ == INT64_MAX ? 0 : std::min(least_apart_ns_, kLatestNs));
  const int64_t idle_ns = last_tick_ns - ticks_.last_ns();
  if (ticks_.is_open() && idle_ns / 2 >= interval_ns) {
    ticks_.Add(static_cast<uint64_t>(idle_ns / interval_ns), last_tick_ns, interval_ns);
  }
  for (size_t i = 0; i < threads_.size(); ++i) {
    ThreadState& state = threads_[i];
    const int64_t unregistered_ns = profile_.threads[i].unregistered_ns;
    if (state.any && !state.samples.empty()) {
      AddIdleTicks(i, ticks_.last(), unregistered_ns != 0 ? unregistered_ns : INT64_MAX);
    }
    state.samples.Finish();
  }
}

}  // namespace geckoprof
