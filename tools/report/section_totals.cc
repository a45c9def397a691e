#include "tools/report/section_totals.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/report/cell_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Entry = ProfileSection::Entry;

// A count, size or duration; of a text 0.
double NumberOf(const Entry& entry) {
  double number = 0;
  std::from_chars(entry.value.data(), entry.value.data() + entry.value.size(), number);
  return number;
}

std::string NumberText(double number, Entry::Kind kind) {
  if (kind == Entry::Kind::kMs) return DurationText(number);
  return kind == Entry::Kind::kBytes ? BytesText(number) : GroupedText(number);
}

// The entries of one label.
struct Sum {
  Entry entry;  // the first one
  double number = 0;
  size_t count = 0;
  bool all_same = true;
  size_t next = 0;                                    // row of the sum that follows it
  std::vector<std::pair<std::string, size_t>> texts;  // the few that differ, with their counts
};

constexpr size_t kMaxTexts = 8;

void AddText(const std::string& text, Sum* sum) {
  for (auto& [known, count] : sum->texts) {
    if (known == text) {
      ++count;
      return;
    }
  }
  if (sum->texts.size() < kMaxTexts) {
    sum->texts.emplace_back(text, 1);
    return;
  }
  if (sum->texts.size() == kMaxTexts) sum->texts.emplace_back("others", 0);
  ++sum->texts.back().second;
}

std::string SumText(const Sum& sum, size_t sections) {
  if (sum.entry.kind != Entry::Kind::kText) {
    const bool each = sum.all_same && sum.count == sections && sections > 1;
    return each ? Concat(SectionValueText(sum.entry), " each") : NumberText(sum.number, sum.entry.kind);
  }
  std::string text;
  for (const auto& [known, count] : sum.texts) {
    text += Concat(text.empty() ? "" : ", ", known);
    if (sum.texts.size() > 1) text += Concat(" (", count, ")");
  }
  return text;
}

// Labels of which each section has those that are not 0: together, the buckets of a histogram in order.
constexpr std::string_view kPauses = "Handler ran ";

// Which of the kinds of losses a label is of; none: of no loss.
std::optional<LossKind> LossKindOf(std::string_view label) {
  for (const LossKind kind : kLossKinds) {
    if (label.starts_with(LossPrefix(kind))) return kind;
  }
  return std::nullopt;
}

// Rows of `sums` in the order of the chain, but for the groups: each stands together where its first entry is.
std::vector<size_t> OrderOf(const std::vector<Sum>& sums) {
  struct Place {
    size_t row;
    size_t position;  // of its group, or its own
    double lower;     // of a bucket; of a loss its kind
  };
  std::vector<Place> places;
  std::optional<size_t> losses, pauses;
  for (size_t row = sums[0].next; row != 0; row = sums[row].next) {
    const std::string_view label = sums[row].entry.label;
    Place place{row, places.size(), 0};
    if (const std::optional<LossKind> kind = LossKindOf(label)) {
      if (!losses.has_value()) losses = place.position;
      place.position = *losses;
      place.lower = static_cast<double>(*kind);
    } else if (label.starts_with(kPauses)) {
      if (!pauses.has_value()) pauses = place.position;
      place.position = *pauses;
      std::from_chars(label.data() + kPauses.size(), label.data() + label.size(), place.lower);
    }
    places.push_back(place);
  }
  if (losses.has_value() && pauses.has_value() && *pauses < *losses) {  // as in each section: losses first
    for (Place& place : places) {
      if (place.position == *pauses || place.position == *losses) place.position = *pauses + *losses - place.position;
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.position != b.position ? a.position < b.position : a.lower < b.lower;
  });
  std::vector<size_t> rows;
  rows.reserve(places.size());
  for (const Place& place : places) rows.push_back(place.row);
  return rows;
}

}  // namespace

std::string SectionValueText(const Entry& entry) {
  return entry.kind == Entry::Kind::kText ? entry.value : NumberText(NumberOf(entry), entry.kind);
}

ProfileSection AddUpSections(std::span<const ProfileSection> sections) {
  std::vector<Sum> sums(1);  // the first is only the head of the chain
  absl::flat_hash_map<std::string, size_t> rows;
  for (const ProfileSection& section : sections) {
    size_t before = 0;
    for (const Entry& entry : section.entries) {
      const auto [row, added] = rows.try_emplace(entry.label, sums.size());
      if (added) {
        sums.push_back({entry, 0, 0, true, sums[before].next, {}});
        sums[before].next = row->second;
      }
      before = row->second;
      Sum& sum = sums[before];
      if (entry.kind != sum.entry.kind) sum.entry.kind = Entry::Kind::kText;
      sum.all_same = sum.all_same && entry.value == sum.entry.value;
      sum.number += NumberOf(entry);
      ++sum.count;
      AddText(entry.value, &sum);
    }
  }
  ProfileSection total;
  for (const size_t row : OrderOf(sums)) {
    total.entries.push_back({sums[row].entry.label, SumText(sums[row], sections.size())});
  }
  return total;
}

std::string RecordingText(const ProfileModel& model, std::string_view label) {
  if (model.sections.empty()) return "";
  const std::vector<Entry>& entries = model.sections.front().entries;  // it comes first
  const auto entry = std::ranges::find(entries, label, &Entry::label);
  return entry != entries.end() ? SectionValueText(*entry) : "";
}

}  // namespace geckoprof
