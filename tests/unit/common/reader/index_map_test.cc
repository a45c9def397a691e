#include "index_map.h"

#include <bit>
#include <catch2/catch.hpp>

#include "geckoprof/base/hash_mix.h"

namespace geckoprof {
namespace {

TEST_CASE("index map: every number is found again, and no other") {
  IndexMap map;
  CHECK(map.Find(MixBits(1)) == kNone);
  for (int32_t i = 0; i < 10'000; ++i) map.Insert(MixBits(static_cast<uint64_t>(i) << 40), i);
  int32_t wrong = 0;
  for (int32_t i = 0; i < 10'000; ++i) wrong += map.Find(MixBits(static_cast<uint64_t>(i) << 40)) != i;
  CHECK(wrong == 0);
  CHECK(map.Find(MixBits(1)) == kNone);
}

TEST_CASE("index map: rows under one key are told apart by the caller") {
  IndexMap map;
  for (int32_t i = 0; i < 200; ++i) map.Insert(7, i);
  CHECK(map.Find(7, [](int32_t row) { return row == 150; }) == 150);
  CHECK(map.Find(7, [](int32_t row) { return row == 200; }) == kNone);
}

TEST_CASE("hashes: FNV-1a as published, and neighbours far apart") {
  CHECK(HashText("") == 0xcbf29ce484222325u);
  CHECK(HashText("a") == 0xaf63dc4c8601ec8cu);
  CHECK(HashText("foobar") == 0x85944171f73967e8u);
  for (uint64_t i = 0; i < 64; ++i) {
    const int changed = std::popcount(MixBits(1'000) ^ MixBits(1'000 ^ uint64_t{1} << i));
    CHECK(changed > 12);
    CHECK(changed < 52);
  }
}

}  // namespace
}  // namespace geckoprof
