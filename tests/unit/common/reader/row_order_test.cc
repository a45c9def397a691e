#include "row_order.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

struct Row {
  int64_t group, time_ns;
  std::string name;
};

TEST_CASE("rows are in order of their groups, then of their times; what is equal stays as it was") {
  std::vector<Row> rows = {{1, 5, "a"}, {0, 9, "b"}, {1, 2, "c"}, {0, 9, "d"}, {0, 1, "e"}};
  Reorder(SortedPlaces(
              rows, [](const Row& row) { return row.group; }, [](const Row& row) { return row.time_ns; }),
          rows);
  std::string order;
  for (const Row& row : rows) order += row.name;
  CHECK(order == "ebdca");
}

}  // namespace
}  // namespace geckoprof
