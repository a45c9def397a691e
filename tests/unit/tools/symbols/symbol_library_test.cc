#include "tools/symbols/symbol_library.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

constexpr uint64_t kFirst = 0x1000, kEnd = 0x1400;  // where the sample's code is

// A sample library with a cache beside it.
struct Cached {
  Cached() : cache(sample.folder() + "/cache"), places{sample.folder() + "/debug", {}, false} {
    REQUIRE(sample.Compile("cc -g"));
    build_id = (*ElfImage::Open(sample.library()))->BuildId();
    REQUIRE(build_id.size() >= 16);
  }

  // Addresses with lines among the sample's code, and saves what was found.
  int LookUp(SymbolLibrary& library, uint64_t step = 1) const {
    int with_lines = 0;
    for (uint64_t svma = kFirst; svma < kEnd; svma += step) {
      const AddressSymbols* found = library.Find(svma);
      if (found != nullptr && found->frames.back().line != 0) ++with_lines;
    }
    library.SaveToCache();
    return with_lines;
  }

  // Likewise with a library of its own.
  int Count(uint64_t step = 1) {
    SymbolLibrary library(sample.library(), build_id, places, &cache);
    return LookUp(library, step);
  }

  // Puts an answer there that the files do not give: who finds it, was answered by the cache.
  void Forge() {
    const std::unique_ptr<CachedSymbols> known = cache.Load(build_id);
    REQUIRE(known != nullptr);
    known->Add(kFirst, &forged);
    cache.Save(build_id, *known);
  }
  bool IsForged(SymbolLibrary& library) const {
    const AddressSymbols* found = library.Find(kFirst);
    return found != nullptr && found->symbol == forged.symbol;
  }

  DebugInfoSample sample;
  SymbolCache cache;
  SymbolPlaces places;
  std::string build_id;
  const AddressSymbols forged = {"Forged", kFirst, 1, {{"Forged", "forged.c", 1, 0}}};
};

TEST_CASE("what is in the cache is not looked up again, and the rest is") {
  Cached cached;
  SymbolLibrary plain(cached.sample.library(), cached.build_id, cached.places, nullptr);
  const int with_lines = cached.LookUp(plain);
  REQUIRE(with_lines > 10);
  cached.Count(2);
  cached.Forge();
  SymbolLibrary library(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK(library.state() == SymbolLibrary::State::kLoaded);
  CHECK(library.has_lines());
  CHECK(library.first_mapped_svma() == plain.first_mapped_svma());
  CHECK(cached.IsForged(library));
  CHECK(cached.LookUp(library) == with_lines + 1);  // the forged one has a line
  CHECK(library.Problems().empty());
  // Now all of it is there.
  const std::unique_ptr<CachedSymbols> known = cached.cache.Load(cached.build_id);
  REQUIRE(known != nullptr);
  for (uint64_t svma = kFirst; svma < kEnd; ++svma) CHECK(known->Find(svma).has_value());
}

TEST_CASE("a file that has changed is read again, and so it is after a search elsewhere") {
  Cached cached;
  const int with_lines = cached.Count();
  cached.Forge();
  SECTION("the same build, copied") {
    REQUIRE(cached.sample.Run("cp libsample.so copy.so && mv copy.so libsample.so"));
  }
  SECTION("another folder to look in") { cached.places.symbol_folders.push_back(cached.sample.folder()); }
  SECTION("a debug file where there was none") {
    REQUIRE(cached.sample.Run("objcopy --only-keep-debug libsample.so libsample.debug && strip libsample.so"));
    SymbolLibrary without(cached.sample.library(), cached.build_id, cached.places, nullptr);
    CHECK_FALSE(without.has_lines());
    REQUIRE(cached.sample.Run("rm -r cache"));
    CHECK(cached.Count() == 0);
    cached.Forge();
    const std::string hex = CodeId(cached.build_id), folder = "debug/.build-id/" + hex.substr(0, 2) + "/";
    REQUIRE(cached.sample.Run("mkdir -p " + folder + " && mv libsample.debug " + folder + hex.substr(2) + ".debug"));
  }
  SymbolLibrary library(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK_FALSE(cached.IsForged(library));
  CHECK(cached.LookUp(library) == with_lines);
  SymbolLibrary again(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK_FALSE(cached.IsForged(again));
}

TEST_CASE("what is gone keeps the names that were found, and it is told") {
  Cached cached;
  const int with_lines = cached.Count();
  const std::unique_ptr<CachedSymbols> known = cached.cache.Load(cached.build_id);
  SECTION("the file") { REQUIRE(unlink(cached.sample.library().c_str()) == 0); }
  SECTION("another build took its place") { REQUIRE(cached.sample.Compile("cc -g -DTWO_SECTIONS")); }
  const auto without = SymbolLibrary(cached.sample.library(), cached.build_id, cached.places, nullptr).state();
  CHECK(without != SymbolLibrary::State::kLoaded);
  SymbolLibrary library(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK(library.state() == SymbolLibrary::State::kFromCacheAlone);
  CHECK(cached.LookUp(library) == with_lines);
  CHECK(library.Find(kEnd) == nullptr);
  CHECK(library.first_mapped_svma() == known->origin().first_mapped_svma);
  CHECK(library.Module() == nullptr);
  REQUIRE(library.Problems().size() >= 1);
  CHECK(library.Problems()[0].find("from the cache") != std::string::npos);
  CHECK(cached.Count() == with_lines);  // still
}

TEST_CASE("lines whose debug information is gone stay") {
  Cached cached;
  const int with_lines = cached.Count(2);
  REQUIRE(cached.sample.Run("strip libsample.so"));
  SymbolLibrary library(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK(library.state() == SymbolLibrary::State::kLoaded);
  CHECK(cached.LookUp(library) == with_lines);  // and the other addresses have names alone
  REQUIRE(library.Problems().size() == 1);
  CHECK(library.Problems()[0].find("from the cache") != std::string::npos);
  CHECK(cached.Count(2) == with_lines);
}

TEST_CASE("what had to be told is told again") {
  Cached cached;
  REQUIRE(cached.sample.Compile("cc -g -gsplit-dwarf"));
  cached.build_id = (*ElfImage::Open(cached.sample.library()))->BuildId();
  REQUIRE(cached.sample.Run("mv sample.dwo away.dwo"));
  SymbolLibrary first(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  cached.LookUp(first);
  REQUIRE(first.Problems().size() == 1);
  cached.Forge();
  SymbolLibrary second(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK(cached.IsForged(second));
  CHECK(second.Problems() == first.Problems());
  CHECK(second.DebugInfoProblems() == first.DebugInfoProblems());
  // The part comes back.
  REQUIRE(cached.sample.Run("mv away.dwo sample.dwo"));
  SymbolLibrary third(cached.sample.library(), cached.build_id, cached.places, &cached.cache);
  CHECK_FALSE(cached.IsForged(third));
  CHECK(third.Problems().empty());
}

TEST_CASE("without a sufficient build id nothing is kept") {
  Cached cached;
  SymbolLibrary library(cached.sample.library(), "", cached.places, &cached.cache);
  CHECK(cached.LookUp(library) > 10);
  CHECK_FALSE(FileIdentity::Of(cached.sample.folder() + "/cache").exists);
}

}  // namespace
}  // namespace geckoprof
