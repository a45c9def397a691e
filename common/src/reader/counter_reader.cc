#include "counter_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/reader/block_walk.h"
#include "recorded_times.h"
#include "row_order.h"

namespace geckoprof {
namespace {

constexpr int64_t kMostPeriodNs = 3600 * kNsPerSecond;

// Cuts the parts off a unit such as "ms/1000000", and returns their number. The unit of a counter that counts whole
// units stays, and the result is 1. A time in ns is one in ms.
int64_t SplitParts(std::string& unit) {
  constexpr size_t kMostZeros = 9;
  if (unit == "ns") unit = "ms/1000000";
  const size_t slash = unit.rfind("/1");
  if (slash == std::string::npos) return 1;
  const std::string_view zeros = std::string_view(unit).substr(slash + 2);
  if (zeros.empty() || zeros.size() > kMostZeros || zeros.find_first_not_of('0') != std::string_view::npos) return 1;
  int64_t parts = 1;
  for (size_t i = 0; i < zeros.size(); ++i) parts *= 10;
  unit.resize(slash);
  return parts;
}

bool HasSameDisplay(const CounterRow& a, const CounterRow& b) {
  return a.is_rate == b.is_rate && a.has_number == b.has_number && a.parts == b.parts && a.name == b.name &&
         a.category == b.category && a.description == b.description && a.unit == b.unit && a.color == b.color;
}

// Continues `before` with the rows of the counter that replaced it. A graph of values goes to the new counter's first
// value. A graph of rates does not, because the first value is no change.
void Append(CounterRow& before, const CounterRow& counter) {
  uint64_t level = 0;
  for (const CounterSample& sample : before.samples) level += static_cast<uint64_t>(sample.count);
  CounterSample next = counter.samples.front();
  next.count = before.is_rate ? 0 : static_cast<int64_t>(static_cast<uint64_t>(next.count) - level);
  next.number = 0;
  next.time_ns = std::max(next.time_ns, before.samples.back().time_ns + 1);
  before.samples.push_back(next);
  for (size_t i = 1; i < counter.samples.size(); ++i) {
    next = counter.samples[i];
    next.time_ns = std::max(next.time_ns, before.samples.back().time_ns + 1);
    before.samples.push_back(next);
  }
  before.ended_ns = counter.ended_ns;
}

}  // namespace

bool CounterReader::ReadDefinition(Leb128Reader& reader) {
  const uint64_t key = MixBits(reader.Uleb());
  const uint64_t flags = reader.Uleb();
  CounterRow counter;
  counter.has_number = (flags & kCounterHasNumber) != 0;
  counter.is_rate = (flags & kCounterIsRate) != 0;
  counter.since_ns = PlausibleTime(reader.Uleb());
  const int64_t count = reader.Zigzag(), number = reader.Zigzag();
  counter.name = ReadText(reader);
  counter.category = ReadText(reader);
  counter.description = ReadText(reader);
  counter.unit = ReadText(reader);
  counter.color = ReadText(reader);
  if (!reader.ok() || by_id_.Find(key) != kNone) return false;
  if (!counter.color.empty() && !IsGraphColor(counter.color)) {
    ++unknown_colors_;
    counter.color.clear();
  }
  counter.parts = SplitParts(counter.unit);
  // Viewers take the first row for what was there before.
  counter.samples.push_back({counter.since_ns, count, counter.has_number ? number : 0});
  by_id_.Insert(key, static_cast<int32_t>(profile_.counters.size()));
  states_.push_back({static_cast<uint64_t>(count), static_cast<uint64_t>(number)});
  // A counter without a number has its period in this place.
  if (!counter.has_number && number > 0) states_.back().period_ns = std::min(number, kMostPeriodNs);
  profile_.counters.push_back(std::move(counter));
  return true;
}

bool CounterReader::ReadEnd(Leb128Reader& reader) {
  const int32_t row = by_id_.Find(MixBits(reader.Uleb()));
  const int64_t ended_ns = PlausibleTime(reader.Uleb());
  const int64_t count = reader.Zigzag(), number = reader.Zigzag();
  if (!reader.ok() || row == kNone || ended_ns == 0) return false;
  profile_.counters[static_cast<size_t>(row)].ended_ns = ended_ns;
  State& state = states_[static_cast<size_t>(row)];
  state.final_count = static_cast<uint64_t>(count);
  state.final_number = static_cast<uint64_t>(number);
  return true;
}

void CounterReader::ReadSamples(Leb128Reader& reader, int64_t tick_ns, uint64_t tick_number) {
  while (reader.ok() && reader.remaining() > 0) {
    const uint64_t word = reader.Uleb();
    const auto count = static_cast<uint64_t>(reader.Zigzag());
    const bool has_number = (word & kCounterSampleHasNumber) != 0;
    const bool is_whole = (word & kCounterSampleIsWhole) != 0;
    const uint64_t number = has_number ? static_cast<uint64_t>(reader.Zigzag()) : 0;
    if (!reader.ok()) break;
    const int32_t row = by_id_.Find(MixBits(word >> 2));
    if (row == kNone) continue;  // younger than the metadata that was read
    CounterRow& counter = profile_.counters[static_cast<size_t>(row)];
    State& state = states_[static_cast<size_t>(row)];
    // Sums wrap, as the program's do.
    const uint64_t new_count = is_whole ? count : state.count + count;
    const uint64_t new_number = !has_number ? state.number : is_whole ? number : state.number + number;
    if (new_count == state.count && new_number == state.number) continue;
    const bool is_any_gap_idle = state.last_tick == 0 || state.period_ns != 0;
    const uint64_t idle = is_any_gap_idle ? UINT64_MAX : tick_number - state.last_tick - 1;
    if (tick_number > state.last_tick) AddIdleRows(counter, state, idle, tick_ns);
    AddRow(counter, state, tick_ns, new_count, new_number);
    state.last_tick = tick_number;
  }
  if (!reader.ok()) ++unreadable_;
}

int64_t CounterReader::StepNs(const State& state) const { return std::max(profile_.interval_ns, state.period_ns); }

void CounterReader::AddIdleRows(CounterRow& counter, const State& state, uint64_t ticks, int64_t until_ns) const {
  const int64_t interval_ns = StepNs(state);
  const int64_t last_ns = counter.samples.back().time_ns;
  if (interval_ns <= 0 || until_ns <= last_ns) return;
  // An interval that is a little short still had its tick.
  const auto room = static_cast<uint64_t>((until_ns - last_ns - 1) / interval_ns +
                                          ((until_ns - last_ns - 1) % interval_ns > interval_ns / 2 ? 1 : 0));
  const uint64_t idle = std::min(ticks, room > 0 ? room - 1 : 0);
  const int64_t first_ns = std::min(last_ns + interval_ns, until_ns - 1);
  if (idle == 0 || first_ns <= last_ns) return;
  if (idle > 1 && until_ns - interval_ns > first_ns) counter.samples.push_back({first_ns, 0, 0});
  counter.samples.push_back({std::max(first_ns, until_ns - interval_ns), 0, 0});
}

void CounterReader::AddRow(CounterRow& counter, State& state, int64_t time_ns, uint64_t count, uint64_t number) const {
  CounterSample& last = counter.samples.back();
  // The counter may have been created just before its first tick. The row before is moved back by an interval, so that
  // the first rate is not too high.
  if (counter.samples.size() == 1) {
    last.time_ns = std::min(last.time_ns, std::max(time_ns - StepNs(state), profile_.start_ns));
  }
  time_ns = std::max(time_ns, last.time_ns + 1);
  counter.samples.push_back(
      {time_ns, static_cast<int64_t>(count - state.count), static_cast<int64_t>(number - state.number)});
  state.count = count;
  state.number = number;
}

void CounterReader::Finish() {
  for (size_t i = 0; i < states_.size(); ++i) {
    CounterRow& counter = profile_.counters[i];
    State& state = states_[i];
    const bool ended = counter.ended_ns != 0;
    const int64_t end_ns = ended ? counter.ended_ns : profile_.end_ns;
    if (ended && (state.final_count != state.count || state.final_number != state.number)) {
      AddIdleRows(counter, state, UINT64_MAX, end_ns);
      AddRow(counter, state, end_ns, state.final_count, state.final_number);
    } else if (end_ns > counter.samples.back().time_ns) {
      AddIdleRows(counter, state, UINT64_MAX, end_ns);
      counter.samples.push_back({end_ns, 0, 0});
    }
  }
  JoinRemade();
}

void CounterReader::JoinRemade() {
  // The sampler meets those of one tick by their places, so one made anew may come before the one that it follows.
  const auto places = SortedPlaces(
      profile_.counters, [](const CounterRow&) { return 0; }, [](const CounterRow& row) { return row.since_ns; });
  std::vector<CounterRow> joined;
  IndexMap rows;
  for (const RowPlace& place : places) {
    CounterRow& counter = profile_.counters[place.index];
    const uint64_t key = HashText(counter.name);
    const int32_t row = rows.Find(key, [&](int32_t other) {
      const CounterRow& before = joined[static_cast<size_t>(other)];
      return before.ended_ns != 0 && before.ended_ns <= counter.since_ns && HasSameDisplay(before, counter);
    });
    if (row != kNone) {
      Append(joined[static_cast<size_t>(row)], counter);
    } else {
      rows.Insert(key, static_cast<int32_t>(joined.size()));
      joined.push_back(std::move(counter));
    }
  }
  profile_.counters = std::move(joined);
}

}  // namespace geckoprof
