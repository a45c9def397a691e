#include "geckoprof/modules/memory_map.h"

#include <catch2/catch.hpp>
#include <random>

using geckoprof::MappedRegion;
using geckoprof::ParseMaps;

TEST_CASE("a file mapping is read with all its fields") {
  std::vector<MappedRegion> regions;
  REQUIRE(ParseMaps("7f2c1a026000-7f2c1a17c000 r-xp 00026000 08:1f 1835                       /usr/lib/libc.so.6\n",
                    regions) == 0);
  REQUIRE(regions.size() == 1);
  const MappedRegion& region = regions[0];
  CHECK(region.start_avma == 0x7f2c1a026000);
  CHECK(region.end_avma == 0x7f2c1a17c000);
  CHECK(region.file_offset == 0x26000);
  CHECK((region.readable && !region.writable && region.executable && !region.deleted));
  CHECK((region.dev_major == 8 && region.dev_minor == 0x1f && region.inode == 1835));
  CHECK(region.path == "/usr/lib/libc.so.6");
}

TEST_CASE("paths with spaces, newlines and the deleted mark") {
  std::vector<MappedRegion> regions;
  REQUIRE(ParseMaps("1000-2000 r--p 00000000 00:01 7 /tmp/a b  c\n"
                    "2000-3000 r--p 00000000 00:01 8 /tmp/x (deleted)\n"
                    "3000-4000 r--p 00000000 00:01 9 /tmp/line\\012two\n"
                    "4000-5000 rw-p 00000000 00:00 0 \n"
                    "5000-6000 rw-p 00000000 00:00 0\n"
                    "6000-7000 r-xp 00000000 00:00 0                          [vdso]",
                    regions) == 0);
  REQUIRE(regions.size() == 6);
  CHECK(regions[0].path == "/tmp/a b  c");
  CHECK((regions[1].path == "/tmp/x" && regions[1].deleted));
  CHECK(regions[2].path == "/tmp/line\ntwo");
  CHECK(regions[3].path.empty());
  CHECK(regions[4].path.empty());
  CHECK(regions[5].path == "[vdso]");
}

TEST_CASE("lines that are none are counted and passed over") {
  std::vector<MappedRegion> regions;
  CHECK(ParseMaps("garbage\n"
                  "1000-1000 r--p 00000000 00:01 7 /empty\n"
                  "2000-1000 r--p 00000000 00:01 7 /backwards\n"
                  "11112222333344445555-2 r--p 00000000 00:01 7 /too-long\n"
                  "1000-2000 q--p 00000000 00:01 7 /flags\n"
                  "1000-2000 r--p 00000000 00:01\n"
                  "\n"
                  "1000-2000 r--p 00000000 00:01 7 /good\n",
                  regions) == 6);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].path == "/good");
}

TEST_CASE("random bytes do no harm") {
  std::mt19937 random(20240229);
  const std::string good = "7f2c1a026000-7f2c1a17c000 r-xp 00026000 08:1f 1835 /usr/lib/libc.so.6 (deleted)\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text = good + good;
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % (text.size() + 1));
    std::vector<MappedRegion> regions;
    ParseMaps(text, regions);
    for (const MappedRegion& region : regions) REQUIRE(region.start_avma < region.end_avma);
  }
}
