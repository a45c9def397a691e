#ifndef GECKOPROF_TOOLS_RECORD_ELF_PROGRAM_H_
#define GECKOPROF_TOOLS_RECORD_ELF_PROGRAM_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// ElfProgram: what the ELF header and program headers of a file say about how the kernel would start it. It reads the
// first bytes only, and trusts none of them.
struct ElfProgram {
  enum class Kind : uint8_t { kUnreadable, kNotElf, kDamaged, kElf };

  Kind kind = Kind::kUnreadable;
  bool is_64_bit = false;
  bool is_little_endian = false;
  uint16_t machine = 0;     // EM_*; 0 unless is_little_endian
  std::string interpreter;  // the dynamic linker; empty: statically linked. Filled for 64-bit little-endian files only
  std::string first_bytes;  // up to 256: the "#!" line of a script

  static ElfProgram Read(const std::string& path);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_ELF_PROGRAM_H_
