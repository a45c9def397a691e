#include "tools/symbols/symbolizer.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

__attribute__((noinline)) void TextOfThisProgram() { asm volatile(""); }

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
  CHECK(symbolizer.Problems().size() >= 2);  // and that nobody knows which build this program is
}

TEST_CASE("addresses as profiles count them, and what is being read") {
  Symbolizer symbolizer;
  std::vector<std::string> watched;
  symbolizer.set_watcher([&](const std::string& path) { watched.push_back(path); });
  SymbolModule* module = symbolizer.Module("/proc/self/exe", "");
  REQUIRE(module != nullptr);
  const uint64_t first = module->first_mapped_svma();
  CHECK(first % 4096 == 0);
  // Wherever this program's own text is.
  Dl_info here;
  REQUIRE(dladdr(reinterpret_cast<void*>(&TextOfThisProgram), &here) != 0);
  const uint64_t text = reinterpret_cast<uintptr_t>(&TextOfThisProgram) - reinterpret_cast<uintptr_t>(here.dli_fbase);
  constexpr uint64_t kReachBytes = 0x8000;
  const uint64_t start = text > kReachBytes ? (text - kReachBytes) & ~uint64_t{63} : 0;
  int named = 0;
  for (uint64_t at = start; at < start + 2 * kReachBytes; at += 64) {
    const AddressSymbols* found = symbolizer.FindRelative("/proc/self/exe", "", at);
    CHECK(found == symbolizer.Find("/proc/self/exe", "", at + first));
    named += found != nullptr ? 1 : 0;
  }
  CHECK(named > 100);
  CHECK(watched.size() == 2 * 2 * kReachBytes / 64);
  const AddressSymbols* found = symbolizer.FindRelative("/proc/self/exe", "", text);
  REQUIRE(found != nullptr);
  CHECK(found->symbol.find("TextOfThisProgram") != std::string::npos);
  CHECK(symbolizer.counts().loaded == 1);
}

TEST_CASE("with a cache a library that is gone is counted by that") {
  const DebugInfoSample sample;
  REQUIRE(sample.Compile("cc -g"));
  const std::string build_id = (*ElfImage::Open(sample.library()))->BuildId();
  SymbolCache cache(sample.folder() + "/cache");
  const SymbolPlaces places{"/nowhere", {}, false};
  Symbolizer first(places, &cache);
  CHECK(LookThrough(first, sample.library(), build_id).has_inlined);
  first.SaveToCache();
  Symbolizer second(places, &cache);
  CHECK(LookThrough(second, sample.library(), build_id).has_inlined);
  CHECK(second.counts().loaded == 1);
  CHECK(second.counts().with_lines == 1);
  CHECK(second.counts().unknown_addresses == first.counts().unknown_addresses);
  REQUIRE(sample.Run("rm libsample.so"));
  Symbolizer third(places, &cache);
  const SampleFindings findings = LookThrough(third, sample.library(), build_id);
  CHECK(findings.has_inlined);
  CHECK_FALSE(findings.has_wrong);
  CHECK(third.counts().from_cache_alone == 1);
  CHECK(third.counts().loaded + third.counts().unreadable == 0);
  CHECK(third.counts().with_lines == 1);
  CHECK(third.Module(sample.library(), build_id) == nullptr);
  CHECK(third.FirstMappedSvma(sample.library(), build_id) == first.FirstMappedSvma(sample.library(), build_id));
}

}  // namespace
}  // namespace geckoprof
