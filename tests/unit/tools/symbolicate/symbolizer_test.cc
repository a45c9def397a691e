#include "tools/symbolicate/symbolizer.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
