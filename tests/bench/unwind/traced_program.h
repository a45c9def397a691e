// A real program, stopped whenever we like.
#ifndef GECKOPROF_TESTS_BENCH_UNWIND_TRACED_PROGRAM_H_
#define GECKOPROF_TESTS_BENCH_UNWIND_TRACED_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "geckoprof/modules/module_table.h"
#include "stack_sample.h"

namespace geckoprof {

// TracedProgram: runs a program under ptrace (PTRACE_SEIZE), all its threads, and takes samples of them. When the
// program exits it is kept at its exit, with its memory: stored samples can be unwound against it until this object
// ends.
class TracedProgram {
 public:
  explicit TracedProgram(const std::vector<std::string>& arguments);
  ~TracedProgram();
  TracedProgram(const TracedProgram&) = delete;
  TracedProgram& operator=(const TracedProgram&) = delete;

  pid_t pid() const { return pid_; }
  bool alive() const { return alive_; }

  // Lets the program run for about `run_us`, stops it, and appends a sample of each thread. False once it has exited.
  bool RunAndSample(unsigned run_us, ModuleTable& modules, std::vector<StackSample>& samples);
  // One instruction of the main thread, which must be the only one. For programs that are stopped.
  bool SingleStep(ModuleTable& modules, StackSample& sample, bool refresh);
  void Stop();

 private:
  struct Thread {
    pid_t tid;
    bool stopped;
  };
  void Handle(pid_t tid, int status);
  void Resume();
  void Sample(pid_t tid, const ModuleTable& modules, std::vector<StackSample>& samples) const;
  Thread* Find(pid_t tid);

  pid_t pid_ = -1;
  bool alive_ = true;
  std::vector<Thread> threads_;
};

// The text of /proc/PID/maps.
std::string ReadMaps(pid_t pid);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_BENCH_UNWIND_TRACED_PROGRAM_H_
