#include "tools/record/elf_program.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/made_elf.h"

namespace geckoprof {
namespace {

ElfProgram Read(const MadeElf& elf, size_t bytes = sizeof(MadeElf)) {
  const TemporaryFolder folder;
  return ElfProgram::Read(folder.Write("program", elf.bytes().substr(0, bytes)));
}

TEST_CASE("the interpreter and the machine are read") {
  const ElfProgram program = Read(MadeElf());
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK(program.is_64_bit);
  CHECK(program.machine == EM_X86_64);
  CHECK(program.interpreter == MadeElf().interpreter);
}

TEST_CASE("this very test is a dynamically linked program") {
  const ElfProgram program = ElfProgram::Read("/proc/self/exe");
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK_FALSE(program.interpreter.empty());
}

TEST_CASE("a program whose end is missing is damaged") {
  const TemporaryFolder folder;
  std::string bytes(100'000, '\0');
  std::ifstream("/proc/self/exe", std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  CHECK(ElfProgram::Read(folder.Write("program", bytes)).kind == ElfProgram::Kind::kDamaged);
}

TEST_CASE("headers that point nowhere make a damaged program, not a crash") {
  MadeElf elf;
  SECTION("program headers past the end") { elf.header.e_phoff = 1 << 20; }
  SECTION("program headers at the end of the address space") { elf.header.e_phoff = UINT64_MAX - 8; }
  SECTION("program headers of an odd size") { elf.header.e_phentsize = 1; }
  SECTION("thousands of program headers") { elf.header.e_phnum = 60000; }
  SECTION("interpreter past the end") { elf.program_header.p_offset = 1 << 20; }
  SECTION("interpreter at the end of the address space") { elf.program_header.p_offset = UINT64_MAX; }
  SECTION("interpreter of gigabytes") { elf.program_header.p_filesz = uint64_t{1} << 40; }
  SECTION("interpreter of no bytes") { elf.program_header.p_filesz = 0; }
  SECTION("empty interpreter") { elf.interpreter[0] = '\0'; }
  SECTION("an object file") { elf.header.e_type = ET_REL; }
  CHECK(Read(elf).kind == ElfProgram::Kind::kDamaged);
}

TEST_CASE("every cut of a program is survived") {
  const MadeElf elf;
  for (size_t bytes = 0; bytes < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr); ++bytes) {
    INFO(bytes);
    CHECK(Read(elf, bytes).kind != ElfProgram::Kind::kElf);
  }
}

TEST_CASE("without PT_INTERP a program is static") {
  MadeElf elf;
  elf.program_header.p_type = PT_LOAD;
  const ElfProgram program = Read(elf);
  CHECK(program.kind == ElfProgram::Kind::kElf);
  CHECK(program.interpreter.empty());
}

}  // namespace
}  // namespace geckoprof
