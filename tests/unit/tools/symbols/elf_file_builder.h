#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_ELF_FILE_BUILDER_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_ELF_FILE_BUILDER_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace geckoprof {

// The bytes of a plain struct, to build sections of.
template <typename T>
std::string BytesOf(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// ElfFileBuilder: writes small 64-bit ELF files with the sections that a test asks for, sound or not. Every header may
// be spoiled before the file is written: nothing is checked here.
//
//   header | section 1 | section 2 | ... | .shstrtab | section headers (0 null, 1..n, n + 1 .shstrtab)
class ElfFileBuilder {
 public:
  ElfFileBuilder() = default;
  ElfFileBuilder(const ElfFileBuilder&) = delete;
  ElfFileBuilder& operator=(const ElfFileBuilder&) = delete;
  ~ElfFileBuilder();  // removes the file

  // Returns the section's number.
  uint32_t Add(std::string_view name, uint32_t type, std::string_view bytes, uint64_t svma = 0, uint32_t link = 0);
  // A symbol table and its strings (".strtab" for ".symtab"): each name a function of 16 bytes from 0x1000 on.
  uint32_t AddSymbols(std::string_view name, uint32_t type, const std::vector<std::string>& names);

  // The header of section `number`, to be spoiled; its offset and size are what `Add` was given, unless changed here.
  Elf64_Shdr& Section(uint32_t number) { return headers_[number - 1]; }
  Elf64_Ehdr& Header() { return header_; }

  // Writes the file, at most `most_bytes` of it, and returns its path. May be called again, which overwrites it.
  std::string Write(size_t most_bytes = SIZE_MAX);

 private:
  // Set by a test; 0: as it should be.
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Shdr> headers_;
  std::vector<std::string> contents_;
  std::string names_ = std::string(1, '\0');
  std::string path_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_ELF_FILE_BUILDER_H_
