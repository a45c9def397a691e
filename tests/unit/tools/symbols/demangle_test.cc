#include "tools/symbols/demangle.h"

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

TEST_CASE("both of Rust's schemes are read") {
  CHECK(Demangle("_RNvC1a1b") == "a::b");
  CHECK(Demangle("_RINvMNtCskK7mfDs1mzF_1m4deepINtB3_4WrapThReEE4showNCNvB5_4main0EB5_") ==
        "<m::deep::Wrap<(u8, &str)>>::show::<m::main::{closure#0}>");
  CHECK(Demangle("_RNvNtCs1_1m4deepu10nicode_5ya") != "_RNvNtCs1_1m4deepu10nicode_5ya");  // "ünicode" in ASCII
  CHECK(Demangle("_RNvMINvC1a1bFG1_EuEu1f") == "<()>::f");
  CHECK(Demangle("_Rust") == "_Rust");
  CHECK(Demangle("_R") == "_R");
}

TEST_CASE("what a compiler made of a function is told from it") {
  CHECK(Demangle("_Z3foov.part.0") == "foo() [clone .part.0]");
  CHECK(Demangle("_Z3foov.isra.0.cold") == "foo() [clone .isra.0] [clone .cold]");
  CHECK(Demangle("_ZN4core3fmt5write17h0123456789abcdefE.cold.1") == "core::fmt::write [clone .cold.1]");
  CHECK(Demangle("_RNvC1a1b.isra.0.cold") == "a::b [clone .isra.0] [clone .cold]");
  CHECK(Demangle("sort.constprop.0") == "sort.constprop.0");
}

TEST_CASE("the number of a module is left out") {
  CHECK(Demangle("_Z3foov.llvm.1234567890123456789") == "foo()");
  CHECK(Demangle("_Z3foov.llvm.12.cold") == "foo() [clone .cold]");
  CHECK(Demangle("_ZN4core3fmt5write17h0123456789abcdefE.llvm.123") == "core::fmt::write");
  CHECK(Demangle("_ZN26_$LT$A$u20$as$u20$b..C$GT$4drop17h0123456789abcdefE.llvm.9") == "<A as b::C>::drop");
  CHECK(Demangle("_RNvC1a1b.llvm.123") == "a::b");
  CHECK(Demangle("plain.llvm.123") == "plain");
  for (const char* const name : {".llvm.12", "a.llvm.", "a.llvm.x", "a.llvm.12x"}) CHECK(Demangle(name) == name);
}

TEST_CASE("a short Rust name that would take for ever stays as it is") {
  const std::string lifetimes = "_RNvMINvC1a1bFGzzzzzzzz_EuEu1f";
  CHECK(Demangle(lifetimes) == lifetimes);
  // A pair of the pair before, thirty times.
  std::string name = "_RIC0";
  std::string before = "C0";
  for (int i = 0; i < 30; ++i) {
    constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t at = name.size() - 2;
    name += "T" + before + before + "E";
    before = "B";
    if (at > 62) before += kDigits[(at - 1) / 62];
    before += kDigits[(at - 1) % 62];
    before += "_";
  }
  name += "E";
  CHECK(Demangle(name) == name);
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
