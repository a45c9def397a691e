#include "tools/symbols/dynamic_section.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"
#include "tools/symbols/symbol_table.h"

namespace geckoprof {
namespace {

// Takes the table of sections out of a file, as sstrip does.
std::string WithoutSections(std::string bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.resize(header.e_shoff);
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  return bytes.replace(0, sizeof(header), BytesOf(header));
}

bool HasOuter(const ElfImage& image) {
  SymbolTable table(image, nullptr);
  for (uint64_t svma = 0x1000; svma < 0x1400; ++svma) {
    const auto found = table.Find(svma);
    if (found.has_value() && found->name == "SampleOuter" && found->has_symbol && svma != found->start_svma)
      return true;
  }
  return false;
}

TEST_CASE("files without sections have names by the dynamic segment") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc"));
  const std::string style = GENERATE("gnu", "sysv", "both");
  REQUIRE(sample.Run("gcc -shared -Wl,--build-id,--hash-style=" + style + " sample.o -o libsample.so"));
  WriteBytes(sample.library(), WithoutSections(FileBytes(sample.library())));
  const auto image = ElfImage::Open(sample.library());
  REQUIRE(image.ok());
  CHECK_FALSE((*image)->HasSections());
  CHECK((*image)->BuildId().size() == 20);
  CHECK(HasOuter(**image));
  const std::vector<DynamicSection::Symbol> symbols = DynamicSection(**image).Symbols();
  CHECK(std::any_of(symbols.begin(), symbols.end(), [](const auto& each) { return each.name == "SampleOuter"; }));
}

TEST_CASE("files without sections have bounds of functions by the unwinder's header") {
  DebugInfoSample sample;
  REQUIRE(
      sample.Run("sed 's/__attribute__((noinline))/static &/; $a int SampleEntry(int x) { return SampleOuter(x); }' "
                 "sample.c >entry.c && gcc -O2 -fPIC -shared -Wl,--build-id entry.c -o libsample.so"));
  WriteBytes(sample.library(), WithoutSections(FileBytes(sample.library())));
  const auto image = ElfImage::Open(sample.library());
  REQUIRE(image.ok());
  const std::vector<FdeRange> ranges = ReadFdeRanges(**image);
  CHECK(ranges.size() >= 2);
  CHECK(std::is_sorted(ranges.begin(), ranges.end(),
                       [](const FdeRange& a, const FdeRange& b) { return a.start_svma < b.start_svma; }));
}

TEST_CASE("spoiled dynamic segments do no harm") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc"));
  const std::string bytes = WithoutSections(FileBytes(sample.library()));
  for (size_t at = 0; at < bytes.size(); at += 5) {
    std::string spoiled = bytes;
    spoiled[at] = static_cast<char>(spoiled[at] ^ 0xff);
    WriteBytes(sample.library(), spoiled);
    const auto image = ElfImage::Open(sample.library());
    if (image.ok()) HasOuter(**image);
  }
  for (size_t cut = 0; cut < bytes.size(); cut += 211) {
    WriteBytes(sample.library(), bytes.substr(0, cut));
    const auto image = ElfImage::Open(sample.library());
    if (image.ok()) HasOuter(**image);
  }
}

}  // namespace
}  // namespace geckoprof
