// The same stacks, unwound by libunwind's remote API.
#ifndef GECKOPROF_TESTS_BENCH_UNWIND_LIBUNWIND_WALK_H_
#define GECKOPROF_TESTS_BENCH_UNWIND_LIBUNWIND_WALK_H_

#include <libunwind.h>
#include <sys/types.h>

#include <span>

#include "geckoprof/modules/process_memory.h"
#include "geckoprof/unwind/unwinder.h"
#include "stack_sample.h"

namespace geckoprof {

// LibunwindWalk: registers and stack from a stored sample; all else (unwind tables, code) from the stopped process.
// Caches are global, as fast as that API gets.
class LibunwindWalk {
 public:
  explicit LibunwindWalk(pid_t pid);
  ~LibunwindWalk();
  LibunwindWalk(const LibunwindWalk&) = delete;
  LibunwindWalk& operator=(const LibunwindWalk&) = delete;

  // Frames as Unwinder gives them. `last_error`: what unw_step returned at the end, 0 for the start of the thread.
  size_t Walk(const StackSample& sample, std::span<UnwoundFrame> out, int& last_error);
  // Forgets all that was cached.
  void Flush();

 private:
  static int ReadWord(unw_addr_space_t space, unw_word_t avma, unw_word_t* value, int write, void*);
  static int ReadRegister(unw_addr_space_t space, unw_regnum_t number, unw_word_t* value, int write, void*);
  // Whose stack is read: the argument that libunwind hands through belongs to its own ptrace part.
  static LibunwindWalk* current_;

  ProcessMemory memory_;
  unw_accessors_t accessors_;
  unw_addr_space_t space_;
  void* process_;  // what _UPT_create made
  const StackSample* sample_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_BENCH_UNWIND_LIBUNWIND_WALK_H_
