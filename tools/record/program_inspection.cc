#include "tools/record/program_inspection.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

// 0, or the errno with which exec would refuse.
int ExecutionError(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

FoundProgram Refusal(const std::string& path, int error) {
  FoundProgram result;
  result.exit_status = error == ENOENT || error == ENOTDIR ? kStatusNotFound : kStatusNotExecutable;
  result.error = path + ": ";
  if (error == ENOENT) {
    result.error += "no such program";
  } else if (error == EISDIR) {
    result.error += "is a directory, not a program";
  } else if (error == EACCES) {
    result.error += "is not executable (permission denied)";
  } else {
    result.error += strerror(error);
  }
  return result;
}

FoundProgram Found(std::string path) {
  FoundProgram result;
  result.path = std::move(path);
  return result;
}

}  // namespace

FoundProgram FindProgram(const std::string& name, const char* path_variable) {
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    const int error = ExecutionError(name);
    return error == 0 ? Found(name) : Refusal(name, error);
  }
  if (name.empty()) return Refusal("\"\"", ENOENT);
  std::string_view folders = path_variable != nullptr ? path_variable : "/bin:/usr/bin";
  std::string refused;
  int refused_error = 0;
  for (bool more = true; more;) {
    const size_t colon = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, colon);
    more = colon < folders.size();
    if (more) folders.remove_prefix(colon + 1);
    std::string path = folder.empty() ? "./" + name : std::string(folder) + "/" + name;
    const int error = ExecutionError(path);
    if (error == 0) return Found(std::move(path));
    if (error != ENOENT && error != ENOTDIR && refused_error == 0) {
      refused = std::move(path);
      refused_error = error;
    }
  }
  if (refused_error != 0) return Refusal(refused, refused_error);
  FoundProgram result = Refusal(name, ENOENT);
  result.error += " in the folders of PATH";
  return result;
}

namespace {

constexpr size_t kFirstBytes = 256;           // the kernel reads as much of a script's first line
constexpr uint16_t kMaxProgramHeaders = 512;  // real programs have about 13

bool HasByte(const Fd& file, uint64_t offset) {
  uint8_t byte = 0;
  return offset <= INT64_MAX && file.ReadAt(offset, {&byte, 1}) == 1;
}

// The path in PT_INTERP, or empty. False: the headers point out of the file, or its end is missing.
bool ReadInterpreter(const Fd& file, const Elf64_Ehdr& header, std::string& interpreter) {
  if (header.e_phnum == 0) return true;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxProgramHeaders) return false;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t offset = header.e_phoff + uint64_t{i} * sizeof(segment);
    if (header.e_phoff > INT64_MAX - (1 << 20)) return false;
    const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(&segment), sizeof(segment));
    if (file.ReadAt(offset, bytes) != static_cast<int64_t>(sizeof(segment))) return false;
    const bool is_loaded = segment.p_type == PT_LOAD && segment.p_filesz > 0;
    if (is_loaded && !HasByte(file, segment.p_offset + segment.p_filesz - 1)) return false;
    if (segment.p_type != PT_INTERP || !interpreter.empty()) continue;
    if (segment.p_filesz < 2 || segment.p_filesz > PATH_MAX || segment.p_offset > INT64_MAX - PATH_MAX) return false;
    std::string path(segment.p_filesz, '\0');
    const std::span<uint8_t> out(reinterpret_cast<uint8_t*>(path.data()), path.size());
    if (file.ReadAt(segment.p_offset, out) != static_cast<int64_t>(path.size())) return false;
    interpreter = path.c_str();  // up to the first zero
    if (interpreter.empty()) return false;
  }
  return true;
}

}  // namespace

ElfProgram ElfProgram::Read(const std::string& path) {
  ElfProgram program;
  const Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (!file.ok()) return program;
  program.first_bytes.resize(kFirstBytes);
  const int64_t got = file.ReadAt(0, {reinterpret_cast<uint8_t*>(program.first_bytes.data()), kFirstBytes});
  if (got < 0) return program;
  program.first_bytes.resize(static_cast<size_t>(got));
  program.kind = Kind::kNotElf;
  if (!program.first_bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) return program;

  program.kind = Kind::kDamaged;
  if (program.first_bytes.size() < EI_NIDENT + 2 * sizeof(uint16_t)) return program;
  program.is_64_bit = program.first_bytes[EI_CLASS] == ELFCLASS64;
  program.is_little_endian = program.first_bytes[EI_DATA] == ELFDATA2LSB;
  if (program.is_little_endian) {  // e_machine lies at the same place in both classes
    std::memcpy(&program.machine, program.first_bytes.data() + offsetof(Elf64_Ehdr, e_machine), sizeof(uint16_t));
  }
  if (!program.is_64_bit || !program.is_little_endian) {
    program.kind = Kind::kElf;
    return program;
  }
  if (program.first_bytes.size() < sizeof(Elf64_Ehdr)) return program;
  Elf64_Ehdr header;
  std::memcpy(&header, program.first_bytes.data(), sizeof(header));
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return program;
  if (ReadInterpreter(file, header, program.interpreter)) program.kind = Kind::kElf;
  return program;
}

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
