#include "tools/record/elf_program.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "temporary_folder.h"

namespace geckoprof {
namespace {

// An ELF file with one program header, which names an interpreter.
struct MadeElf {
  Elf64_Ehdr header = {};
  Elf64_Phdr segment = {};
  char interpreter[16] = "/lib/loader";

  MadeElf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    segment.p_type = PT_INTERP;
    segment.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    segment.p_filesz = 12;
  }
  ElfProgram Read(size_t bytes = sizeof(MadeElf)) const {
    const TemporaryFolder folder;
    return ElfProgram::Read(folder.Write("program", {reinterpret_cast<const char*>(this), bytes}));
  }
};

TEST_CASE("the interpreter and the machine are read") {
  const ElfProgram program = MadeElf().Read();
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK(program.is_64_bit);
  CHECK(program.machine == EM_X86_64);
  CHECK(program.interpreter == "/lib/loader");
}

TEST_CASE("this very test is a dynamically linked program") {
  const ElfProgram program = ElfProgram::Read("/proc/self/exe");
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK_FALSE(program.interpreter.empty());
}

TEST_CASE("headers that point nowhere make a damaged program, not a crash") {
  MadeElf elf;
  SECTION("program headers past the end") { elf.header.e_phoff = 1 << 20; }
  SECTION("program headers at the end of the address space") { elf.header.e_phoff = UINT64_MAX - 8; }
  SECTION("program headers of an odd size") { elf.header.e_phentsize = 1; }
  SECTION("thousands of program headers") { elf.header.e_phnum = 60000; }
  SECTION("interpreter past the end") { elf.segment.p_offset = 1 << 20; }
  SECTION("interpreter at the end of the address space") { elf.segment.p_offset = UINT64_MAX; }
  SECTION("interpreter of gigabytes") { elf.segment.p_filesz = uint64_t{1} << 40; }
  SECTION("interpreter of no bytes") { elf.segment.p_filesz = 0; }
  SECTION("empty interpreter") { elf.interpreter[0] = '\0'; }
  SECTION("an object file") { elf.header.e_type = ET_REL; }
  CHECK(elf.Read().kind == ElfProgram::Kind::kDamaged);
}

TEST_CASE("every cut of a program is survived") {
  const MadeElf elf;
  for (size_t bytes = 0; bytes < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr); ++bytes) {
    INFO(bytes);
    CHECK(elf.Read(bytes).kind != ElfProgram::Kind::kElf);
  }
}

TEST_CASE("without PT_INTERP a program is static") {
  MadeElf elf;
  elf.segment.p_type = PT_LOAD;
  const ElfProgram program = elf.Read();
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK(program.interpreter.empty());
}

}  // namespace
}  // namespace geckoprof
