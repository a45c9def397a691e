#include "tools/symbolicate/demangle.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("names are written as people write them") {
  CHECK(Demangle("main") == "main");
  CHECK(Demangle("_ZN3foo3barEi") == "foo::bar(int)");
  CHECK(Demangle("memcpy@@GLIBC_2.14") == "memcpy");
  CHECK(Demangle("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write");
  CHECK(Demangle("_ZN26_$LT$A$u20$as$u20$b..C$GT$4drop17h0123456789abcdefE") == "<A as b::C>::drop");
  CHECK(Demangle("_Z") == "_Z");
  CHECK(Demangle("") == "");
  const std::string endless = "_Z" + std::string(100'000, 'P');
  CHECK(Demangle(endless) == endless);
}

}  // namespace
}  // namespace geckoprof
