#include "tools/symbolicate/symbolizer.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("libraries without symbols are counted by reason, once each") {
  Symbolizer symbolizer;
  CHECK(symbolizer.Find("/nowhere/lib.so", "id", 16) == nullptr);
  CHECK(symbolizer.Find("/nowhere/lib.so", "id", 32) == nullptr);
  CHECK(symbolizer.Find("/proc/self/exe", "wrong id", 16) == nullptr);
  CHECK(symbolizer.Find("/proc/self/exe", "", 1) == nullptr);
  CHECK(symbolizer.counts().unreadable == 1);
  CHECK(symbolizer.counts().mismatched == 1);
  CHECK(symbolizer.counts().loaded == 1);
  CHECK(symbolizer.counts().unknown_addresses == 4);
  CHECK(symbolizer.problems().size() == 2);
}

}  // namespace
}  // namespace geckoprof
