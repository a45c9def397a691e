#include "tools/symbols/symbol_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

const std::string kBuildId = "0123456789abcdef\x01\x02\x03\x80";

// A variable of the environment, put back in the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    Set(value);
  }
  ~Variable() { Set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  void Set(const char* value) const {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

std::string PathIn(const std::string& folder, const std::string& build_id = kBuildId) {
  return folder + "/" + CodeId(build_id) + ".symbols";
}

std::optional<mode_t> ModeOf(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_mode & 07777;
}

void SetTime(const std::string& path, time_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

const AddressSymbols kFound = {"run", 0x1000, 64, {{"run", "/src/a.cc", 12, 3}}};

void SaveSample(SymbolCache& cache, const std::string& build_id = kBuildId) {
  CachedSymbols symbols(CachedSymbols::Origin{});
  symbols.Add(0x1010, &kFound);
  cache.Save(build_id, symbols);
}

TEST_CASE("the folder is that of the environment") {
  const DebugInfoSample folder;
  const Variable cache("XDG_CACHE_HOME", "/somewhere"), home("HOME", folder.folder().c_str());
  CHECK(SymbolCache::DefaultFolder() == "/somewhere/geckoprof/symbols");
  for (const char* unusable : {"", "relative", static_cast<const char*>(nullptr)}) {
    cache.Set(unusable);
    CHECK(SymbolCache::DefaultFolder() == folder.folder() + "/.cache/geckoprof/symbols");
  }
  for (const char* unusable : {"", "relative", "/nowhere", static_cast<const char*>(nullptr)}) {
    home.Set(unusable);
    CHECK(SymbolCache::DefaultFolder().empty());
  }
  struct stat status;
  if (stat("/proc/1/ns", &status) == 0 && status.st_uid != geteuid()) {
    home.Set("/proc/1");
    CHECK(SymbolCache::DefaultFolder().empty());
  }
}

TEST_CASE("only what a build id names for sure is held") {
  CHECK(SymbolCache::MayHold("/lib/a.so", kBuildId));
  CHECK(SymbolCache::MayHold("/lib/a.so", kBuildId.substr(0, 16)));
  CHECK_FALSE(SymbolCache::MayHold("/lib/a.so", kBuildId.substr(0, 15)));
  CHECK_FALSE(SymbolCache::MayHold("/lib/a.so", std::string(65, 'x')));
  CHECK_FALSE(SymbolCache::MayHold("/lib/a.so", ""));
  CHECK_FALSE(SymbolCache::MayHold("[vdso]", kBuildId));
}

TEST_CASE("what was saved is loaded by build id, and nobody else may read it") {
  const DebugInfoSample folder;
  const std::string place = folder.folder() + "/a/b";
  SymbolCache cache(place);
  CHECK(cache.Load(kBuildId) == nullptr);
  CHECK_FALSE(ModeOf(place).has_value());  // reading makes nothing
  SaveSample(cache);
  CHECK(cache.problem().empty());
  CHECK(ModeOf(place) == 0700);
  CHECK(ModeOf(folder.folder() + "/a") == 0700);
  CHECK(ModeOf(PathIn(place)) == 0600);
  SetTime(PathIn(place), 1'000'000'000);
  const std::unique_ptr<CachedSymbols> symbols = cache.Load(kBuildId);
  REQUIRE(symbols != nullptr);
  CHECK(symbols->Find(0x1010).value_or(nullptr) != nullptr);
  CHECK(FileIdentity::Of(PathIn(place)).modified_ns > 1'000'000'001'000'000'000);  // used now
  CHECK(cache.Load(kBuildId.substr(0, 16)) == nullptr);
  // Under a foreign name it is not that library's.
  REQUIRE(rename(PathIn(place).c_str(), PathIn(place, kBuildId.substr(0, 16)).c_str()) == 0);
  CHECK(cache.Load(kBuildId.substr(0, 16)) == nullptr);
}

TEST_CASE("what is no file of the user's own is neither read nor written through") {
  const DebugInfoSample folder;
  const std::string place = folder.folder(), other = place + "/other";
  SymbolCache cache(place);
  SaveSample(cache);
  REQUIRE(rename(PathIn(place).c_str(), other.c_str()) == 0);
  REQUIRE(symlink(other.c_str(), PathIn(place).c_str()) == 0);
  CHECK(cache.Load(kBuildId) == nullptr);
  WriteBytes(other, "precious");
  SaveSample(cache);
  CHECK(FileBytes(other) == "precious");
  CHECK(cache.Load(kBuildId) != nullptr);
  REQUIRE(chmod(PathIn(place).c_str(), 0666) == 0);
  SaveSample(cache);
  CHECK(ModeOf(PathIn(place)) == 0600);
  REQUIRE(unlink(PathIn(place).c_str()) == 0);
  REQUIRE(mkfifo(PathIn(place).c_str(), 0600) == 0);
  CHECK(cache.Load(kBuildId) == nullptr);  // and does not wait
  SaveSample(cache);
  CHECK(cache.Load(kBuildId) != nullptr);
  if (geteuid() == 0) {
    REQUIRE(chown(PathIn(place).c_str(), 12345, 12345) == 0);
    CHECK(cache.Load(kBuildId) == nullptr);
  }
}

TEST_CASE("a folder that cannot be written is one problem") {
  for (const char* place : {"/dev/null/symbols", "/proc/self/fdinfo"}) {
    SymbolCache cache(place);
    SaveSample(cache);
    const std::string problem = cache.problem();
    CHECK(!problem.empty());
    SaveSample(cache, kBuildId + "2");
    CHECK(cache.problem() == problem);
    CHECK(cache.Load(kBuildId) == nullptr);
  }
}

TEST_CASE("files that are too large are neither written nor read") {
  const DebugInfoSample folder;
  SymbolCache whole(folder.folder()), small(folder.folder(), {100, 1 << 20});
  SaveSample(small);
  CHECK(!small.problem().empty());
  CHECK_FALSE(ModeOf(PathIn(folder.folder())).has_value());
  SaveSample(whole);
  CHECK(whole.Load(kBuildId) != nullptr);
  CHECK(small.Load(kBuildId) == nullptr);
}

TEST_CASE("the files that were not used for the longest time make room, and no others") {
  const DebugInfoSample folder;
  const std::string place = folder.folder() + "/cache";
  const auto id = [](int number) { return kBuildId + std::to_string(number); };
  SymbolCache unlimited(place);
  for (int i = 0; i < 4; ++i) {
    SaveSample(unlimited, id(i));
    SetTime(PathIn(place, id(i)), 1'000'000'000 - i);  // the last is the oldest
  }
  const uint64_t size_bytes = FileIdentity::Of(PathIn(place, id(0))).size_bytes;
  const std::string foreign = place + "/notes.symbols", hexadecimal = place + "/" + CodeId(kBuildId);
  for (const std::string& path : {foreign, hexadecimal}) {
    WriteBytes(path, std::string(10 * size_bytes, 'x'));
    SetTime(path, 1);
  }
  SymbolCache limited(place, {1 << 20, 3 * size_bytes});
  REQUIRE(limited.Load(id(3)) != nullptr);  // which makes it the newest
  SaveSample(limited, id(4));
  CHECK(limited.problem().empty());
  for (const int kept : {0, 3, 4}) CHECK(ModeOf(PathIn(place, id(kept))).has_value());
  for (const int removed : {1, 2}) CHECK_FALSE(ModeOf(PathIn(place, id(removed))).has_value());
  CHECK(ModeOf(foreign).has_value());
  CHECK(ModeOf(hexadecimal).has_value());
}

}  // namespace
}  // namespace geckoprof
