#include "geckoprof/modules/unwind_sections.h"

#include <catch2/catch.hpp>
#include <cstring>
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
