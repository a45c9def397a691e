#include "runtime/memory_guard.h"

#include <catch2/catch.hpp>
#include <new>

namespace geckoprof {
namespace {

TEST_CASE("memory that runs out is an answer, not the end") {
  bool ran = false;
  CHECK(RunUnlessOutOfMemory([](void* argument) { *static_cast<bool*>(argument) = true; }, &ran));
  CHECK(ran);
  CHECK_FALSE(RunUnlessOutOfMemory([](void*) { throw std::bad_alloc(); }, nullptr));
}

}  // namespace
}  // namespace geckoprof
