#include "runtime/library_process.h"

#include <catch2/catch.hpp>

#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("a child is another process, until it is adopted") {
  CHECK(StatusInChild([] {
          LibraryProcess::Adopt();
          if (!LibraryProcess::IsThis()) return 1;
          if (StatusInChild([] { return LibraryProcess::IsThis() ? 1 : 0; }) != 0) return 2;
          return StatusInChild([] {
            LibraryProcess::Adopt();
            return LibraryProcess::IsThis() ? 0 : 3;
          });
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
