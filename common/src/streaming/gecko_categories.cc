#include "geckoprof/streaming/gecko_categories.h"

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

GeckoCategories::GeckoCategories(const std::vector<CategoryRow>& first) {
  AddAll(first);
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].color == "grey") {
      fallback_ = static_cast<int32_t>(i);
      return;
    }
  }
  fallback_ = static_cast<int32_t>(rows_.size());
  rows_.push_back({"Other", "grey", {"Other"}});
}

int32_t GeckoCategories::Add(const CategoryRow& category) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].name == category.name) {
      // The longer list of subcategories serves both, if one is the beginning of the other.
      if (category.subcategories.size() > rows_[i].subcategories.size()) {
        rows_[i].subcategories = category.subcategories;
      }
      return static_cast<int32_t>(i);
    }
  }
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

int32_t GeckoCategories::Subcategory(int32_t category, int32_t subcategory) const {
  const auto count = static_cast<int32_t>(rows_[static_cast<size_t>(category)].subcategories.size());
  return subcategory >= 0 && subcategory < count ? subcategory : 0;
}

void GeckoCategories::WriteArray(JsonWriter& writer) const {
  writer.StartArray();
  for (const CategoryRow& row : rows_) {
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

}  // namespace geckoprof
