#include "tools/symbols/rust_symbol_parser.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

bool IsSound(std::string_view name) { return RustSymbolParser::IsSound(name); }

TEST_CASE("names that compilers write are sound") {
  for (const char* const name : {
           "_RNvC1a1b", "_RNvNtCsgEmfK2I1SDS_4core5slice5index",
           "_RINvMNtCskK7mfDs1mzF_1m4deepINtB3_4WrapThReEE4showNCNvB5_4main0EB5_",
           "_RINvNtC3std3mem8align_ofjdE",               // types
           "_RNvXs_C1aAhj4_NtB4_2Tr2go",                 // an array and a trait
           "_RINvC1a1bFUKCTjRhQhPhOhSeEEuE",             // unsafe extern "C" fn(...)
           "_RINvC1a1bDG_INtC1a2FnRL0_hEp6OutputuEL_E",  // dyn for<'a> Fn(&'a u8) -> ()
           "_RINvC1a1bKj1f_Kb1_Kc61_Kin5_KpE",           // constants
           "_RNvC1au10nicode_5ya",                       // other letters
           "_RNvC1a2_1x",                                // a digit comes first
       }) {
    INFO(name);
    CHECK(IsSound(name));
  }
}

TEST_CASE("what does not follow the grammar is not sound") {
  for (const char* const name : {"", "_R", "_RNvC1a", "_RNvC1a9b", "_RNvC1a1bX", "_RINvC1a1bE0", "_RINvC1a1bh", "R",
                                 "_RINvC1a1bKf1_E", "_RNvC1a99999999999999999999b", "_RNvC1a1b1c", "_ZN1a1bE"}) {
    INFO(name);
    CHECK_FALSE(IsSound(name));
  }
}

TEST_CASE("no more lifetimes than bytes") {
  CHECK(IsSound("_RNvMINvC1a1bFG1_EuEu1f"));
  CHECK_FALSE(IsSound("_RNvMINvC1a1bFGz_EuEu1f"));
  CHECK_FALSE(IsSound("_RNvMINvC1a1bFGzzzzzzzzzzzzzzzzzzzz_EuEu1f"));
  CHECK_FALSE(IsSound("_RINvC1a1bDGzz_INtC1a2FnRL0_hEp6OutputuEL_E"));
}

TEST_CASE("a reference leads to what was read before") {
  CHECK(IsSound("_RINvC1a1bNtB2_1cE"));         // the crate
  CHECK_FALSE(IsSound("_RINvC1a1bNtBz_1cE"));   // behind the name
  CHECK_FALSE(IsSound("_RINvC1a1bNtB7_1cE"));   // itself
  CHECK_FALSE(IsSound("_RINvC1a1bNtB3_1cE"));   // into an identifier
  CHECK_FALSE(IsSound("_RINvC6FGzz_E1bB4_E"));  // where an identifier reads like a type
}

TEST_CASE("parts do not stand in one another for ever") {
  const auto nested = [](size_t depth) { return "_RINvC1a1b" + std::string(depth, 'R') + "hE"; };
  CHECK(IsSound(nested(100)));
  CHECK_FALSE(IsSound(nested(1'000)));
  CHECK_FALSE(IsSound(nested(100'000)));
  CHECK_FALSE(IsSound("_R" + std::string(100'000, 'Y')));
}

}  // namespace
}  // namespace geckoprof
