#include "geckoprof/reader/marker_type_union.h"

#include <algorithm>
#include <vector>

#include "geckoprof/base/hash_mix.h"
#include "index_map.h"

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
  std::vector<MarkerTypeRow*> firsts;
  IndexMap first_by_name;
  const auto find = [&](const MarkerTypeRow& type) {
    return first_by_name.Find(MixBits(HashText(type.name)),
                              [&](int32_t at) { return firsts[static_cast<size_t>(at)]->name == type.name; });
  };
  for (std::vector<MarkerTypeRow>* list : lists) {
    for (MarkerTypeRow& type : *list) {
      if (!type.has_schema) continue;
      const int32_t first = find(type);
      if (first == kNone) {
        first_by_name.Insert(MixBits(HashText(type.name)), static_cast<int32_t>(firsts.size()));
        firsts.push_back(&type);
      } else {
        UniteFields(*firsts[static_cast<size_t>(first)], type.fields);
      }
    }
  }
  for (std::vector<MarkerTypeRow>* list : lists) {
    for (MarkerTypeRow& type : *list) {
      const MarkerTypeRow* const first = type.has_schema ? firsts[static_cast<size_t>(find(type))] : &type;
      if (first != &type) type.fields = first->fields;
    }
  }
}

}  // namespace geckoprof
