#include "tools/symbols/elf_image.h"

#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {
namespace {

std::string Note(uint32_t name_bytes, uint32_t description_bytes, const std::string& id) {
  return BytesOf(Elf64_Nhdr{name_bytes, description_bytes, NT_GNU_BUILD_ID}) + std::string("GNU\0", 4) + id;
}

std::unique_ptr<ElfImage> Open(ElfFileBuilder* file) {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(file->Write());
  REQUIRE(image.ok());
  return *std::move(image);
}

std::string Refusal(const std::string& path) {
  const auto image = ElfImage::Open(path);
  REQUIRE_FALSE(image.ok());
  return std::string(image.status().message());
}

TEST_CASE("an ELF file's sections, build id and debug link") {
  ElfFileBuilder file;
  file.Add(".note.gnu.build-id", SHT_NOTE, Note(4, 4, "\x01\x02\x03\x04"));
  Elf64_Shdr& note = file.Section(1);
  note.sh_addralign = 4;
  note.sh_flags = SHF_ALLOC;
  file.Add(".gnu_debuglink", SHT_PROGBITS, std::string("x.debug\0\x11\x22\x33\x44", 12));
  file.Add(".text", SHT_PROGBITS, "code", 0x1000);
  const auto image = Open(&file);
  CHECK(image->BuildId() == "\x01\x02\x03\x04");
  CHECK(image->DebugLink().name == "x.debug");
  GElf_Shdr header;
  REQUIRE(image->Section(".text") != nullptr);
  REQUIRE(gelf_getshdr(image->Section(".text"), &header) != nullptr);
  CHECK(header.sh_addr == 0x1000);
  CHECK(image->Section(".data") == nullptr);
  CHECK(image->Section("") != image->Section(".text"));
}

TEST_CASE("what is no ELF file is refused with its reason") {
  CHECK(Refusal("/nowhere/x").find("cannot open /nowhere/x") != std::string::npos);
  CHECK(Refusal("/tmp") == "/tmp is not a regular file");
  char path[] = "/tmp/elf_image_test.XXXXXX";
  REQUIRE(close(mkstemp(path)) == 0);
  CHECK(Refusal(path) == std::string(path) + " is not an ELF file");
  std::ofstream(path) << "just a text, long enough to be taken for some kind of a header";
  CHECK(Refusal(path) == std::string(path) + " is not an ELF file");
  std::ofstream(path) << "!<arch>\nan archive has another kind of header                      ";
  CHECK(Refusal(path) == std::string(path) + " is not an ELF file");
  unlink(path);
  REQUIRE(mkfifo(path, 0600) == 0);
  CHECK(Refusal(path) == std::string(path) + " is not a regular file");  // and does not wait for a writer
  unlink(path);
}

TEST_CASE("an image without the parts asked for") {
  ElfFileBuilder file;
  const auto image = Open(&file);
  CHECK(image->BuildId().empty());
  CHECK(image->DebugLink().name.empty());
  CHECK(image->Section(".text") == nullptr);
}

TEST_CASE("section headers that point out of the file name no section") {
  const auto spoil = GENERATE(0, 1, 2, 3, 4, 5);
  ElfFileBuilder file;
  file.Add(".text", SHT_PROGBITS, "code", 0x1000);
  switch (spoil) {
    case 0:
      file.Header().e_shoff = uint64_t{1} << 40;
      break;
    case 1:
      file.Header().e_shoff = UINT64_MAX - 32;
      break;
    case 2:
      file.Header().e_shstrndx = 77;
      break;
    case 3:
      file.Section(1).sh_name = 0xfffffff0;
      break;
    case 4:
      file.Header().e_shstrndx = 1;
      break;  // names in a section that holds none
    default:
      file.Header().e_shentsize = 1;
      break;
  }
  const auto image = ElfImage::Open(file.Write());
  INFO("spoil " << spoil);
  if (!image.ok()) return;
  CHECK((*image)->BuildId().empty());
  CHECK((*image)->DebugLink().name.empty());
  // A wrong size of entries is one that libelf does not look at.
  if (spoil != 5) CHECK((*image)->Section(".text") == nullptr);
}

TEST_CASE("more section headers than the file has room for") {
  ElfFileBuilder file;
  file.Add(".text", SHT_PROGBITS, "code", 0x1000);
  file.Header().e_shnum = 0xfeff;
  const auto image = ElfImage::Open(file.Write());
  if (image.ok()) CHECK((*image)->Section(".nothing") == nullptr);
}

TEST_CASE("broken notes and links are no build id and no name") {
  const auto bytes = GENERATE(Note(4, 0xffffffff, "abcd"), Note(0xffffffff, 4, "abcd"), Note(4, 64, "abcd"),
                              std::string("\x04"), std::string());
  ElfFileBuilder file;
  file.Add(".note.gnu.build-id", SHT_NOTE, bytes);
  file.Add(".gnu_debuglink", SHT_PROGBITS, "no end and no checksum");
  file.Section(1).sh_addralign = 4;
  const auto image = Open(&file);
  CHECK(image->BuildId().empty());
  CHECK(image->DebugLink().name.empty());
}

TEST_CASE("a file cut off anywhere gives an error or an image, and no crash") {
  ElfFileBuilder file;
  file.Add(".note.gnu.build-id", SHT_NOTE, Note(4, 4, "\x01\x02\x03\x04"));
  file.AddSymbols(".symtab", SHT_SYMTAB, {"one", "two"});
  int opened = 0;
  for (size_t most_bytes = 0; most_bytes < 700; most_bytes += 7) {
    const auto image = ElfImage::Open(file.Write(most_bytes));
    if (!image.ok()) continue;
    ++opened;
    (*image)->BuildId();
    (*image)->DebugLink();
    (*image)->Section(".symtab");
  }
  CHECK(opened > 0);
}

TEST_CASE("this process's vDSO is an image with exported symbols") {
  const auto image = ElfImage::OwnVdso();
  REQUIRE(image.ok());
  CHECK((*image)->Section(".dynsym") != nullptr);
}

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

TEST_CASE("small sections that together claim to unpack to far more than real ones") {
  for (const size_t count : {size_t{1}, size_t{2}}) {
    ElfFileBuilder file;
    for (const char* name : {".debug_str", ".debug_line"}) {
      if (name == std::string(".debug_line") && count == 1) break;
      const std::string contents = Header(uint64_t{15} << 20, ELFCOMPRESS_ZLIB) + "short";
      file.Section(file.Add(name, SHT_PROGBITS, contents)).sh_flags = SHF_COMPRESSED;
    }
    const absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(file.Write());
    REQUIRE(image.ok());
    CHECK((*image)->HasOversizedSection() == (count == 2));
  }
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
