#include "geckoprof/gecko_json/gecko_library_map.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

LibraryRow Library(std::string path, uint64_t start, uint64_t end, int64_t mapped_ns = 0) {
  LibraryRow row;
  row.path = path;
  row.start_avma = start;
  row.end_avma = end;
  row.mapped_ns = mapped_ns;
  return row;
}

TEST_CASE("the same file mapped twice at one place has one row") {
  ProcessProfile process = SampleProcess();
  process.libraries.push_back(process.libraries[1]);
  process.libraries.push_back(process.libraries[2]);
  const GeckoLibraryMap map(process.libraries);
  CHECK(map.rows().size() == 4);
  CHECK(map.ToWrittenAddress(0x10010, 5) == map.ToWrittenAddress(0x10010, 2));
  CHECK(map.ToWrittenAddress(0x10010, 4) == 0x10010);
  CHECK(map.ToWrittenAddress(0x10010, kNone) == 0x10010);
  CHECK(map.ToWrittenAddress(0x10010, 99) == 0x10010);
}

TEST_CASE("of libraries at one place the one mapped first stays; addresses move with the other, to its last byte") {
  const std::vector<LibraryRow> libraries = {Library("/late", 0x10000, 0x20000, 50),
                                             Library("/early", 0x10000, 0x20000, 10)};
  const GeckoLibraryMap map(libraries);
  REQUIRE(map.rows().size() == 2);
  CHECK(map.rows()[0].library == 1);
  CHECK(map.ToWrittenAddress(0x10000, 1) == 0x10000);
  const uint64_t start = map.rows()[1].start;
  CHECK(start >= 0x20000);
  CHECK(start % 0x100000 == 0x10000);  // the low digits stay
  CHECK(map.ToWrittenAddress(0x10000, 0) == start);
  CHECK(map.ToWrittenAddress(0x20000, 0) == start + 0x10000);  // a return address may lie just behind
  CHECK(map.ToWrittenAddress(0x20001, 0) == 0x20001);
  CHECK(map.ToWrittenAddress(0xffff, 0) == 0xffff);
}

TEST_CASE("what JSON cannot hold exactly, or holds nothing, has no row") {
  const uint64_t limit = uint64_t{1} << 53;
  const std::vector<LibraryRow> libraries = {Library("/beyond", limit, limit + 1), Library("/empty", 5, 5),
                                             Library("/turned", 9, 5), Library("/last", limit - 2, limit),
                                             Library("/over", limit - 1, limit)};
  const GeckoLibraryMap map(libraries);
  REQUIRE(map.rows().size() == 1);  // "/over" would have to move, and there is no room left
  CHECK(map.rows()[0].library == 3);
  CHECK(map.ToWrittenAddress(limit - 1, 4) == limit - 1);
}

TEST_CASE("whatever overlaps, the rows are sorted and disjoint") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<LibraryRow> libraries;
    for (int i = 0; i < 40; ++i) {
      const uint64_t start = random() % 1000;
      libraries.push_back(Library(std::to_string(random() % 5), start, start + 1 + random() % 300, random() % 100));
    }
    const GeckoLibraryMap map(libraries);
    for (size_t i = 0; i < map.rows().size(); ++i) {
      REQUIRE(map.rows()[i].start < map.rows()[i].end);
      if (i > 0) REQUIRE(map.rows()[i - 1].end <= map.rows()[i].start);
      // Each library's own addresses lead to its row.
      const auto library = static_cast<size_t>(map.rows()[i].library);
      REQUIRE(map.ToWrittenAddress(libraries[library].start_avma, map.rows()[i].library) == map.rows()[i].start);
    }
  }
}

}  // namespace
}  // namespace geckoprof
