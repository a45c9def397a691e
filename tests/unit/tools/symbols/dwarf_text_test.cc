#include "tools/symbols/dwarf_text.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a text counts if its zero lies in the same section") {
  const char bytes[] = {'a', 'b', 0, 'c', 'd', 'e', 0};
  const auto part = [&](size_t start, size_t size) {
    return std::span(reinterpret_cast<const uint8_t*>(bytes) + start, size);
  };
  DwarfText texts;
  CHECK(texts.Bounded(bytes).empty());
  texts.AddSection(part(0, 3));
  texts.AddSection(part(3, 2));
  CHECK(texts.Bounded(bytes) == "ab");
  CHECK(texts.Bounded(bytes + 1) == "b");
  CHECK(texts.Bounded(bytes + 2).empty());
  CHECK(texts.Bounded(bytes + 3).empty());  // its zero is behind the section
  CHECK(texts.Bounded(bytes + 5).empty());
  CHECK(texts.Bounded(nullptr).empty());
}

TEST_CASE("the sections of a file that have texts") {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open("/proc/self/exe");
  REQUIRE(image.ok());
  DwarfText texts;
  texts.AddSections(**image);
  const std::span<const uint8_t> strings = (*image)->SectionBytes(".debug_str");
  if (strings.empty()) {
    WARN("this program has no debug information");
    return;
  }
  const char* first = reinterpret_cast<const char*>(strings.data());
  CHECK(texts.Bounded(first) == first);
  CHECK(texts.Bounded(first + strings.size()).empty());
}

}  // namespace
}  // namespace geckoprof
