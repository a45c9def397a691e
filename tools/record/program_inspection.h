#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// The exit statuses that shells use when a program cannot be started (POSIX, "Exit Status for Commands").
inline constexpr int kStatusNotExecutable = 126;
inline constexpr int kStatusNotFound = 127;

// A program to run, or the reason why there is none.
struct FoundProgram {
  std::string path;   // to be given to exec
  std::string error;  // one line; empty: found
  int exit_status = 0;
};

// Finds `name` as a shell would. A name with a slash is a path. Any other name is searched in the folders of
// `path_variable`, in order, and files that may not be executed are skipped. An empty folder is the current one. A null
// path_variable stands for /bin:/usr/bin.
FoundProgram FindProgram(const std::string& name, const char* path_variable);

// ElfProgram has the facts in a file's ELF header and program headers that decide how the kernel starts it. Read looks
// at the first bytes only, and trusts none of them.
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

// Whether a program can be recorded by preloading.
struct ProgramVerdict {
  std::string error;  // why it cannot, and what to do; one line; empty: it can
  std::string note;   // worth saying although it can; may be empty
  int exit_status = 0;
};

// Looks at the file before anything is started, since the dynamic linker says nothing when it ignores LD_PRELOAD. Of a
// script, the interpreter is looked at. What cannot be read (execute permission only) is given the benefit of the
// doubt.
//
// Refused: statically linked (also static-pie), 32-bit, for another machine, linked with a C library other than glibc,
// and what the kernel would start in secure mode: a set-user-id or set-group-id bit that changes an id, and file
// capabilities for a user other than root.
ProgramVerdict InspectProgram(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_
