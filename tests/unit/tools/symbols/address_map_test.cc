#include "tools/symbols/address_map.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("the innermost range wins") {
  AddressMap map;
  map.Add(10, 100, 0);
  map.Add(20, 50, 1);
  map.Add(30, 40, 2);
  map.Add(60, 60, 3);  // empty
  map.Build();
  CHECK(map.Find(9) == AddressMap::kNone);
  CHECK(map.Find(10) == 0);
  CHECK(map.Find(20) == 1);
  CHECK(map.Find(30) == 2);
  CHECK(map.Find(40) == 1);
  CHECK(map.Find(50) == 0);
  CHECK(map.Find(60) == 0);
  CHECK(map.Find(99) == 0);
  CHECK(map.Find(100) == AddressMap::kNone);
  CHECK(map.Find(UINT64_MAX) == AddressMap::kNone);
}

// Against the plain definition: of the ranges at an address, the one added last.
TEST_CASE("ranges that cross, start or end together") {
  uint32_t random = 7;
  const auto next = [&](uint32_t limit) {
    random = random * 1664525 + 1013904223;
    return (random >> 10) % limit;
  };
  for (int round = 0; round < 200; ++round) {
    struct Range {
      uint64_t start, end;
    };
    std::vector<Range> ranges;
    AddressMap map;
    for (uint32_t i = 0; i < 12; ++i) {
      const uint64_t start = next(40), end = start + next(20);
      ranges.push_back({start, end});
      map.Add(start, end, i);
    }
    map.Build();
    for (uint64_t address = 0; address < 64; ++address) {
      uint32_t expected = AddressMap::kNone;
      for (uint32_t i = 0; i < ranges.size(); ++i) {
        if (address >= ranges[i].start && address < ranges[i].end) expected = i;
      }
      CHECK(map.Find(address) == expected);
    }
  }
}

TEST_CASE("nothing added, nothing found") {
  AddressMap map;
  map.Build();
  CHECK(map.Find(0) == AddressMap::kNone);
}

}  // namespace
}  // namespace geckoprof
