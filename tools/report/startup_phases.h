#ifndef GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_
#define GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// What a process did from exec to its first sample in main, and when profilers were handed over. By process and in
// order of time:
//
//   exec     the marker "exec to constructor (dynamic linker)": the kernel maps the program, the dynamic linker its
//            libraries. There are no samples of it
//   loader   samples of the main thread whose frames all lie in the dynamic linker
//   static constructors   samples below the dynamic linker's or libc's start code; `what`: the constructor's library,
//            the outermost frame's that is not start code
//   main     from the first sample in main on; `what`: the program
//   handover a marker "Profilers handover"
//
// Where a stack begins tells the phases apart, names alone would not do, since start code has few in a stripped libc:
//
//   (root) > ld-linux ... ld-linux > X           constructor of X's library
//   (root) > _start > __libc_start_main > X      constructor of X's library (the program's own)
//   (root) > _start > __libc_start_main > libc > X, or any frame named main    main
//   (root) > X                                   main: a stack without its beginning, or of labels
struct StartupPhase {
  enum class Kind : uint8_t { kExec, kLoader, kConstructors, kMain, kHandover };

  Kind kind = Kind::kExec;
  int32_t process = 0;     // row of model.processes
  std::string what;        // see above; may be empty
  double start_ms = 0;     // of the marker or of the first sample
  double duration_ms = 0;  // of the marker, or from the first sample to the last
  double cpu_ms = 0;       // of the samples
  double samples = 0;      // without idle ones
};

std::vector<StartupPhase> StartupPhasesOf(const ProfileModel& model);

// "static constructors", ...
const char* PhaseName(StartupPhase::Kind kind);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_
