#include "preload/loader_namespace.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// What another one is told: ctest handover_namespace.
TEST_CASE("a program is in its own namespace") {
  CHECK(IsInFirstNamespace());
  FindNamespace();
  CHECK(IsInFirstNamespace());
}

}  // namespace
}  // namespace geckoprof
