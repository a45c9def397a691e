#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_CASE_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_CASE_H_

#include <signal.h>

#include <catch2/catch.hpp>

#include "libc/real_functions.h"
#include "signal/sampling_signal.h"
#include "tests/support/forked_check.h"

namespace geckoprof {

// What the handlers of a case saw. Everything is for good, so each case is a process of its own.
inline SamplerControl g_control;
inline ProcessIdentity g_process;
inline int g_received[65];
inline siginfo_t g_info;
inline sigset_t g_mask_inside;
#define CHECK_FORKED(...) CHECK(StatusInChild([] __VA_ARGS__) == 0)

inline void Count(int signal) {
  ++g_received[signal];
  sigprocmask(SIG_SETMASK, nullptr, &g_mask_inside);
}
inline void CountInfo(int signal, siginfo_t* info, void*) {
  Count(signal);
  g_info = *info;
}

inline struct sigaction Handler(int flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = &CountInfo;
  action.sa_flags = SA_SIGINFO | flags;
  return action;
}

inline struct sigaction KernelDisposition(int signal) {
  struct sigaction action = {};
  RealSigaction(signal, nullptr, &action);
  return action;
}

inline bool Masks(const struct sigaction& action, int signal) { return sigismember(&action.sa_mask, signal) == 1; }

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SIGNAL_SAMPLING_SIGNAL_CASE_H_
