#include "tools/report/event_figures.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "tools/report/allocation_sums.h"
#include "tools/report/marker_times.h"
#include "tools/report/profile_filter.h"
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

// What a marker's name or type says of it.
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
    if (IsOfTopic(counter, topic)) all.push_back(OfCounter(model, counter));
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

}  // namespace geckoprof
