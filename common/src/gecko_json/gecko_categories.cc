#include "geckoprof/gecko_json/gecko_categories.h"

#include <algorithm>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

int32_t StateLook::subcategory() const {
  if (number_ == kReady || cause() == WaitCause::kOther) return 0;
  return static_cast<int32_t>(cause());
}

// The last cause is "Other", which each category has first.
std::vector<CategoryRow> StateLook::Categories() {
  CategoryRow idle{"Idle", "transparent", {"Other"}};
  for (auto i = static_cast<size_t>(WaitCause::kLock); i < static_cast<size_t>(WaitCause::kOther); ++i) {
    idle.subcategories.emplace_back(kWaitCauseNames[i]);
  }
  return {idle, {"Waiting for a core", "red", {"Other"}}};
}

int64_t ReadyBeforeRun(const SampleRow& row, uint64_t rows) {
  if (rows <= 1) return row.ready_ns;
  const auto others = static_cast<int64_t>(std::min<uint64_t>(rows - 1, INT64_MAX));
  return row.ready_ns / others >= row.apart_ns ? row.ready_ns - others * row.apart_ns : 0;
}

void WriteCategories(std::span<const CategoryRow> categories, JsonWriter& writer) {
  writer.StartArray();
  for (const CategoryRow& row : categories) {
    writer.StartObject();
    writer.StringProperty("name", row.name);
    writer.StringProperty("color", row.color);
    writer.StartArrayProperty("subcategories");
    for (const std::string& subcategory : row.subcategories) writer.String(subcategory);
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
}

GeckoCategories::GeckoCategories(const std::vector<CategoryRow>& first) {
  AddAll(first);
  const auto grey =
      std::find_if(rows_.begin(), rows_.end(), [](const CategoryRow& row) { return row.color == "grey"; });
  fallback_ = static_cast<int32_t>(grey - rows_.begin());
  if (grey == rows_.end()) rows_.push_back({"Other", "grey", {"Other"}});
  const std::vector<CategoryRow> states = StateLook::Categories();
  const std::vector<int32_t> numbers = AddAll(states);
  for (uint8_t i = StateLook::kRunning + 1; i < StateLook::kCount; ++i) {
    const StateLook look = StateLook::FromNumber(i);
    const int32_t category = numbers[look.category()];
    states_[i] = {category, Subcategory(category, states[look.category()], look.subcategory())};
  }
}

int32_t GeckoCategories::Add(const CategoryRow& category) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].name == category.name) {
      auto& names = rows_[i].subcategories;
      for (const std::string& name : category.subcategories) {
        if (is_closed_) break;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
      return static_cast<int32_t>(i);
    }
  }
  if (is_closed_) return fallback_;
  rows_.push_back(category);
  if (rows_.back().subcategories.empty()) rows_.back().subcategories.push_back("Other");
  return static_cast<int32_t>(rows_.size() - 1);
}

std::vector<int32_t> GeckoCategories::AddAll(const std::vector<CategoryRow>& categories) {
  std::vector<int32_t> numbers;
  numbers.reserve(categories.size());
  for (const CategoryRow& category : categories) numbers.push_back(Add(category));
  return numbers;
}

int32_t GeckoCategories::Subcategory(int32_t category, const CategoryRow& own, int32_t subcategory) const {
  if (subcategory < 0 || static_cast<size_t>(subcategory) >= own.subcategories.size()) return 0;
  const auto at = static_cast<size_t>(subcategory);
  const auto& names = rows_[static_cast<size_t>(category)].subcategories;
  if (at < names.size() && names[at] == own.subcategories[at]) return subcategory;  // nearly always
  const auto found = std::find(names.begin(), names.end(), own.subcategories[at]);
  return found == names.end() ? 0 : static_cast<int32_t>(found - names.begin());
}

}  // namespace geckoprof
