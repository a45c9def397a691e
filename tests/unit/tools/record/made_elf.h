#ifndef GECKOPROF_TESTS_UNIT_TOOLS_RECORD_MADE_ELF_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_RECORD_MADE_ELF_H_

#include <elf.h>

#include <cstring>
#include <string_view>

#include "tools/record/program_inspection.h"

namespace geckoprof {

// MadeElf: a program of this machine as far as anybody looks before it is started: the header, and one program header,
// which names the interpreter.
struct MadeElf {
  Elf64_Ehdr header = {};
  Elf64_Phdr program_header = {};
  char interpreter[32] = "/lib64/ld-linux-x86-64.so.2";

  MadeElf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = ElfProgram::Read("/proc/self/exe").machine;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    program_header.p_type = PT_INTERP;
    program_header.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    program_header.p_filesz = sizeof(interpreter);
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this), sizeof(MadeElf)}; }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_RECORD_MADE_ELF_H_
