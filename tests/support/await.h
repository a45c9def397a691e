// Waits for a state of a program or of the kernel, which tests use instead of sleeps of a guessed length.
#ifndef GECKOPROF_TESTS_SUPPORT_AWAIT_H_
#define GECKOPROF_TESTS_SUPPORT_AWAIT_H_

#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace geckoprof {

// Waits until `condition` holds. Returns false if it does not hold for 10 s.
template <typename Condition>
bool Soon(const Condition& condition) {
  for (int i = 0; i < 50'000; ++i) {
    if (condition()) return true;
    usleep(200);
  }
  return false;
}

// Returns the state of a thread, or of a process's main thread, as proc(5) has it. Returns 'X' if there is none.
inline char ThreadState(pid_t tid) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(tid) + "/stat"), line);
  const size_t name_end = line.rfind(')');
  return name_end == std::string::npos ? 'X' : line[name_end + 2];
}

// Waits until the thread has ended. A main thread that ended is a zombie while others run.
inline bool AwaitEnd(pid_t tid) {
  return Soon([tid] {
    const char state = ThreadState(tid);
    return state == 'X' || state == 'Z';
  });
}

// Waits until the thread waits in the kernel. Returns false if it ends instead. A thread may wait in several calls, so
// the caller first waits until no other call lies ahead of the one that it means.
inline bool AwaitBlocked(pid_t tid) {
  char state = 'R';
  Soon([&] {
    state = ThreadState(tid);
    return state == 'S' || state == 'X' || state == 'Z';
  });
  return state == 'S';
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_AWAIT_H_
