#include "geckoprof/base/sized_struct.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

struct Known {
  uint32_t size_bytes, flags;
  uint64_t first, second;
};
struct Newer {
  Known known;
  uint64_t third;
};
using Sized = SizedStruct<Known>;

TEST_CASE("a structure of another release is read as far as both know it") {
  Newer newer = {{sizeof(Newer), 1, 2, 3}, 0};
  Known out{};
  REQUIRE(Sized::Read(&newer, 8, Sized::Surplus::kMustBeZero, out));
  CHECK((out.size_bytes == sizeof(Known) && out.flags == 1 && out.first == 2 && out.second == 3));
  newer.third = 4;
  CHECK_FALSE(Sized::Read(&newer, 8, Sized::Surplus::kMustBeZero, out));
  CHECK(Sized::Read(&newer, 8, Sized::Surplus::kIgnored, out));
  newer.known.size_bytes = 16;
  REQUIRE(Sized::Read(&newer, 8, Sized::Surplus::kMustBeZero, out));
  CHECK((out.first == 2 && out.second == 0));
  for (const uint32_t wrong : {0u, 4u, 12u}) {
    newer.known.size_bytes = wrong;
    CHECK_FALSE(Sized::Read(&newer, 8, Sized::Surplus::kIgnored, out));
  }
  CHECK_FALSE(Sized::Read(nullptr, 8, Sized::Surplus::kIgnored, out));
}

TEST_CASE("no more is written than the caller has room for") {
  const Known from = {sizeof(Known), 1, 2, 3};
  Newer to = {{16, 0, 0, 77}, 77};
  REQUIRE(Sized::Write(from, 16, &to));
  CHECK((to.known.size_bytes == 16 && to.known.first == 2 && to.known.second == 77));
  to.known.size_bytes = sizeof(Newer);
  REQUIRE(Sized::Write(from, 16, &to));
  CHECK((to.known.size_bytes == sizeof(Newer) && to.known.second == 3 && to.third == 77));
  to.known.size_bytes = 8;
  CHECK_FALSE(Sized::Write(from, 16, &to));
  CHECK_FALSE(Sized::Write(from, 16, nullptr));
}

}  // namespace
}  // namespace geckoprof
