#ifndef GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_
#define GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// StartupPhase is a part of a program's start. Some are measured, by markers. The others are sampled. The phases are in
// order of time.
//
// Measured:
//   exec     the marker "exec to constructor (dynamic linker)". The kernel maps the program, and the dynamic linker
//            maps its libraries. There are no samples of it
//   static constructors   a marker of the type LibraryLoad; `what`: the library
//   dlopen   a marker of the type LibraryCall; `what`: the name that was asked for
//   phase    a marker of the type StartupPhase; `what`: the name that the program gives it
//   handover a marker "Profilers handover"
//
// Sampled:
//   loader   samples of the main thread whose frames all lie in the dynamic linker
//   static constructors   samples below the dynamic linker's or libc's start code; `what`: the constructor's library,
//            the outermost frame's that is not start code. Without samples of libraries that a marker measures
//   main     from the first sample in main on; `what`: the program, with its arguments if the file has them
//
// The outermost frames of a stack tell the phases apart. Names alone would not do. Start code has few of them in a
// stripped libc, and a raw profile has none:
//
//   (root) > ld-linux ... ld-linux > X           constructor of X's library
//   (root) > _start > __libc_start_main > X      constructor of X's library (the program's own)
//   (root) > _start > __libc_start_main > libc > X, or any frame named main    main
//   (root) > X                                   main: a stack without its beginning, or of labels
//
// In a profile without names, the outermost frame is _start if libc is its callee, and if no outer frames are missing.
struct StartupPhase {
  enum class Kind : uint8_t { kExec, kLoader, kConstructors, kMain, kHandover, kLoad, kNamed };

  Kind kind = Kind::kExec;
  int32_t process = 0;     // row of model.processes
  std::string what;        // see above; may be empty
  double start_ms = 0;     // of the marker or of the first sample
  double duration_ms = 0;  // of the marker, or from the first sample to the last
  double cpu_ms = 0;       // of the samples
  double samples = 0;      // without idle ones
  bool is_measured = false;
  bool is_sampled = false;                                                // cpu_ms and samples are known
  std::optional<double> mapping_ms, relocation_ms, constructors_ms = {};  // of kLoad
};

std::vector<StartupPhase> StartupPhasesOf(const ProfileModel& model);

// "static constructors", ...
const char* PhaseName(StartupPhase::Kind kind);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_STARTUP_PHASES_H_
