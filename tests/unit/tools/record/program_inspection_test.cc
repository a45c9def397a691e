#include "tools/record/program_inspection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "temporary_folder.h"
#include "tools/record/elf_program.h"

namespace geckoprof {
namespace {

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

TEST_CASE("a set-user-id bit matters where it changes the user") {
  const TemporaryFolder folder;
  const std::string copy = folder.Write("script", "#!/bin/sh\n");  // the bit of a script is ignored by the kernel
  REQUIRE(chmod(copy.c_str(), 04755) == 0);
  CHECK(InspectProgram(copy).error.empty());
}

}  // namespace
}  // namespace geckoprof
