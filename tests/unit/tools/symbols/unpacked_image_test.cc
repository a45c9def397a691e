#include "tools/symbols/unpacked_image.h"

#include <zstd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {
namespace {

std::string Frame(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size_bytes = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3);
  REQUIRE(ZSTD_isError(size_bytes) == 0);
  packed.resize(size_bytes);
  return packed;
}

std::string Header(uint64_t size_bytes, uint32_t type = 2) {
  Elf64_Chdr header = {};
  header.ch_type = type;
  header.ch_size = size_bytes;
  header.ch_addralign = 1;
  return BytesOf(header);
}

// The bytes of a .debug_str section after unpacking that is compressed and has these in the file.
std::string Unpacked(const std::string& section) {
  ElfFileBuilder file;
  file.Add(".text", SHT_PROGBITS, "code");
  const uint32_t number = file.Add(".debug_str", SHT_PROGBITS, section);
  file.Section(number).sh_flags = SHF_COMPRESSED;
  file.Add(".debug_line", SHT_PROGBITS, "lines");
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  const std::unique_ptr<ElfImage> unpacked = WithUnpackedSections(*std::move(image));
  const auto lines = unpacked->SectionBytes(".debug_line");
  CHECK(std::string(lines.begin(), lines.end()) == "lines");
  const auto bytes = unpacked->SectionBytes(".debug_str");
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("sections that are compressed with zstd are unpacked") {
  const std::string text(100'000, 'x');
  CHECK(Unpacked(Header(text.size()) + Frame(text)) == text);
  CHECK(Unpacked(Header(10) + Frame("first") + Frame("other")) == "firstother");
}

TEST_CASE("sections that claim to unpack to far more than real ones are not unpacked") {
  const std::string zeros(size_t{256} << 20, '\0'), packed = Frame(zeros);
  REQUIRE(packed.size() < size_t{1} << 20);
  CHECK(Unpacked(Header(zeros.size()) + packed).empty());
  ElfFileBuilder file;
  const uint32_t number = file.Add(".debug_str", SHT_PROGBITS, Header(uint64_t{1} << 30, ELFCOMPRESS_ZLIB) + "short");
  file.Section(number).sh_flags = SHF_COMPRESSED;
  const absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  CHECK((*image)->HasOversizedSection());
  CHECK((*image)->SectionBytes(".debug_str").empty());
  ElfFileBuilder older;
  older.Add(".zdebug_str", SHT_PROGBITS, std::string("ZLIB\0\0\0\0\x40\0\0\0short", 17));
  const absl::StatusOr<std::unique_ptr<ElfImage>> older_image = ElfImage::Open(older.Write());
  REQUIRE(older_image.ok());
  CHECK((*older_image)->HasOversizedSection());
  CHECK((*older_image)->SectionBytes(".debug_str").empty());
}

TEST_CASE("sections that are not what they say stay out") {
  const std::string text(10'000, 'x'), packed = Frame(text);
  CHECK(Unpacked(Header(text.size() - 1) + packed).empty());
  CHECK(Unpacked(Header(text.size() + 1) + packed).empty());
  CHECK(Unpacked(Header(UINT64_MAX) + packed).empty());
  CHECK(Unpacked(Header(uint64_t{7} << 30) + packed).empty());
  CHECK(Unpacked(Header(0) + packed).empty());
  CHECK(Unpacked(Header(text.size())).empty());
  CHECK(Unpacked(Header(text.size()) + "nonsense").empty());
  for (size_t cut = 0; cut < packed.size(); ++cut) CHECK(Unpacked(Header(text.size()) + packed.substr(0, cut)).empty());
  for (size_t at = 0; at < packed.size(); ++at) {
    std::string spoiled = packed;
    spoiled[at] = static_cast<char>(spoiled[at] ^ 0x55);
    Unpacked(Header(text.size()) + spoiled);
  }
}

TEST_CASE("files without such sections stay as they are") {
  ElfFileBuilder file;
  const uint32_t number = file.Add(".debug_str", SHT_PROGBITS, "short");
  file.Section(number).sh_flags = SHF_COMPRESSED;
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  const ElfImage* const before = image->get();
  CHECK(WithUnpackedSections(*std::move(image)).get() == before);
}

TEST_CASE("debug information that is compressed with zstd has lines and inlined functions") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile(GENERATE("gcc -g", "gcc -gdwarf-4")));
  if (!sample.Run("objcopy --compress-debug-sections=zstd libsample.so")) {
    WARN("objcopy cannot compress with zstd");
    return;
  }
  const std::string packed = FileBytes(sample.library());
  Symbolizer symbolizer;
  const SampleFindings found = LookThrough(symbolizer, sample.library());
  CHECK(found.has_inlined);
  CHECK_FALSE(found.has_wrong);

  REQUIRE(
      sample.Run("objcopy --only-keep-debug libsample.so libsample.debug && strip libsample.so && "
                 "objcopy --add-gnu-debuglink=libsample.debug libsample.so"));
  Symbolizer separate;
  CHECK(LookThrough(separate, sample.library()).has_inlined);

  // Damage anywhere costs lines at most.
  for (size_t at = 0; at < packed.size(); at += 37) {
    std::string spoiled = packed;
    spoiled[at] = static_cast<char>(spoiled[at] ^ 0x55);
    WriteBytes(sample.library(), spoiled);
    Symbolizer careful(SymbolPlaces{"/nowhere", {}, false});
    LookThrough(careful, sample.library());
  }
}

}  // namespace
}  // namespace geckoprof
