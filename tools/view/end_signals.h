#ifndef GECKOPROF_TOOLS_VIEW_END_SIGNALS_H_
#define GECKOPROF_TOOLS_VIEW_END_SIGNALS_H_

#include <signal.h>
#include <sys/types.h>

#include <functional>

namespace geckoprof {

// EndSignals: SIGINT, SIGTERM and SIGHUP as the way to end a server, taken one by one by a thread that waits for them,
// so nothing happens inside a handler. One that was ignored when the process began (nohup) stays ignored.
// Threads: made before all other threads, which get its mask.
class EndSignals {
 public:
  EndSignals();
  // Those that wait are taken: they were meant for what has ended by now.
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Returns at the first of them. `child_ended` gets each child that ends meanwhile, and its status of waitpid(2).
  void Wait(const std::function<void(pid_t child, int status)>& child_ended) const;

  // What a child process should have instead.
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t awaited_, before_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_END_SIGNALS_H_
