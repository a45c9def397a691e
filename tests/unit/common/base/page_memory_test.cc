#include "geckoprof/base/page_memory.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("memory comes in whole pages of zeros") {
  PageMemory memory = PageMemory::Map(5000);
  REQUIRE(memory);
  CHECK(memory.size_bytes() == 8192);
  memory.Populate();
  for (size_t i = 0; i < memory.size_bytes(); ++i) REQUIRE(memory.data()[i] == 0);
  memory.data()[8191] = 1;
}

TEST_CASE("what cannot be had is empty") { CHECK_FALSE(PageMemory::Map(size_t{1} << 62)); }

TEST_CASE("moving leaves nothing behind") {
  PageMemory first = PageMemory::Map(1);
  const PageMemory second = std::move(first);
  CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the promise
  CHECK(second);
}

TEST_CASE("rounding up") {
  CHECK(RoundUpTo(0, 4096) == 0);
  CHECK(RoundUpTo(1, 4096) == 4096);
  CHECK(RoundUpTo(4096, 4096) == 4096);
}

}  // namespace
}  // namespace geckoprof
