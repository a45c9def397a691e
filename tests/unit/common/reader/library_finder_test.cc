#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "stack_reader.h"

namespace geckoprof {
namespace {

LibraryRow Library(uint64_t start, uint64_t end, int64_t mapped_ns, int64_t unmapped_ns = 0) {
  LibraryRow row;
  row.start_avma = start;
  row.end_avma = end;
  row.mapped_ns = mapped_ns;
  row.unmapped_ns = unmapped_ns;
  return row;
}

TEST_CASE("bounds: the first byte is inside, the end is not") {
  const std::vector<LibraryRow> libraries = {Library(0x1000, 0x2000, 0), Library(0x3000, 0x4000, 0)};
  LibraryFinder finder(libraries);
  CHECK(finder.At(0x1000) == kNone);  // no time yet
  finder.MoveTo(0, 0);
  CHECK(finder.At(0xfff) == kNone);
  CHECK(finder.At(0x1000) == 0);
  CHECK(finder.At(0x1fff) == 0);
  CHECK(finder.At(0x2000) == kNone);
  CHECK(finder.At(0x3800) == 1);
  CHECK(finder.At(0x4000) == kNone);
  CHECK(finder.At(UINT64_MAX) == kNone);
}

TEST_CASE("a library answers from its mapping to its unmapping") {
  const std::vector<LibraryRow> libraries = {Library(0x1000, 0x3000, 10, 50), Library(0x2000, 0x4000, 50)};
  LibraryFinder finder(libraries);
  finder.MoveTo(0, 9);
  CHECK(finder.At(0x1000) == kNone);
  finder.MoveTo(9, 49);  // mapped within the stretch
  CHECK(finder.At(0x2000) == 0);
  finder.MoveTo(40, 60);  // both were there at some time of it: the later row
  CHECK(finder.At(0x2000) == 1);
  CHECK(finder.At(0x1000) == 0);
  finder.MoveTo(50, 60);  // gone at its very end
  CHECK(finder.At(0x1000) == kNone);
  CHECK(finder.At(0x2000) == 1);
}

TEST_CASE("time does not go back: what is gone may have been forgotten") {
  const std::vector<LibraryRow> libraries = {Library(0x1000, 0x3000, 10, 50)};
  LibraryFinder finder(libraries);
  finder.MoveTo(50, 60);
  finder.MoveTo(0, 20);
  CHECK(finder.At(0x1000) == kNone);
}

TEST_CASE("without libraries, or with one without bytes, nothing is found") {
  const std::vector<LibraryRow> none;
  LibraryFinder empty(none);
  empty.MoveTo(0, 100);
  CHECK(empty.At(0) == kNone);
  const std::vector<LibraryRow> libraries = {Library(0x1000, 0x1000, 0), Library(0x2000, 0x1000, 0)};
  LibraryFinder finder(libraries);
  finder.MoveTo(0, 100);
  CHECK(finder.At(0x1000) == kNone);
}

TEST_CASE("the same answers as looking at each library in turn") {
  std::mt19937 random(11);
  for (size_t count : {1, 2, 3, 7, 64, 200}) {
    std::vector<LibraryRow> libraries;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t start = random() % 500;
      const int64_t mapped_ns = static_cast<int64_t>(random() % 1000);
      const int64_t lived_ns = static_cast<int64_t>(random() % 300);
      libraries.push_back(
          Library(start, start + 1 + random() % 100, mapped_ns, random() % 3 == 0 ? 0 : mapped_ns + lived_ns));
    }
    LibraryFinder finder(libraries);
    for (int64_t begin_ns = 0; begin_ns < 1300; begin_ns += 40) {
      const int64_t last_ns = begin_ns + 35;
      finder.MoveTo(begin_ns, last_ns);
      for (uint64_t address = 0; address < 620; address += 3) {
        int32_t expected = kNone;
        for (size_t i = 0; i < count; ++i) {
          const LibraryRow& library = libraries[i];
          if (address < library.start_avma || address >= library.end_avma || library.mapped_ns > last_ns) continue;
          if (library.unmapped_ns == 0 || library.unmapped_ns > begin_ns) expected = static_cast<int32_t>(i);
        }
        REQUIRE(finder.At(address) == expected);
      }
    }
  }
}

// Looked at one by one these would be 40,000 million.
TEST_CASE("many libraries that came and went at one place do not slow the search down") {
  std::vector<LibraryRow> libraries;
  for (int64_t i = 0; i < 200'000; ++i) libraries.push_back(Library(0x1000, 0x2000, i, i + 1));
  LibraryFinder finder(libraries);
  int32_t wrong = 0;
  for (int32_t i = 0; i < 200'000; ++i) {
    finder.MoveTo(i, i);
    wrong += finder.At(0x1800) != i;
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace geckoprof
