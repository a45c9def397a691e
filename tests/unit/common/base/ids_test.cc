#include "geckoprof/base/ids.h"

#include <catch2/catch.hpp>
#include <type_traits>

namespace geckoprof {
namespace {

TEST_CASE("an id is unspecified until it has a number") {
  CHECK_FALSE(ThreadId().IsSpecified());
  CHECK(ThreadId::FromNumber(7).IsSpecified());
  CHECK(ThreadId::FromNumber(7).ToNumber() == 7);
}

TEST_CASE("ids are plain values of their own type") {
  STATIC_REQUIRE(std::is_trivially_copyable_v<ThreadId>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<int, ThreadId>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<ThreadId, int>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<ThreadId, ProcessId>);
}

TEST_CASE("block indices are ordered, the null index first") {
  CHECK(BlockIndex() < BlockIndex::FromNumber(1));
  CHECK(BlockIndex::FromNumber(1) < BlockIndex::FromNumber(2));
}

}  // namespace
}  // namespace geckoprof
