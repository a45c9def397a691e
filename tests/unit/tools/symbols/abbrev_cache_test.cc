#include "tools/symbols/abbrev_cache.h"

#include <dwarf.h>

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("a table is read once for each place and width") {
  const std::vector<uint8_t> bytes = {
      1, DW_TAG_base_type, 0, DW_AT_name, DW_FORM_strp, 0, 0, 0, 1, DW_TAG_base_type, 0, 0, 0, 0};
  AbbrevCache cache;
  const auto first = cache.Get({bytes, 0, 8, 4});
  REQUIRE(first->is_sound());
  CHECK(cache.Get({bytes, 0, 8, 4}) == first);
  CHECK(cache.Get({bytes, 8, 8, 4}) != first);
  const auto wide = cache.Get({bytes, 0, 8, 8});
  CHECK(wide->AttributesOf(*wide->Find(1))[0].fixed_bytes == 8);
}

// Every byte of one large table begins a table as well.
TEST_CASE("tables within a table are read until it is too much") {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 200'000; ++i) bytes.insert(bytes.end(), {1, 1, 1, 1, 1, 0, 0});
  AbbrevCache cache;
  size_t sound = 0;
  for (size_t offset = 0; offset < bytes.size(); offset += 7)
    sound += cache.Get({bytes, offset, 8, 4})->is_sound() ? 1 : 0;
  CHECK(sound >= AbbrevCache::kMaxRereads);
  CHECK(sound < 100);
}

}  // namespace
}  // namespace geckoprof
