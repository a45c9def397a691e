#include "tests/unit/tools/symbols/elf_file_builder.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

namespace geckoprof {
namespace {

template <typename T>
void SetUnlessGiven(T* field, T value) {
  if (*field == 0) *field = value;
}

}  // namespace

ElfFileBuilder::~ElfFileBuilder() {
  if (!path_.empty()) unlink(path_.c_str());
}

uint32_t ElfFileBuilder::Add(std::string_view name, uint32_t type, std::string_view bytes, uint64_t svma,
                             uint32_t link) {
  Elf64_Shdr header = {};
  header.sh_name = static_cast<uint32_t>(names_.size());
  header.sh_type = type;
  header.sh_addr = svma;
  header.sh_link = link;
  header.sh_size = bytes.size();
  header.sh_addralign = 1;
  if (type == SHT_SYMTAB || type == SHT_DYNSYM) header.sh_entsize = sizeof(Elf64_Sym);
  if (type == SHT_RELA) header.sh_entsize = sizeof(Elf64_Rela);
  names_.append(name);
  names_.push_back('\0');
  headers_.push_back(header);
  contents_.emplace_back(bytes);
  return static_cast<uint32_t>(headers_.size());
}

uint32_t ElfFileBuilder::AddSymbols(std::string_view name, uint32_t type, const std::vector<std::string>& names) {
  std::string strings(1, '\0');
  std::string symbols = BytesOf(Elf64_Sym{});
  for (size_t i = 0; i < names.size(); ++i) {
    Elf64_Sym symbol = {};
    symbol.st_name = static_cast<uint32_t>(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = 0x1000 + 16 * i;
    symbol.st_size = 16;
    symbols += BytesOf(symbol);
    strings.append(names[i]);
    strings.push_back('\0');
  }
  const uint32_t link = Add(type == SHT_DYNSYM ? ".dynstr" : ".strtab", SHT_STRTAB, strings);
  return Add(name, type, symbols, 0, link);
}

std::string ElfFileBuilder::Write(size_t most_bytes) {
  Elf64_Ehdr header = header_;
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  SetUnlessGiven<unsigned char>(&header.e_ident[EI_CLASS], ELFCLASS64);
  SetUnlessGiven<unsigned char>(&header.e_ident[EI_DATA], ELFDATA2LSB);
  header.e_ident[EI_VERSION] = EV_CURRENT;
  SetUnlessGiven<uint16_t>(&header.e_type, ET_DYN);
  SetUnlessGiven<uint16_t>(&header.e_machine, EM_X86_64);
  header.e_version = EV_CURRENT;
  SetUnlessGiven<uint16_t>(&header.e_ehsize, sizeof(Elf64_Ehdr));
  SetUnlessGiven<uint16_t>(&header.e_shentsize, sizeof(Elf64_Shdr));
  SetUnlessGiven(&header.e_shnum, static_cast<uint16_t>(headers_.size() + 2));
  SetUnlessGiven(&header.e_shstrndx, static_cast<uint16_t>(headers_.size() + 1));

  std::vector<Elf64_Shdr> headers(1);
  std::string bytes(sizeof(header), '\0');
  for (size_t i = 0; i < headers_.size(); ++i) {
    headers.push_back(headers_[i]);
    SetUnlessGiven<uint64_t>(&headers.back().sh_offset, bytes.size());
    bytes += contents_[i];
  }
  Elf64_Shdr names = {};
  names.sh_type = SHT_STRTAB;
  names.sh_offset = bytes.size();
  names.sh_size = names_.size();
  names.sh_addralign = 1;
  headers.push_back(names);
  bytes += names_;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  SetUnlessGiven<uint64_t>(&header.e_shoff, bytes.size());
  for (const Elf64_Shdr& section : headers) bytes += BytesOf(section);
  bytes.replace(0, sizeof(header), BytesOf(header));
  bytes.resize(std::min(bytes.size(), most_bytes));

  if (path_.empty()) {
    char name[] = "/tmp/elf_file_builder.XXXXXX";
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0);
    close(fd);
    path_ = name;
  }
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.flush().good());
  return path_;
}

}  // namespace geckoprof
