#include "tools/merge/merged_categories.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace geckoprof {
namespace {

constexpr std::string_view kGrey = "grey";

}  // namespace

int32_t CategoryNumbers::Category(JsonView number, int32_t none) const {
  const int64_t row = number.AsInteger().value_or(-1);
  if (row < 0 || static_cast<uint64_t>(row) >= rows.size()) return none;
  return rows[static_cast<size_t>(row)].category;
}

int32_t CategoryNumbers::Subcategory(int32_t category, int32_t subcategory) const {
  if (category < 0 || static_cast<size_t>(category) >= rows.size()) return 0;
  const std::vector<int32_t>& numbers = rows[static_cast<size_t>(category)].subcategories;
  if (subcategory < 0 || static_cast<size_t>(subcategory) >= numbers.size()) return 0;
  return numbers[static_cast<size_t>(subcategory)];
}

int32_t MergedCategories::FirstGrey() const {
  const auto grey = std::ranges::find(rows_, kGrey, &CategoryRow::color);
  return grey == rows_.end() ? -1 : static_cast<int32_t>(grey - rows_.begin());
}

CategoryNumbers::Row MergedCategories::AddRow(JsonView category) {
  const std::string name(category["name"].AsString()), color(category["color"].AsString());
  const auto [number, is_new] = numbers_.try_emplace({name, color}, rows_.size());
  if (is_new) rows_.push_back({name, color, {}});
  const size_t row = number->second;
  CategoryNumbers::Row numbers{static_cast<int32_t>(row), {}};
  const JsonView subcategories = category["subcategories"];
  for (size_t i = 0; i < subcategories.size(); ++i) {
    const std::string text(subcategories.At(i).AsString());
    const auto [known, is_new_text] = subcategories_.try_emplace({row, text}, rows_[row].subcategories.size());
    if (is_new_text) rows_[row].subcategories.push_back(text);
    numbers.subcategories.push_back(static_cast<int32_t>(known->second));
  }
  return numbers;
}

CategoryNumbers MergedCategories::Add(JsonView categories) {
  CategoryNumbers numbers;
  numbers.fallback = -1;
  for (size_t i = 0; i < categories.size(); ++i) {
    numbers.rows.push_back(AddRow(categories.At(i)));
    const bool is_grey = categories.At(i)["color"].AsString() == kGrey;
    if (is_grey && numbers.fallback < 0) numbers.fallback = numbers.rows.back().category;
  }
  return numbers;
}

void MergedCategories::Finish() {
  if (FirstGrey() < 0) rows_.push_back({"Other", std::string(kGrey), {"Other"}});
  for (CategoryRow& row : rows_) {
    if (row.subcategories.empty()) row.subcategories.emplace_back("Other");
  }
}

}  // namespace geckoprof
