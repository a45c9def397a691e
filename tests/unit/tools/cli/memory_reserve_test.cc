#include "tools/cli/memory_reserve.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <new>

#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

TEST_CASE("the reserve is given back when memory runs out, and once only") {
  if (kIsSanitized) return;  // to its allocator so large a request is a fault
  CHECK_FALSE(MemoryReserve::IsHeld());
  for (int round = 0; round < 2; ++round) {
    const MemoryReserve reserve;
    CHECK(MemoryReserve::IsHeld());
    for (int failure = 0; failure < 2; ++failure) {
      volatile size_t too_many_bytes = PTRDIFF_MAX;
      CHECK_THROWS_AS(::operator delete(::operator new(too_many_bytes)), std::bad_alloc);
      CHECK_FALSE(MemoryReserve::IsHeld());
    }
  }
  { const MemoryReserve reserve; }
  CHECK_FALSE(MemoryReserve::IsHeld());
  CHECK(std::get_new_handler() == nullptr);
}

}  // namespace
}  // namespace geckoprof
