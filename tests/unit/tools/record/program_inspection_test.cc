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
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/made_elf.h"
#include "tools/record/elf_program.h"

namespace geckoprof {
namespace {

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
