#include "tools/report/event_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "tools/report/lock_waits.h"
#include "tools/report/marker_times.h"
#include "tools/report/profile_filter.h"
#include "tools/report/profile_summary.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ContainsIgnoringCase(a, b);
}

// "read" in "read file", "DiskRead" and "ReadAhead", not in "thread" or "ready".
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = 0; at + word.size() <= text.size(); ++at) {
    if (!EqualsIgnoringCase(text.substr(at, word.size()), word)) continue;
    const bool begins = at == 0 || absl::ascii_isupper(static_cast<unsigned char>(text[at])) ||
                        !absl::ascii_isalpha(static_cast<unsigned char>(text[at - 1]));
    const size_t end = at + word.size();
    const bool ends = end == text.size() || !absl::ascii_islower(static_cast<unsigned char>(text[end]));
    if (begins && ends) return true;
  }
  return false;
}

// Match says whether the name or the type of a marker tells of a topic.
enum class Match : uint8_t { kNo, kWithDuration, kYes };

template <size_t n>
bool HasOneOf(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return HasWord(text, word); });
}

Match MatchOf(std::string_view text, EventTopic topic) {
  if (topic == EventTopic::kAllocation) {
    const bool is =
        ContainsIgnoringCase(text, "alloc") || ContainsIgnoringCase(text, "garbage") || text.starts_with("GC");
    return is ? Match::kYes : Match::kNo;
  }
  constexpr std::array<std::string_view, 4> kWords = {"FileIO", "I/O", "Network", "Socket"};
  constexpr std::array<std::string_view, 2> kCommonWords = {"Read", "Write"};
  if (HasOneOf(text, kWords)) return Match::kYes;
  return HasOneOf(text, kCommonWords) ? Match::kWithDuration : Match::kNo;
}

bool IsOfTopic(const ProfileCounter& counter, EventTopic topic) {
  if (topic == EventTopic::kAllocation) return EqualsIgnoringCase(counter.category, "Memory");
  constexpr std::array<std::string_view, 4> kCategories = {"IO", "I/O", "Network", "Bandwidth"};
  return std::any_of(kCategories.begin(), kCategories.end(),
                     [&counter](std::string_view category) { return EqualsIgnoringCase(counter.category, category); });
}

class EventSums {
 public:
  EventSums(const ProfileModel& model, EventTopic topic) : model_(model) {
    matches_.reserve(model.strings.size());
    for (const std::string& text : model.strings) matches_.push_back(MatchOf(text, topic));
    for (const MarkerTypeRow& schema : model.marker_schemas) {
      for (const MarkerTypeField& field : schema.fields) {
        if (field.format == "bytes") byte_fields_.insert({schema.name, field.key});
      }
    }
  }

