#ifndef GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_COMMAND_H_
#define GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_COMMAND_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// The task of the command `geckoprof recover --shutdown`. The command may still begin after kSlow. All parts but `file`
// must therefore live as long as the process.
struct ShutdownTask {
  const Segment* segment;    // mapped
  const char* file;          // the destination of the profile; shorter than StartParameters::kPathBytes
  const char* removed;       // the segment's file, which goes when the profile is there; null: it stays
  const char* command = "";  // the program that is run; empty: CommandSearch
};

struct ShutdownOutcome {
  ShutdownFailure failure = ShutdownFailure::kDidNotFail;
  int32_t detail = 0;
};

// Runs the command and waits for it, for `patience_ns` at most. The program hears nothing of that:
//
//   this process             the launcher                         the command
//   clone(CLONE_VM) ------>  opens FILE where it is no plain
//   waits                    file, closes all descriptors,
//                            opens the segment or makes a memfd
//                            clone(CLONE_VM|CLONE_VFORK) ------>  setsid, execve
//                            closes the rest, waits  <----------  writes FILE, removes the segment, exits
//   wait4(__WCLONE)  <-----  tells the outcome, exits
//
// The launcher has no exit signal. The program therefore gets no SIGCHLD, and its wait calls do not find the launcher.
// The command needs such a parent, because execve(2) gives each program SIGCHLD as its exit signal. The launcher shares
// our memory, so making it costs no copy. It has descriptors, dispositions of signals and a session of its own, and
// never returns to code of the program.
//
// After `patience_ns` the launcher is killed, and the command goes on by itself (kSlow).
//
// The command has these descriptors and no others:
//   0 to 2   /dev/null
//   3        the segment
//   4        FILE, if it is a device, a pipe or a FIFO, or a link of /proc leads to it
//
// The command has the environment that this process began with. LD_PRELOAD, LD_AUDIT and the variables of this profiler
// are taken out.
//
// Threads: one at a time. Context: raw system calls only, signal context included. Needs a kilobyte of stack.
ShutdownOutcome RunShutdownCommand(const ShutdownTask& task, int64_t patience_ns);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SHUTDOWN_SHUTDOWN_COMMAND_H_
