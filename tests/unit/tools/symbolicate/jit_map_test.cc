#include "tools/symbolicate/jit_map.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <ctime>

#include "tests/unit/tools/symbolicate/debug_info_sample.h"

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
}

}  // namespace
}  // namespace geckoprof