  void AddMarkers(const ProfileThread& thread) {
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      const ProfileMarker& marker = thread.markers[static_cast<size_t>(time.marker)];
      const int32_t type = marker.data == kNoRow ? kNoRow : model_.marker_data[static_cast<size_t>(marker.data)].type;
      const bool by_type = type != kNoRow && Matches(type, time);
      if (!by_type && !Matches(marker.name, time)) continue;
      EventFigures& sum = Sum(marker, by_type ? type : marker.name);
      sum.count += 1;
      sum.has_count = true;
      time.has_duration ? sum.durations.Add(time.end_ms - time.start_ms) : sum.durations.AddInstant();
      AddBytes(marker, type, &sum);
    }
  }

  std::vector<EventFigures> Take() && { return std::move(sums_); }

 private:
  const std::string& Text(int32_t row) const { return model_.strings[static_cast<size_t>(row)]; }

  bool Matches(int32_t string, const MarkerTime& time) const {
    const Match match = matches_[static_cast<size_t>(string)];
    return match == Match::kYes || (match == Match::kWithDuration && time.has_duration);
  }

  EventFigures& Sum(const ProfileMarker& marker, int32_t name) {
    int32_t operation = kNoRow;
    ForFields(marker, [&](const ProfileMarkerField& field) {
      if (field.kind == ProfileMarkerField::Kind::kText && Text(field.key) == "operation") operation = field.text;
    });
    const auto [row, added] = rows_.try_emplace({name, operation}, sums_.size());
    if (added) {
      EventFigures sum;
      sum.name = Text(name);
      if (operation != kNoRow) sum.name += Concat(" (", Text(operation), ")");
      sums_.push_back(std::move(sum));
    }
    return sums_[row->second];
  }

  template <typename Each>
  void ForFields(const ProfileMarker& marker, Each each) const {
    if (marker.data == kNoRow) return;
    const ProfileMarkerData& data = model_.marker_data[static_cast<size_t>(marker.data)];
    for (uint32_t i = 0; i < data.field_count; ++i) each(model_.marker_fields[data.first_field + i]);
  }

  void AddBytes(const ProfileMarker& marker, int32_t type, EventFigures* sum) const {
    if (type == kNoRow) return;
    ForFields(marker, [&](const ProfileMarkerField& field) {
      if (field.kind != ProfileMarkerField::Kind::kNumber) return;
      if (byte_fields_.contains(std::pair(Text(type), Text(field.key)))) {
        sum->bytes = sum->bytes.value_or(0) + field.number;
      }
    });
  }

  const ProfileModel& model_;
  std::vector<Match> matches_;                                            // by row of model.strings
  absl::flat_hash_set<std::pair<std::string, std::string>> byte_fields_;  // type and key
  absl::flat_hash_map<std::pair<int32_t, int32_t>, size_t> rows_;         // name and operation: row of sums_
  std::vector<EventFigures> sums_;
};

EventFigures OfCounter(const ProfileModel& model, const ProfileCounter& counter) {
  EventFigures figures;
  figures.source = EventFigures::Source::kCounter;
  figures.name = counter.name;
  if (model.processes.size() > 1) {
    figures.name += Concat(" (", model.processes[static_cast<size_t>(counter.process)].pid, ")");
  }
  figures.has_count = counter.has_operations;
  figures.count = counter.operations;
  if (counter.unit == "bytes") figures.bytes = counter.total;
  return figures;
}

}  // namespace

std::vector<EventFigures> EventFiguresOf(const ProfileModel& model, EventTopic topic) {
  EventSums sums(model, topic);
  for (const ProfileThread& thread : model.threads) sums.AddMarkers(thread);
  std::vector<EventFigures> all = std::move(sums).Take();
  for (const ProfileCounter& counter : model.counters) {
    if (!IsOfTopic(counter, topic)) continue;
    EventFigures figures = OfCounter(model, counter);
    const bool has_nothing = figures.has_count && figures.count == 0 && figures.bytes.value_or(0) == 0;
    if (!has_nothing) all.push_back(std::move(figures));
  }
  for (const ProfileThread& thread : model.threads) {
    if (topic != EventTopic::kAllocation || thread.weight_unit != ProfileWeightUnit::kBytes) continue;
    AllocationSums allocations;
    allocations.Add(thread);
    const auto add = [&all](std::string name, double count, double bytes) {
      EventFigures& figures = all.emplace_back();
      figures.source = EventFigures::Source::kSamples;
      figures.name = std::move(name);
      figures.has_count = true;
      figures.count = count;
      figures.bytes = bytes;
    };
    add(thread.name, allocations.count, allocations.bytes);
    if (allocations.frees > 0) add(Concat(thread.name, " (freed)"), allocations.frees, allocations.freed_bytes);
  }
  std::stable_sort(all.begin(), all.end(), [](const EventFigures& a, const EventFigures& b) {
    return std::pair(a.bytes.value_or(-1), a.durations.total_ms()) >
           std::pair(b.bytes.value_or(-1), b.durations.total_ms());
  });
  return all;
}

namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

