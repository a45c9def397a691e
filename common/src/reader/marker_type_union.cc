#include "geckoprof/reader/marker_type_union.h"

#include <algorithm>

namespace geckoprof {

bool MarkerTypeUnion::United::IsMixed(const std::string& key) const {
  return std::find(mixed_keys.begin(), mixed_keys.end(), key) != mixed_keys.end();
}

size_t MarkerTypeUnion::PlaceOf(std::string_view name) const {
  const auto place =
      std::lower_bound(types_.begin(), types_.end(), name,
                       [](const United& united, std::string_view wanted) { return united.name < wanted; });
  return static_cast<size_t>(place - types_.begin());
}

void MarkerTypeUnion::Add(const std::vector<MarkerTypeRow>& types) {
  for (const MarkerTypeRow& type : types) {
    if (!type.has_schema) continue;
    const size_t place = PlaceOf(type.name);
    const bool is_new = place == types_.size() || types_[place].name != type.name;
    if (is_new) types_.insert(types_.begin() + static_cast<ptrdiff_t>(place), United{type.name, {}, {}});
    United& united = types_[place];
    for (const MarkerTypeField& field : type.fields) {
      const auto same = std::find_if(united.fields.begin(), united.fields.end(),
                                     [&](const MarkerTypeField& known) { return known.key == field.key; });
      if (same == united.fields.end()) {
        united.fields.push_back(field);
      } else if (same->format != field.format) {
        same->format = "string";
        if (!united.IsMixed(field.key)) united.mixed_keys.push_back(field.key);
      }
    }
  }
}

void MarkerTypeUnion::ApplyTo(std::vector<MarkerTypeRow>& types) const {
  for (MarkerTypeRow& type : types) {
    const size_t place = type.has_schema ? PlaceOf(type.name) : types_.size();
    if (place == types_.size() || types_[place].name != type.name) continue;
    const United& united = types_[place];
    type.fields = united.fields;
    std::erase_if(type.graphs, [&](const MarkerTypeGraph& graph) { return united.IsMixed(graph.key); });
  }
}

void UniteMarkerTypes(std::vector<MarkerTypeRow>& types) {
  MarkerTypeUnion united;
  united.Add(types);
  united.ApplyTo(types);
}

}  // namespace geckoprof
