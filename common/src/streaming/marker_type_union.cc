#include "geckoprof/streaming/marker_type_union.h"

#include <algorithm>
#include <vector>

#include "geckoprof/json/unique_strings.h"

namespace geckoprof {
namespace {

void UniteFields(MarkerTypeRow& kept, const std::vector<MarkerTypeField>& others) {
  for (const MarkerTypeField& other : others) {
    const auto same = std::find_if(kept.fields.begin(), kept.fields.end(),
                                   [&](const MarkerTypeField& field) { return field.key == other.key; });
    if (same == kept.fields.end()) {
      kept.fields.push_back(other);
    } else if (same->format != other.format) {
      same->format = "string";
      std::erase_if(kept.graphs, [&](const MarkerTypeGraph& graph) { return graph.key == other.key; });
    }
  }
}

}  // namespace

void UniteMarkerTypes(std::span<std::vector<MarkerTypeRow>* const> lists) {
  UniqueStrings names;
  std::vector<MarkerTypeRow*> firsts;  // by number of the name
  for (std::vector<MarkerTypeRow>* list : lists) {
    for (MarkerTypeRow& type : *list) {
      if (!type.has_schema) continue;
      const uint32_t name = names.Intern(type.name);
      if (name == firsts.size()) {
        firsts.push_back(&type);
      } else {
        UniteFields(*firsts[name], type.fields);
      }
    }
  }
  for (std::vector<MarkerTypeRow>* list : lists) {
    for (MarkerTypeRow& type : *list) {
      const MarkerTypeRow* const first = type.has_schema ? firsts[names.Intern(type.name)] : &type;
      if (first != &type) type.fields = first->fields;
    }
  }
}

}  // namespace geckoprof