std::vector<ReportTable::Column> DurationColumns() {
  return {{"totalMs", "total time", Kind::kMs},
          {"p50Ms", "p50", Kind::kMs},
          {"p90Ms", "p90", Kind::kMs},
          {"p99Ms", "p99", Kind::kMs},
          {"maxMs", "max", Kind::kMs}};
}

void AddDurations(DurationFigures figures, ReportTable::Row* row) {
  if (!figures.has_durations()) {
    row->resize(row->size() + 5);
    return;
  }
  row->insert(row->end(), {figures.total_ms(), figures.Percentile(50), figures.Percentile(90), figures.Percentile(99),
                           figures.Percentile(100)});
}

}  // namespace

ReportTable MarkerTable(const ProfileModel& model, size_t top, bool by_type) {
  absl::flat_hash_map<int32_t, DurationFigures> sums;
  for (const ProfileThread& thread : model.threads) {
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      const ProfileMarker& marker = thread.markers[static_cast<size_t>(time.marker)];
      const int32_t type = marker.data == kNoRow ? kNoRow : model.marker_data[static_cast<size_t>(marker.data)].type;
      DurationFigures& sum = sums[by_type ? type : marker.name];
      time.has_duration ? sum.Add(time.end_ms - time.start_ms) : sum.AddInstant();
    }
  }
  const auto name = [&model](int32_t row) {
    return row == kNoRow ? std::string("(no type)") : model.strings[static_cast<size_t>(row)];
  };
  std::vector<std::pair<int32_t, const DurationFigures*>> rows;
  for (const auto& [row, sum] : sums) rows.emplace_back(row, &sum);
  std::sort(rows.begin(), rows.end(), [&name](const auto& a, const auto& b) {
    const std::pair key_a(a.second->total_ms(), a.second->count()), key_b(b.second->total_ms(), b.second->count());
    return key_a != key_b ? key_a > key_b : name(a.first) < name(b.first);
  });
  ReportTable table;
  table.title = by_type ? "Types of markers" : "Markers";
  table.columns = DurationColumns();
  table.columns.insert(table.columns.begin(), {"count", "count", Kind::kCount});
  table.columns.push_back({"name", by_type ? "type" : "marker", Kind::kText});
  table.all_rows = rows.size();
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    ReportTable::Row row = {static_cast<double>(rows[i].second->count())};
    AddDurations(*rows[i].second, &row);
    row.emplace_back(name(rows[i].first));
    table.rows.push_back(std::move(row));
  }
  if (std::string text = LockMarkersText(model); !text.empty()) table.notes.push_back(std::move(text));
  return table;
}

ReportTable EventTable(const ProfileModel& model, EventTopic topic, size_t top) {
  const bool is_io = topic == EventTopic::kIo;
  const std::vector<EventFigures> all = EventFiguresOf(model, topic);
  ReportTable table;
  table.title = is_io ? "Input and output" : "Allocations";
  table.columns = DurationColumns();
  table.columns.insert(table.columns.begin(), {{"count", "count", Kind::kCount}, {"bytes", "bytes", Kind::kBytes}});
  table.columns.push_back({"source", "source", Kind::kText});
  table.columns.push_back({"name", "name", Kind::kText});
  table.all_rows = all.size();
  constexpr const char* kSources[] = {"marker", "counter", "samples"};
  for (size_t i = 0; i < std::min(top, all.size()); ++i) {
    const EventFigures& figures = all[i];
    ReportTable::Row row = {figures.has_count ? Cell(figures.count) : Cell(),
                            figures.bytes.has_value() ? Cell(*figures.bytes) : Cell()};
    AddDurations(figures.durations, &row);
    row.emplace_back(std::string_view(kSources[static_cast<size_t>(figures.source)]));
    row.emplace_back(figures.name);
    table.rows.push_back(std::move(row));
  }
  if (all.empty()) {
    table.notes.push_back(is_io ? "This profile has no markers or counters of input or output."
                                : "This profile has no markers, counters or samples of allocations.");
  }
  return table;
}

}  // namespace geckoprof
