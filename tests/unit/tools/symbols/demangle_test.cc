#include "tools/symbols/demangle.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <string>

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

// A reference of Rust's newer scheme to the part that begins at `position` behind "_R". The position is not 0.
std::string ReferenceTo(size_t position) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text = "_";
  for (size_t number = position - 1;; number /= kDigits.size()) {
    text.insert(text.begin(), kDigits[number % kDigits.size()]);
    if (number < kDigits.size()) return "B" + text;
  }
}

constexpr size_t kTypeStart = 3;

// A name with the arguments `type`, a pair of the part that begins at `part`, a pair of that pair, and so on.
std::string RustNameOfPairs(const std::string& type, size_t part, int pairs) {
  std::string name = "IC0" + type;
  for (int i = 0; i < pairs; ++i) {
    const std::string before = ReferenceTo(part);
    part = name.size();
    name += "T" + before + before + "E";
  }
  return "_R" + name + "E";
}

TEST_CASE("a count of lifetimes does not keep libiberty busy") {
  CHECK(Demangle("_RNvMINvC1a1bFG9_EuEu1f") == "<()>::f");
  CHECK(Demangle("_RNvMINvC1a1bFGzzzzzzzz_EuEu1f") == "<()>::f");
  CHECK(Demangle("_RINvC1a1bDGzzzzzzzz_C1cEL_E") != "");
  CHECK(Demangle("_RNvCs3FGzzzzzz_1a1b") == "a::b");    // the hash of a crate
  CHECK(Demangle("_RNvNtC1a4CFGx1b") == "a::CFGx::b");  // an identifier, and no count
  const std::string doubtful = "_RNvC1a8CFGx_yzw";      // "CFG0_yzw" would be wrong
  CHECK(Demangle(doubtful) == doubtful);
}

TEST_CASE("a Rust name that would take for ever stays as it is") {
  const auto seconds_for = [](const std::string& name) {
    const clock_t start = clock();
    CHECK(Demangle(name) == name);
    return static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
  };
  CHECK(seconds_for(RustNameOfPairs("C0", kTypeStart, 30)) < 1);
  // libiberty reads the path of an `impl` again at each reference to the type, and writes four bytes.
  std::string impl = "MINvC00";
  while (impl.size() < 3'900) impl += "FG9_Eu";
  impl += "Eu";
  CHECK(Demangle(RustNameOfPairs(impl, kTypeStart, 1)) == "::<<()>, (<()>, <()>)>");
  CHECK(seconds_for(RustNameOfPairs(impl, kTypeStart, 14)) < 1);
  // It follows a chain of references and writes nothing.
  std::string chain = "TC0";
  size_t last = kTypeStart + 1;
  for (int i = 0; i < 900; ++i) {
    const size_t at = kTypeStart + chain.size();
    chain += ReferenceTo(last);
    last = at;
  }
  chain += "E";
  CHECK(Demangle(RustNameOfPairs(chain, last, 1)).ends_with(", , ), (, )>"));
  CHECK(seconds_for(RustNameOfPairs(chain, last, 14)) < 1);
  for (const char* const part : {"R", "Y", "T", "Nv", "M", "B_"}) {
    std::string nested = "_RINvC1a1b";
    while (nested.size() < 100'000) nested += part;
    CHECK(seconds_for(nested) < 1);
    CHECK(seconds_for(nested.substr(0, 4'000)) < 1);
  }
}

TEST_CASE("names that are too expensive together stay as they are") {
  Demangler by_text(Demangler::kMostNs, /*most_text_bytes=*/100);
  const std::string deep = "_Z1f" + std::string(2'000, 'P') + "i";
  CHECK(by_text.Demangle("_Z1fi") == "f(int)");
  CHECK(by_text.Demangle(deep) == Demangle(deep));
  while (by_text.left_mangled() == 0) by_text.Demangle(deep);
  CHECK(by_text.Demangle("_Z1fi") == "_Z1fi");
  CHECK(by_text.Demangle("main") == "main");
  CHECK(by_text.left_mangled() == 2);
  Demangler by_time(/*most_ns=*/-1);
  CHECK(by_time.Demangle("_Z1fi") == "_Z1fi");
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
