#include "geckoprof/reader/marker_type_union.h"

#include <algorithm>

namespace geckoprof {

bool MarkerTypeUnion::United::IsMixed(const std::string& key) const {
  return std::find(mixed_keys.begin(), mixed_keys.end(), key) != mixed_keys.end();
}

void MarkerTypeUnion::Add(const std::vector<MarkerTypeRow>& types) {
  for (const MarkerTypeRow& type : types) {
    if (!type.has_schema) continue;
    United& united = types_[type.name];
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
    const auto found = type.has_schema ? types_.find(type.name) : types_.end();
    if (found == types_.end()) continue;
    type.fields = found->second.fields;
    std::erase_if(type.graphs, [&](const MarkerTypeGraph& graph) { return found->second.IsMixed(graph.key); });
  }
}

void UniteMarkerTypes(std::vector<MarkerTypeRow>& types) {
  MarkerTypeUnion united;
  united.Add(types);
  united.ApplyTo(types);
}

}  // namespace geckoprof
