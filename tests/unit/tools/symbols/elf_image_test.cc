#include "tools/symbols/elf_image.h"

#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

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

}  // namespace
}  // namespace geckoprof
