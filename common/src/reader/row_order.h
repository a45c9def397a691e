#ifndef GECKOPROF_READER_ROW_ORDER_H_
#define GECKOPROF_READER_ROW_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace geckoprof {

// The place of a row in the order. Equal rows stay in their order. Rows are large, so these places are sorted instead.
struct RowPlace {
  int64_t group;
  int64_t time_ns;
  size_t index;
};

template <typename Row, typename GroupOf, typename TimeOf>
std::vector<RowPlace> SortedPlaces(const std::vector<Row>& rows, const GroupOf& group_of, const TimeOf& time_of) {
  std::vector<RowPlace> places;
  places.reserve(rows.size());
  for (const Row& row : rows) places.push_back({group_of(row), time_of(row), places.size()});
  std::sort(places.begin(), places.end(), [](const RowPlace& a, const RowPlace& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.index < b.index;
  });
  return places;
}

template <typename Row>
void Reorder(const std::vector<RowPlace>& places, std::vector<Row>& rows) {
  std::vector<Row> ordered;
  ordered.reserve(rows.size());
  for (const RowPlace& place : places) ordered.push_back(std::move(rows[place.index]));
  rows = std::move(ordered);
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_ROW_ORDER_H_
