#include "geckoprof/streaming/marker_type_union.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {
namespace {

void KeepFirst(std::string& kept, const std::string& other) {
  if (kept.empty()) kept = other;
}

// What of `others` is not in `kept`, by what `key_of` gives.
template <typename Row, typename KeyOf>
void AppendNew(std::vector<Row>& kept, const std::vector<Row>& others, const KeyOf& key_of) {
  for (const Row& other : others) {
    const bool is_there =
        std::any_of(kept.begin(), kept.end(), [&](const Row& row) { return key_of(row) == key_of(other); });
    if (!is_there) kept.push_back(other);
  }
}

void Unite(MarkerTypeRow& kept, const MarkerTypeRow& other) {
  KeepFirst(kept.description, other.description);
  KeepFirst(kept.chart_label, other.chart_label);
  KeepFirst(kept.tooltip_label, other.tooltip_label);
  KeepFirst(kept.table_label, other.table_label);
  KeepFirst(kept.color_field, other.color_field);
  kept.is_stack_based = kept.is_stack_based && other.is_stack_based;
  for (MarkerTypeField& field : kept.fields) {
    const bool differs = std::any_of(other.fields.begin(), other.fields.end(), [&](const MarkerTypeField& same) {
      return same.key == field.key && same.format != field.format;
    });
    if (differs) field.format = "string";
  }
  AppendNew(kept.fields, other.fields, [](const MarkerTypeField& field) -> std::string_view { return field.key; });
  AppendNew(kept.graphs, other.graphs, [](const MarkerTypeGraph& graph) -> std::string_view { return graph.key; });
  AppendNew(kept.notes, other.notes, [](const MarkerTypeNote& note) -> std::string_view { return note.label; });
  AppendNew(kept.display, other.display, [](const std::string& place) -> std::string_view { return place; });
}

}  // namespace

void UniteMarkerTypes(std::span<std::vector<MarkerTypeRow>* const> lists) {
  struct Place {
    MarkerTypeRow* type;
    size_t order;
  };
  std::vector<Place> places;
  for (std::vector<MarkerTypeRow>* list : lists) {
    for (MarkerTypeRow& type : *list) {
      if (type.has_schema) places.push_back({&type, places.size()});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    const int names = a.type->name.compare(b.type->name);
    return names != 0 ? names < 0 : a.order < b.order;
  });
  for (auto begin = places.begin(); begin != places.end();) {
    MarkerTypeRow& first = *begin->type;
    const auto end =
        std::find_if(begin, places.end(), [&](const Place& place) { return place.type->name != first.name; });
    for (auto place = begin + 1; place != end; ++place) Unite(first, *place->type);
    for (auto place = begin + 1; place != end; ++place) *place->type = first;
    begin = end;
  }
}

}  // namespace geckoprof
