#include "tools/symbols/jit_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/jitdump_builder.h"

namespace geckoprof {
namespace {

Fd FileOf(const std::string& bytes) {
  Fd file(memfd_create("jitdump", MFD_CLOEXEC));
  REQUIRE(file.ok());
  REQUIRE(write(file.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return file;
}

std::unique_ptr<JitMap> MapOf(const std::string& bytes) { return JitMap::OfFile(FileOf(bytes)); }

TEST_CASE("functions of a jitdump are there from their time on") {
  JitdumpBuilder dump;
  dump.Other(2, 5);
  dump.Load(10, 0x1000, 64, 1, "first");
  dump.Load(20, 0x1000, 64, 2, "second");
  dump.Other(4, 21);
  dump.Other(3, 22);
  const auto map = MapOf(dump.bytes);
  REQUIRE(map != nullptr);
  CHECK(map->function_count() == 2);
  CHECK(map->Find(0x1010, 15).name == "first");
  CHECK(map->Find(0x1010, 20).name == "second");
  CHECK(map->HasSeveral(0x1010));
}

TEST_CASE("moved code takes its name along and leaves its place") {
  JitdumpBuilder dump;
  dump.Load(10, 0x1000, 64, 1, "moved");
  dump.Move(20, 0x1000, 0x1020, 64, 1);   // onto a part of itself
  dump.Move(30, 0x1020, 0x5000, 64, 99);  // a number that is not known: the old place tells
  dump.Move(40, 0x7000, 0x8000, 64, 98);  // of nothing that is known
  const auto map = MapOf(dump.bytes);
  REQUIRE(map != nullptr);
  CHECK(map->Find(0x1000, 10).name == "moved");
  CHECK(map->Find(0x1000, 20).name.empty());
  CHECK(map->Find(0x1020, 20).name == "moved");
  CHECK(map->Find(0x105f, 20).name == "moved");
  CHECK(map->Find(0x1020, 30).name.empty());
  CHECK(map->Find(0x5000, 30).name == "moved");
  CHECK(map->Find(0x8000, 40).name.empty());
}

TEST_CASE("the order of the records does not matter") {
  JitdumpBuilder dump;
  dump.Move(20, 0x1000, 0x2000, 64, 1);
  dump.Load(30, 0x1000, 64, 2, "second");
  dump.Load(10, 0x1000, 64, 1, "first");
  const auto map = MapOf(dump.bytes);
  REQUIRE(map != nullptr);
  CHECK(map->Find(0x1000, 10).name == "first");
  CHECK(map->Find(0x1000, 25).name.empty());
  CHECK(map->Find(0x2000, 25).name == "first");
  CHECK(map->Find(0x1000, 30).name == "second");
}

TEST_CASE("times of another clock are not compared") {
  JitdumpBuilder dump(1);
  dump.Load(900, 0x1000, 64, 1, "first");
  dump.Load(100, 0x1000, 64, 2, "second");
  const auto map = MapOf(dump.bytes);
  REQUIRE(map != nullptr);
  CHECK(map->Find(0x1000, 0).name == "second");
  CHECK_FALSE(map->Find(0x1000, 0).came_later);
}

TEST_CASE("code that is moved and whose memory is used again 10,000 times has the right name each time") {
  std::mt19937 random(3);
  constexpr uint64_t kSlots = 32, kBase = 0x7f0000001000, kSize = 48;
  std::vector<std::string> slots(kSlots);  // by place: what is there
  std::map<std::string, uint64_t> numbers;
  struct Query {
    int64_t time;
    std::vector<std::string> slots;
  };
  std::vector<Query> truth;
  JitdumpBuilder dump;
  int64_t time = 1000;
  for (int i = 0; i < 10'000; ++i, time += 10) {
    const uint64_t from = random() % kSlots, to = random() % kSlots;
    const auto avma = [](uint64_t slot) { return kBase + slot * kSize; };
    if (slots[from].empty() || i % 2 == 0) {
      const std::string name = "f" + std::to_string(i);
      numbers[name] = static_cast<uint64_t>(i);
      dump.Load(static_cast<uint64_t>(time), avma(to), kSize, static_cast<uint64_t>(i), name);
      slots[to] = name;
    } else {
      dump.Move(static_cast<uint64_t>(time), avma(from), avma(to), kSize, numbers[slots[from]]);
      const std::string moved = slots[from];
      slots[from].clear();
      slots[to] = moved;
    }
    if (i % 10 == 0) truth.push_back({time + 5, slots});
  }
  const auto map = MapOf(dump.bytes);
  REQUIRE(map != nullptr);
  size_t asked = 0, right = 0;
  for (const Query& query : truth) {
    for (uint64_t slot = 0; slot < kSlots; ++slot) {
      const JitMap::Function found = map->Find(kBase + slot * kSize + random() % kSize, query.time);
      ++asked;
      right += found.name == query.slots[slot] || (query.slots[slot].empty() && found.came_later) ? 1 : 0;
    }
  }
  CHECK(asked == 32'000);
  CHECK(right == asked);
}

TEST_CASE("a file that is cut has what is whole") {
  JitdumpBuilder dump;
  dump.Load(10, 0x1000, 8, 1, "first");
  const size_t one = dump.bytes.size();
  dump.Load(20, 0x2000, 8, 2, "second");
  for (size_t cut = 0; cut <= dump.bytes.size(); ++cut) {
    const auto map = MapOf(dump.bytes.substr(0, cut));
    const size_t functions = map != nullptr ? map->function_count() : 0;
    // The machine code itself is not needed.
    const size_t expected = cut >= one + 56 + 7 ? 2 : cut >= 40 + 56 + 6 ? 1 : 0;
    CHECK(functions == expected);
  }
}

TEST_CASE("spoiled files do no harm") {
  JitdumpBuilder dump;
  dump.Load(10, 0x1000, 8, 1, "first");
  dump.Move(15, 0x1000, 0x3000, 8, 1);
  dump.Load(20, 0x2000, 8, 2, "second");
  for (size_t at = 0; at < dump.bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string spoiled = dump.bytes;
      spoiled[at] = static_cast<char>(spoiled[at] ^ change);
      const auto map = MapOf(spoiled);
      if (map != nullptr) map->Find(0x1000);
    }
  }
  JitdumpBuilder lies;
  lies.Load(UINT64_MAX, UINT64_MAX - 3, 8, 1, "over the end");
  lies.Load(1, 0, 0, 1, "empty");
  CHECK(MapOf(lies.bytes) == nullptr);
  std::string without_end = JitdumpBuilder().bytes + std::string("\0\0\0\0\xff\xff\xff\xff", 8) + std::string(100, 'x');
  CHECK(MapOf(without_end) == nullptr);
  std::string holes = JitdumpBuilder().bytes;
  const Fd file = FileOf(holes);
  REQUIRE(ftruncate(file.number(), off_t{1} << 40) == 0);
  CHECK(JitMap::OfFile(file) == nullptr);
}

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
