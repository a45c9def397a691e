#include "tools/record/program_inspection.h"

#include <elf.h>
#include <endian.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/made_elf.h"

namespace geckoprof {
namespace {

TEST_CASE("programs are found as a shell finds them") {
  const TemporaryFolder first;
  const TemporaryFolder second;
  first.Write("plain", "", 0644);
  second.Write("plain", "", 0755);
  second.Write("tool", "", 0755);
  second.Write("data", "", 0644);
  REQUIRE(mkdir((first.path() + "/tool").c_str(), 0755) == 0);
  const std::string path = "/no/such/folder:" + first.path() + ":" + second.path();

  CHECK(FindProgram("tool", path.c_str()).path == second.path() + "/tool");
  CHECK(FindProgram("plain", path.c_str()).path == second.path() + "/plain");
  CHECK(FindProgram("data", path.c_str()).exit_status == kStatusNotExecutable);
  CHECK(FindProgram("none", path.c_str()).exit_status == kStatusNotFound);
  CHECK(FindProgram("", path.c_str()).exit_status == kStatusNotFound);
  CHECK(FindProgram("sh", nullptr).error.empty());
  CHECK(FindProgram(second.path() + "/tool", "").path == second.path() + "/tool");
  CHECK(FindProgram(second.path() + "/data", "").exit_status == kStatusNotExecutable);
  CHECK(FindProgram(second.path() + "/data/x", "").exit_status == kStatusNotFound);
  CHECK(FindProgram(first.path(), "").error == first.path() + ": is a directory, not a program");
  CHECK(FindProgram(".", path.c_str()).error == ".: is a directory, not a program");
  CHECK(FindProgram("..", path.c_str()).exit_status == kStatusNotExecutable);
  CHECK(FindProgram("/dev/null", "").exit_status == kStatusNotExecutable);
}

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

std::string FaultOf(const MadeElf& elf) {
  const TemporaryFolder folder;
  return InspectProgram(folder.Write("program", elf.bytes())).error;
}

TEST_CASE("a dynamically linked program and a script may be recorded") {
  const TemporaryFolder folder;
  CHECK(InspectProgram("/bin/sh").error.empty());
  CHECK(InspectProgram(folder.Write("script", "#!/bin/sh -e\n")).error.empty());
  CHECK(InspectProgram(folder.Write("nested", "#! " + folder.path() + "/script\n")).error.empty());
}

TEST_CASE("scripts without a usable interpreter are refused") {
  const TemporaryFolder folder;
  for (const char* text : {"", "text", "#!", "#!\n", "#!  \t\n", "#!/no/such\n", "#!sh\n", "#!/etc\n"}) {
    INFO(text);
    const ProgramVerdict verdict = InspectProgram(folder.Write("script", text));
    CHECK_FALSE(verdict.error.empty());
    CHECK(verdict.exit_status >= 126);
  }
  const std::string itself = folder.path() + "/loop";
  const ProgramVerdict verdict = InspectProgram(folder.Write("loop", "#!" + itself + "\n"));
  CHECK(verdict.exit_status == 126);
  CHECK(verdict.error ==
        itself + ": its interpreter is a script, whose interpreter is one, and so on: the kernel gives up");
}

TEST_CASE("as many scripts may stand one behind the other as the kernel takes") {
  const TemporaryFolder folder;
  const auto exec_error = [](const std::string& path) {
    const pid_t child = vfork();
    if (child == 0) {
      execl(path.c_str(), path.c_str(), nullptr);
      _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  std::string interpreter = "/bin/true";
  for (int scripts = 1; scripts <= 7; ++scripts) {
    INFO(scripts);
    interpreter = folder.Write("s" + std::to_string(scripts), "#!" + interpreter + "\n");
    const bool runs = scripts <= 5;
    CHECK(exec_error(interpreter) == (runs ? 0 : ELOOP));
    CHECK(InspectProgram(interpreter).error.empty() == runs);
  }
}

TEST_CASE("the dynamic linker is a program that loads what is preloaded") {
  CHECK(InspectProgram(ElfProgram::Read("/proc/self/exe").interpreter).error.empty());
}

TEST_CASE("a script with the line ends of Windows is told as such") {
  const TemporaryFolder folder;
  const ProgramVerdict verdict = InspectProgram(folder.Write("script", "#!/bin/sh\r\nexit 0\r\n"));
  CHECK(verdict.error.find("/script: its interpreter's name ends in a carriage return") != std::string::npos);
  CHECK(verdict.exit_status == 127);
  // There the interpreter is found, and itself says what it is given.
  CHECK(InspectProgram(folder.Write("script", "#!/bin/sh -e\r\n")).error.empty());
}

TEST_CASE("a 32-bit program is refused") {
  const TemporaryFolder folder;
  std::string bytes("\177ELF\1\1\1", 7);
  bytes.resize(52);
  CHECK(InspectProgram(folder.Write("program", bytes)).error.find("32-bit") != std::string::npos);
}

TEST_CASE("a program of another machine, or for another libc, is refused") {
  MadeElf program;
  REQUIRE(FaultOf(program).empty());
  SECTION("another machine") {
    program.header.e_machine = EM_68K;
    CHECK(FaultOf(program).find("another machine") != std::string::npos);
  }
  SECTION("the other order of bytes") {
    program.header.e_ident[EI_DATA] = ELFDATA2MSB;
    CHECK(FaultOf(program).find("another machine") != std::string::npos);
  }
  SECTION("musl") {
    strcpy(program.interpreter, "/lib/ld-musl-x86_64.so.1");
    CHECK(FaultOf(program).find("linked with musl") != std::string::npos);
  }
}

TEST_CASE("file capabilities matter to whoever is not root") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("program", MadeElf().bytes());
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  vfs_cap_data capabilities = {};
  capabilities.magic_etc = htole32(VFS_CAP_REVISION_2);
  capabilities.data[0].permitted = htole32(uint32_t{1} << CAP_NET_BIND_SERVICE);
  if (setxattr(path.c_str(), "security.capability", &capabilities, XATTR_CAPS_SZ_2, 0) != 0) return;  // for root alone
  CHECK(InspectProgram(path).error.empty());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_other = setuid(65534) == 0;
    _exit(is_other && InspectProgram(path).error.find("file capabilities") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a set-user-id bit matters where it changes the user") {
  const TemporaryFolder folder;
  const std::string copy = folder.Write("script", "#!/bin/sh\n");  // the bit of a script is ignored by the kernel
  REQUIRE(chmod(copy.c_str(), 04755) == 0);
  CHECK(InspectProgram(copy).error.empty());
}

}  // namespace
}  // namespace geckoprof
