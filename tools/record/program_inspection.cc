#include "tools/record/program_inspection.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <string_view>

#include "tools/record/elf_program.h"
#include "tools/record/program_search.h"

namespace geckoprof {
namespace {

// The kernel goes on from a file to its interpreter as often: five scripts one after the other, a sixth is ELOOP
// (execve(2)).
constexpr int kMaxInterpreters = 5;
constexpr char kTooDeep[] = "its interpreter is a script, whose interpreter is one, and so on: the kernel gives up";

ProgramVerdict Refuse(std::string error, int exit_status = 1) {
  ProgramVerdict verdict;
  verdict.error = std::move(error);
  verdict.exit_status = exit_status;
  return verdict;
}

// The interpreter named by a script's first line; empty if it names none.
std::string ScriptInterpreter(std::string_view first_bytes) {
  first_bytes.remove_prefix(2);
  const std::string_view line = first_bytes.substr(0, first_bytes.find_first_of(std::string_view("\n\0", 2)));
  const size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos) return "";
  const size_t end = line.find_first_of(" \t", start);
  return std::string(line.substr(start, end == std::string_view::npos ? end : end - start));
}

// What makes the kernel ask the dynamic linker for its secure mode, in which LD_PRELOAD is ignored.
ProgramVerdict InspectPrivileges(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {};
  const bool set_uid = (status.st_mode & S_ISUID) != 0;
  const bool set_gid = (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
  if ((set_uid && status.st_uid != getuid()) || (set_gid && status.st_gid != getgid())) {
    return Refuse(path + " has the set-" + (set_uid ? "user" : "group") +
                  "-id bit: the dynamic linker ignores LD_PRELOAD for such a program. Record a copy without the bit "
                  "(cp, which drops it), run as a user who may do the program's work.");
  }
  // Root has every capability anyway, so the kernel does not ask for secure mode.
  if (getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return Refuse(
        path +
        " has file capabilities: the dynamic linker ignores LD_PRELOAD for such a program. Record a copy (cp drops "
        "them) or record as root.");
  }
  ProgramVerdict verdict;
  if (set_uid || set_gid) {
    verdict.note = path + " has a set-id bit; it can be recorded because you are the user and group that it names";
  }
  return verdict;
}

// The dynamic linker itself, which loads what LD_PRELOAD says into the program that it is given: that of this tool, or
// one of another glibc.
bool IsDynamicLinker(const std::string& path, const ElfProgram& own) {
  struct stat status, known;
  if (stat(path.c_str(), &status) != 0) return false;
  const bool is_ours =
      stat(own.interpreter.c_str(), &known) == 0 && known.st_dev == status.st_dev && known.st_ino == status.st_ino;
  return is_ours || std::string_view(path).substr(path.rfind('/') + 1).starts_with("ld-linux-");
}

ProgramVerdict InspectElf(const std::string& path, const ElfProgram& program) {
  static const ElfProgram own = ElfProgram::Read("/proc/self/exe");
  if (!program.is_64_bit) {
    return Refuse(path +
                  " is a 32-bit program: the 64-bit profiler cannot be loaded into it. Use a 64-bit build of it.");
  }
  if (!program.is_little_endian || (own.kind == ElfProgram::Kind::kElf && program.machine != own.machine)) {
    return Refuse(path +
                  " is built for another machine than this profiler. Use builds of both for the same architecture.");
  }
  if (program.interpreter.empty() && !IsDynamicLinker(path, own)) {
    return Refuse(path +
                  " is statically linked: there is no dynamic linker that could load the profiler. Link it dynamically "
                  "(without -static or -static-pie), or link it with libbaseprofiler.");
  }
  if (program.interpreter.find("musl") != std::string::npos) {
    return Refuse(path + " is linked with musl (" + program.interpreter +
                  "): the profiler needs glibc. Build the program on a system with glibc.");
  }
  return InspectPrivileges(path);
}

ProgramVerdict InspectAtDepth(const std::string& path, int depth) {
  const ElfProgram program = ElfProgram::Read(path);
  switch (program.kind) {
    case ElfProgram::Kind::kUnreadable:
      return InspectPrivileges(path);
    case ElfProgram::Kind::kDamaged:
      return Refuse(path + " is not a complete ELF program (truncated or damaged)", kStatusNotExecutable);
    case ElfProgram::Kind::kElf:
      return InspectElf(path, program);
    case ElfProgram::Kind::kNotElf:
      break;
  }
  if (!program.first_bytes.starts_with("#!")) {
    return Refuse(
        path + " is neither a program nor a script with a #! line. Name its interpreter: record -- sh " + path,
        kStatusNotExecutable);
  }
  if (depth == kMaxInterpreters) return Refuse(kTooDeep, kStatusNotExecutable);
  const std::string interpreter = ScriptInterpreter(program.first_bytes);
  if (interpreter.empty()) {
    return Refuse(path + " has a #! line without a usable interpreter", kStatusNotExecutable);
  }
  // The kernel takes the name as a path, relative to the current folder if it has no slash.
  const FoundProgram found =
      FindProgram(interpreter.find('/') == std::string::npos ? "./" + interpreter : interpreter, "");
  if (!found.error.empty() && interpreter.ends_with('\r')) {
    return Refuse(
        path +
            ": its interpreter's name ends in a carriage return, as in files with the line ends of Windows (CR LF): "
            "there is no such program. Remove them: sed -i 's/\\r$//' " +
            path,
        found.exit_status);
  }
  if (!found.error.empty()) return Refuse(path + ": its interpreter " + found.error, found.exit_status);
  ProgramVerdict verdict = InspectAtDepth(interpreter, depth + 1);
  if (!verdict.error.empty() && verdict.error != kTooDeep) verdict.error = path + ": its interpreter " + verdict.error;
  return verdict;
}

}  // namespace

ProgramVerdict InspectProgram(const std::string& path) {
  ProgramVerdict verdict = InspectAtDepth(path, 0);
  if (verdict.error == kTooDeep) verdict.error = path + ": " + kTooDeep;
  return verdict;
}

}  // namespace geckoprof
