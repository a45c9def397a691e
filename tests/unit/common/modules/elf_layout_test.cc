#include "geckoprof/modules/elf_layout.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "geckoprof/arch/registers.h"

using namespace geckoprof;

namespace {

Elf64_Ehdr GoodHeader() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = kElfMachine;
  header.e_phoff = 64;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  header.e_entry = 0x1234;
  return header;
}

template <typename T>
std::span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

std::vector<uint8_t> Note(uint32_t type, std::string_view name, std::string_view description) {
  const uint32_t head[3] = {static_cast<uint32_t>(name.size()), static_cast<uint32_t>(description.size()), type};
  std::vector<uint8_t> bytes(BytesOf(head).begin(), BytesOf(head).end());
  for (const std::string_view part : {name, description}) {
    bytes.insert(bytes.end(), part.begin(), part.end());
    while (bytes.size() % 4 != 0) bytes.push_back(0);
  }
  return bytes;
}

}  // namespace

TEST_CASE("a header of this machine is accepted, others are not") {
  ElfLayout layout;
  ElfHeaderTable table;
  Elf64_Ehdr header = GoodHeader();
  REQUIRE(ReadElfHeader(BytesOf(header), layout, table));
  CHECK((table.file_offset == 64 && table.size_bytes == 2 * sizeof(Elf64_Phdr) && layout.entry_svma == 0x1234));
  CHECK_FALSE(ReadElfHeader(BytesOf(header).first(63), layout, table));
  header.e_machine = EM_386;
  CHECK_FALSE(ReadElfHeader(BytesOf(header), layout, table));
  header = GoodHeader();
  header.e_phnum = 60000;
  CHECK_FALSE(ReadElfHeader(BytesOf(header), layout, table));
  header = GoodHeader();
  header.e_type = ET_CORE;
  CHECK_FALSE(ReadElfHeader(BytesOf(header), layout, table));
}

TEST_CASE("program headers with absurd sizes are refused") {
  Elf64_Phdr headers[2]{};
  headers[0] = {PT_LOAD, PF_R, 0, 0x400000, 0, 0x1000, 0x2000, 0x1000};
  headers[1] = {PT_GNU_EH_FRAME, PF_R, 0x800, 0x400800, 0, 0x100, 0x100, 4};
  ElfLayout layout;
  REQUIRE(ReadProgramHeaders(BytesOf(headers), layout));
  CHECK((layout.end_svma == 0x402000 && layout.eh_frame_hdr.svma == 0x400800));
  headers[0].p_memsz = ~uint64_t{0};
  ElfLayout other;
  CHECK_FALSE(ReadProgramHeaders(BytesOf(headers), other));
  headers[0].p_type = PT_NULL;
  ElfLayout none;
  CHECK_FALSE(ReadProgramHeaders(BytesOf(headers), none));
}

TEST_CASE("the build id is found behind other notes") {
  std::vector<uint8_t> notes = Note(5, std::string_view("GNU\0", 4), "12345678");
  const std::vector<uint8_t> wanted = Note(NT_GNU_BUILD_ID, std::string_view("GNU\0", 4), "abcdefghijklmnopqrst");
  notes.insert(notes.end(), wanted.begin(), wanted.end());
  std::string build_id;
  REQUIRE(FindBuildId(notes, build_id));
  CHECK(build_id == "abcdefghijklmnopqrst");
  for (size_t size = 0; size < notes.size(); ++size) {
    std::string cut;
    CHECK_FALSE(FindBuildId(std::span(notes).first(size), cut));
  }
}

TEST_CASE("random notes and headers do no harm") {
  std::mt19937 random(20240229);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(random() % 600);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 4 == 0 ? random() : random() % 8);
    std::string build_id;
    FindBuildId(bytes, build_id);
    ElfLayout layout;
    ReadProgramHeaders(bytes, layout);
    CHECK(build_id.size() <= 64);
  }
}
