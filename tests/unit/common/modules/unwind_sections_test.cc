#include "geckoprof/modules/unwind_sections.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

using namespace geckoprof;

namespace {

// Version, encodings, pointer to .eh_frame at 0x2000 (the header is at 0x1000), three rows.
std::vector<uint8_t> Header() {
  std::vector<uint8_t> bytes = {1, 0x1b, 0x03, 0x3b};
  const auto add = [&](int32_t value) {
    uint8_t part[4];
    std::memcpy(part, &value, sizeof part);
    bytes.insert(bytes.end(), part, part + 4);
  };
  add(0x2000 - 0x1004);
  add(3);
  for (const int32_t value : {-0x800, 0x1000, 0x10, 0x1020, 0x100, 0x5000}) add(value);
  return bytes;
}

}  // namespace

TEST_CASE("the table gives the last entry at or below an address") {
  const std::vector<uint8_t> header = Header();
  const std::vector<uint8_t> eh_frame(0x100);
  UnwindSections sections;
  REQUIRE(sections.LoadFromBytes({header.data(), header.size(), 0x1000}, {eh_frame.data(), eh_frame.size(), 0x2000}));
  REQUIRE(sections.has_table());
  CHECK(sections.FindInTable(0x7ff) == UnwindSections::kNotFound);
  CHECK(sections.FindInTable(0x800) == 0);
  CHECK(sections.FindInTable(0x100f) == 0);
  CHECK(sections.FindInTable(0x1010) == 0x20);
  CHECK(sections.FindInTable(0x1100) == UnwindSections::kNotFound);  // points outside the section
  CHECK(sections.NextStartInTable(0x800) == 0x1010);
  CHECK(sections.NextStartInTable(0x1100) == 0);
}

// Rows as unevenly spread as they may be; what a search one by one finds is the truth.
TEST_CASE("a large table is searched rightly however its rows are spread") {
  for (const int spread : {0, 1, 2}) {
    constexpr int32_t kRows = 20'000;
    std::vector<uint8_t> header = {1, 0x1b, 0x03, 0x3b};
    std::vector<int32_t> starts;
    const auto add = [&](int32_t value) {
      uint8_t part[4];
      std::memcpy(part, &value, sizeof part);
      header.insert(header.end(), part, part + 4);
    };
    add(0);
    add(kRows);
    int32_t start = -100'000'000;
    for (int32_t row = 0; row < kRows; ++row) {
      const int32_t step = spread == 0 ? 16 : spread == 1 ? 1 + row / 10 : row % 5000 == 4999 ? 50'000'000 : 1;
      starts.push_back(start);
      add(start);
      add(row);
      start += step;
    }
    const std::vector<uint8_t> eh_frame(kRows);
    UnwindSections sections;
    const uint64_t base = uint64_t{1} << 32;
    REQUIRE(sections.LoadFromBytes({header.data(), header.size(), base}, {eh_frame.data(), eh_frame.size(), base}));
    size_t wrong = 0;
    for (int32_t row = 0; row < kRows; ++row) {
      const uint64_t at = base + static_cast<uint64_t>(int64_t{starts[static_cast<size_t>(row)]});
      if (sections.FindInTable(at) != static_cast<uint64_t>(row)) ++wrong;
      const uint64_t before = row == 0 ? UnwindSections::kNotFound : static_cast<uint64_t>(row) - 1;
      if (sections.FindInTable(at - 1) != before) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(sections.FindInTable(base + 0x7fffffff) == kRows - 1);
  }
}

TEST_CASE("a large table out of order gives some row or none") {
  constexpr int32_t kRows = 20'000;
  std::mt19937 random(20240229);
  std::vector<uint8_t> header = {1, 0x1b, 0x03, 0x3b};
  const auto add = [&](uint32_t value) {
    uint8_t part[4];
    std::memcpy(part, &value, sizeof part);
    header.insert(header.end(), part, part + 4);
  };
  add(0);
  add(kRows);
  for (uint32_t row = 0; row < kRows; ++row) {
    // The ends say that everything lies between them.
    add(row == 0 ? 0xc0000000 : row == kRows - 1 ? 0x3fffffff : static_cast<uint32_t>(random()));
    add(row);
  }
  const std::vector<uint8_t> eh_frame(kRows);
  UnwindSections sections;
  const uint64_t base = uint64_t{1} << 32;
  REQUIRE(sections.LoadFromBytes({header.data(), header.size(), base}, {eh_frame.data(), eh_frame.size(), base}));
  size_t found = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto distance = static_cast<int32_t>(random()) / 2;
    const uint64_t row = sections.FindInTable(base + static_cast<uint64_t>(int64_t{distance}));
    if (row != UnwindSections::kNotFound) ++found;
    REQUIRE((row == UnwindSections::kNotFound || row < kRows));
  }
  CHECK(found > 0);
}

TEST_CASE("a header that ends early or is of another kind gives a smaller table or none") {
  const std::vector<uint8_t> eh_frame(0x100);
  for (size_t size = 0; size <= Header().size(); ++size) {
    std::vector<uint8_t> header = Header();
    header.resize(size);
    UnwindSections sections;
    sections.LoadFromBytes({header.data(), header.size(), 0x1000}, {eh_frame.data(), eh_frame.size(), 0x2000});
    sections.FindInTable(0x1010);
    sections.NextStartInTable(0x1010);
    if (size < 20) CHECK_FALSE(sections.has_table());
  }
  std::vector<uint8_t> header = Header();
  header[0] = 2;
  UnwindSections sections;
  CHECK_FALSE(sections.LoadFromBytes({header.data(), header.size(), 0x1000}, {eh_frame.data(), 1, 0x2000}));
}
