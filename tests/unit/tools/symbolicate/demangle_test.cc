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

TEST_CASE("a short name that stands for a huge text stays as it is") {
  // Each part is a pair of the part before: A, P<A, A>, P<P<A, A>, P<A, A>>, ...
  std::string name = "_Z1f1A1PIS_S_E";
  std::string back = "S1_";
  for (const char digit : std::string("23456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    name += "S0_I" + back + back + "E";
    if (digit == '6') CHECK(Demangle(name).size() > 100);
    back = std::string("S") + digit + "_";
  }
  CHECK(Demangle(name) == name);
}

}  // namespace
}  // namespace geckoprof
