#include "tools/symbols/jit_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("later lines are right where they overlap earlier ones") {
  DebugInfoSample folder;
  const std::string path = folder.folder() + "/perf-7.map";
  WriteBytes(path,
             "1000 100 first function\n2000 10 second\nnonsense\n1040 10 third\nffffffffffffffff 10 over the end\n"
             "3000 0 empty\n0x4000 0x10 with prefixes\n5000 10 unfini");
  const auto map = JitMap::Load(path);
  REQUIRE(map.ok());
  CHECK((*map)->function_count() == 4);
  CHECK((*map)->Find(0xfff).name.empty());
  CHECK((*map)->Find(0x1000).name == "first function");
  CHECK((*map)->Find(0x1040).name == "third");
  CHECK((*map)->Find(0x104f).name == "third");
  CHECK((*map)->Find(0x1050).name == "first function");
  CHECK((*map)->Find(0x1100).name.empty());
  CHECK((*map)->Find(0x200f).start_avma == 0x2000);
  CHECK((*map)->Find(0x4008).name == "with prefixes");
  CHECK((*map)->Find(0x5000).name.empty());
}

TEST_CASE("lines that came while the file was watched have times") {
  DebugInfoSample folder;
  const std::string path = folder.folder() + "/perf-7.map";
  const std::string first = "1000 100 first\n", second = "1000 100 second\n", third = "1000 100 third\n";
  WriteBytes(path, first + second + third);
  const Fd file = Fd::Open(path.c_str(), O_RDONLY);
  const FileGrowth growth[] = {{100, first.size()}, {200, first.size()}, {300, (first + second + third).size()}};
  const auto map = JitMap::OfFile(file, growth);
  REQUIRE(map != nullptr);
  CHECK(map->Find(0x1000, 0).name == "first");
  CHECK(map->Find(0x1000, 220).name == "first");
  CHECK(map->Find(0x1000, 270).name == "second");
  CHECK(map->Find(0x1000, 300).name == "third");
  CHECK(map->HasSeveral(0x1000));
  // A file that shrank meanwhile, or grew after the last look.
  const FileGrowth lies[] = {{100, 5000}, {200, 3}, {300, 10}};
  REQUIRE(JitMap::OfFile(file, lies) != nullptr);
  const FileGrowth once[] = {{100, first.size()}};
  CHECK(JitMap::OfFile(file, once)->Find(0x1000, 50).name == "first");
  CHECK(JitMap::OfFile(file, once)->Find(0x1000, 150).name == "third");
}

TEST_CASE("a map larger than a portion is read whole, and up to its first zero byte") {
  DebugInfoSample folder;
  const std::string path = folder.folder() + "/perf-7.map";
  std::string text;
  char line[64];
  for (uint32_t i = 0; i < 100'000; ++i) {
    text.append(line, static_cast<size_t>(snprintf(line, sizeof(line), "%x 10 function %u\n", 0x1000 + 16 * i, i)));
  }
  REQUIRE(text.size() > size_t{2} << 20);
  WriteBytes(path, text);
  REQUIRE(truncate(path.c_str(), off_t{1} << 30) == 0);  // the rest is a hole
  const auto map = JitMap::Load(path);
  REQUIRE(map.ok());
  CHECK((*map)->function_count() == 100'000);
  for (const uint32_t i : {0u, 40'000u, 50'001u, 99'999u}) {
    CHECK((*map)->Find(0x1000 + 16 * i).name == "function " + std::to_string(i));
  }
}

TEST_CASE("a map with more functions than are kept is cut") {
  DebugInfoSample folder;
  const std::string path = folder.folder() + "/perf-7.map";
  std::string text;
  for (size_t i = 0; i < CodeTimeline::kMaxCodes + 1000; ++i) text += "1000 10 f\n";
  WriteBytes(path, text);
  const auto map = JitMap::Load(path);
  REQUIRE(map.ok());
  CHECK((*map)->function_count() == CodeTimeline::kMaxCodes);
}

TEST_CASE("files without a line are told") {
  DebugInfoSample folder;
  WriteBytes(folder.folder() + "/empty", "");
  CHECK_FALSE(JitMap::Load(folder.folder() + "/empty").ok());
  CHECK_FALSE(JitMap::Load(folder.folder()).ok());
  CHECK_FALSE(JitMap::Load("/nowhere").ok());
  CHECK_FALSE(JitMap::Load("/dev/zero").ok());
}

TEST_CASE("a process's file is believed only if it can be the process's") {
  DebugInfoSample folder;
  const std::string path = folder.folder() + "/perf-7.map";
  WriteBytes(path, "1000 100 f\n");
  const int64_t now_s = time(nullptr);
  CHECK(JitMap::OfProcess(7, now_s - 60, folder.folder()) != nullptr);
  CHECK(JitMap::OfProcess(8, now_s - 60, folder.folder()) == nullptr);
  CHECK(JitMap::OfProcess(7, now_s + 60, folder.folder()) == nullptr);  // of an earlier process
  REQUIRE(folder.Run("mv perf-7.map else && ln -s else perf-7.map"));
  CHECK(JitMap::OfProcess(7, now_s - 60, folder.folder()) == nullptr);
  if (geteuid() != 0) return;
  REQUIRE(folder.Run("rm perf-7.map && mv else perf-7.map && chown 12345 perf-7.map"));
  CHECK(JitMap::OfProcess(7, now_s - 60, folder.folder()) == nullptr);
  CHECK(JitMap::OpenOfProcess(7, now_s - 60, folder.folder(), 12345).ok());
  CHECK_FALSE(JitMap::OpenOfProcess(7, now_s - 60, folder.folder(), 12346).ok());
}

}  // namespace
}  // namespace geckoprof
