#include "row_order.h"

#include <algorithm>

namespace geckoprof {

void SortPlaces(std::vector<RowPlace>& places) {
  std::sort(places.begin(), places.end(), [](const RowPlace& a, const RowPlace& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.index < b.index;
  });
}

}  // namespace geckoprof
