#include "tools/symbols/symbol_module.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("a symbol's name and bounds, lines where there are any") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  DebugFileFinder finder(SymbolPlaces{"/nowhere", {}, false});
  const auto module = SymbolModule::Open(sample.library(), "", &finder);
  REQUIRE(module.ok());
  CHECK((*module)->has_lines());
  CHECK_FALSE((*module)->is_verified());
  CHECK((*module)->Problems().size() == 1);  // nobody knows whether it is the recorded file
  const AddressSymbols* found = nullptr;
  for (uint64_t svma = 0x1000; svma < 0x1400 && found == nullptr; ++svma) {
    const AddressSymbols* symbols = (*module)->Find(svma);
    if (symbols != nullptr && symbols->symbol == "SampleOuter") found = symbols;
  }
  REQUIRE(found != nullptr);
  CHECK(found->size_bytes > 8);
  CHECK(found->frames[0].name == found->symbol);
  CHECK(found->frames[0].line == 4);
  CHECK((*module)->Find(found->start_svma) == found);  // the same answer
  CHECK((*module)->Find(1) == nullptr);
}

TEST_CASE("the vDSO is this process's own, under either name") {
  DebugFileFinder finder(SymbolPlaces{"/nowhere", {}, false});
  for (const char* name : {"[vdso]", "linux-vdso.so.1"}) {
    CHECK(SymbolModule::Open(name, "", &finder).ok());
    CHECK(absl::IsFailedPrecondition(SymbolModule::Open(name, "another build id", &finder).status()));
  }
}

TEST_CASE("a stripped library has exported names and bounds") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run("strip -s libsample.so"));
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  const SampleFindings findings = LookThrough(symbolizer, sample.library());
  CHECK(findings.has_name);
  CHECK_FALSE(findings.has_lines);
  CHECK(symbolizer.Problems().size() == 1);  // no build id was recorded: it may be another file
}

}  // namespace
}  // namespace geckoprof
