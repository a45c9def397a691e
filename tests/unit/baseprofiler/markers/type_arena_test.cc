#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "markers/runtime_marker_types.h"

namespace geckoprof {
namespace {

TEST_CASE("kept memory is zero, aligned, apart, and no more than a region at a time") {
  TypeArena memory;
  uint8_t* before = nullptr;
  for (int i = 0; i < 10'000; ++i) {
    auto* const taken = memory.Allocate<uint8_t>(33);
    REQUIRE(taken != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(taken) % alignof(max_align_t) == 0);
    CHECK(taken[0] + taken[32] == 0);
    CHECK((before == nullptr || taken >= before + 33 || taken + 33 <= before));
    memset(taken, 0xff, 33);
    before = taken;
  }
  CHECK(memory.Allocate(TypeArena::kRegionBytes) != nullptr);
  CHECK(memory.Allocate(TypeArena::kRegionBytes + 1) == nullptr);
}

TEST_CASE("texts are copied, and one that finds no room says so") {
  TypeArena memory;
  bool failed = false;
  CHECK(memory.Copy(nullptr, &failed) == nullptr);
  const std::string text = "a text";
  const char* const copy = memory.Copy(text.c_str(), &failed);
  CHECK((copy != text.c_str() && text == copy && !failed));
  CHECK((memory.Copy(std::string(TypeArena::kRegionBytes, 'x').c_str(), &failed) == nullptr && failed));
  memory.Copy("fits", &failed);
  CHECK(failed);
}

}  // namespace
}  // namespace geckoprof
