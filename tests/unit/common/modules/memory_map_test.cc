#include "geckoprof/modules/memory_map.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using geckoprof::MapsLine;

namespace {

// Appends the lines of `text`, which they borrow from. Gives the number of those that could not be read.
size_t ReadLines(std::string_view text, std::vector<MapsLine>& lines) {
  size_t unreadable = 0;
  while (!text.empty()) {
    MapsLine line;
    if (geckoprof::NextMapsLine(text, line)) {
      lines.push_back(line);
    } else {
      ++unreadable;
    }
  }
  return unreadable;
}

}  // namespace

TEST_CASE("a file mapping is read with all its fields") {
  std::vector<MapsLine> lines;
  REQUIRE(ReadLines("7f2c1a026000-7f2c1a17c000 r-xp 00026000 08:1f 1835                       /usr/lib/libc.so.6\n",
                    lines) == 0);
  REQUIRE(lines.size() == 1);
  const MapsLine& region = lines[0];
  CHECK(region.start_avma == 0x7f2c1a026000);
  CHECK(region.end_avma == 0x7f2c1a17c000);
  CHECK(region.file_offset == 0x26000);
  CHECK((region.readable && !region.writable && region.executable && !region.deleted));
  CHECK((region.dev_major == 8 && region.dev_minor == 0x1f && region.inode == 1835));
  CHECK(region.path == "/usr/lib/libc.so.6");
}

TEST_CASE("paths with spaces, newlines and the deleted mark") {
  std::vector<MapsLine> lines;
  REQUIRE(ReadLines("1000-2000 r--p 00000000 00:01 7 /tmp/a b  c\n"
                    "2000-3000 r--p 00000000 00:01 8 /tmp/x (deleted)\n"
                    "3000-4000 r--p 00000000 00:01 9 /tmp/line\\012two\n"
                    "4000-5000 rw-p 00000000 00:00 0 \n"
                    "5000-6000 rw-p 00000000 00:00 0\n"
                    "6000-7000 r-xp 00000000 00:00 0                          [vdso]",
                    lines) == 0);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].path == "/tmp/a b  c");
  CHECK((lines[1].path == "/tmp/x" && lines[1].deleted));
  CHECK(geckoprof::UnescapeMapsPath(lines[2].path) == "/tmp/line\ntwo");
  CHECK(lines[3].path.empty());
  CHECK(lines[4].path.empty());
  CHECK(lines[5].path == "[vdso]");
}

TEST_CASE("lines that are none are counted and passed over") {
  std::vector<MapsLine> lines;
  CHECK(ReadLines("garbage\n"
                  "1000-1000 r--p 00000000 00:01 7 /empty\n"
                  "2000-1000 r--p 00000000 00:01 7 /backwards\n"
                  "11112222333344445555-2 r--p 00000000 00:01 7 /too-long\n"
                  "1000-2000 q--p 00000000 00:01 7 /flags\n"
                  "1000-2000 r--p 00000000 00:01\n"
                  "\n"
                  "1000-2000 r--p 00000000 00:01 7 /good\n",
                  lines) == 7);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].path == "/good");
}

TEST_CASE("random bytes do no harm") {
  std::mt19937 random(20240229);
  const std::string good = "7f2c1a026000-7f2c1a17c000 r-xp 00026000 08:1f 1835 /usr/lib/libc.so.6 (deleted)\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text = good + good;
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % (text.size() + 1));
    std::vector<MapsLine> lines;
    ReadLines(text, lines);
    for (const MapsLine& region : lines) REQUIRE(region.start_avma < region.end_avma);
  }
}
