#include "signal/sigaction_mask_translator.h"

#include <sys/auxv.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

struct sigaction Action(int flags, bool masks_ours) {
  struct sigaction action = {};
  action.sa_flags = flags;
  sigaddset(&action.sa_mask, SIGUSR2);
  if (masks_ours) sigaddset(&action.sa_mask, SIGURG);
  return action;
}

bool MasksOurs(const struct sigaction& action) { return sigismember(&action.sa_mask, SIGURG) == 1; }

struct Case {
  int signal;
  int flags;
  bool asked;
  bool in_kernel;
};

TEST_CASE("our signal stays open in handlers, but for faults on a stack of their own; shown is what was set") {
  const Case cases[] = {
      {SIGUSR1, 0, true, false},          {SIGUSR1, 0, false, false},
      {SIGUSR1, SA_ONSTACK, true, false}, {SIGSEGV, 0, true, false},
      {SIGSEGV, SA_ONSTACK, true, true},  {SIGSEGV, SA_ONSTACK, false, true},
      {SIGBUS, SA_ONSTACK, false, true},  {SIGSEGV, SA_ONSTACK | SA_NODEFER, false, false},
  };
  SigactionMaskTranslator masks;
  for (const Case& c : cases) {
    INFO("signal " << c.signal << " flags " << c.flags << " asked " << c.asked);
    const struct sigaction in_kernel = masks.ToKernel(Action(c.flags, c.asked), c.signal, SIGURG);
    CHECK(MasksOurs(in_kernel) == c.in_kernel);
    CHECK(sigismember(&in_kernel.sa_mask, SIGUSR2) == 1);
    struct sigaction shown = in_kernel;
    SigactionMaskTranslator::ToProgram(masks.ShownOf(c.signal), SIGURG, shown);
    CHECK(MasksOurs(shown) == c.asked);
  }
}

TEST_CASE("signals do not share what is kept of them") {
  SigactionMaskTranslator masks;
  masks.ToKernel(Action(0, true), SIGUSR1, SIGURG);
  masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, SIGURG);
  CHECK(masks.ShownOf(SIGUSR1).with_ours);
  CHECK_FALSE(masks.ShownOf(SIGUSR1).without_ours);
  CHECK(masks.ShownOf(SIGSEGV).without_ours);
  CHECK_FALSE(masks.ShownOf(SIGUSR2).with_ours);
}

TEST_CASE("nothing is kept open where the program handles the signal; fault handlers mask it all the same") {
  SigactionMaskTranslator masks;
  CHECK(MasksOurs(masks.ToKernel(Action(0, true), SIGUSR1, SIGURG, false)));
  CHECK_FALSE(masks.ShownOf(SIGUSR1).with_ours);
  CHECK_FALSE(MasksOurs(masks.ToKernel(Action(0, false), SIGUSR2, SIGURG, false)));
  CHECK(MasksOurs(masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, SIGURG, false)));
  CHECK(masks.ShownOf(SIGSEGV).without_ours);
  masks.Forget(SIGSEGV);
  CHECK_FALSE(masks.ShownOf(SIGSEGV).without_ours);
}

TEST_CASE("an alternate stack must hold the kernel's frame and our handler") {
  const size_t frame = getauxval(AT_MINSIGSTKSZ) != 0 ? getauxval(AT_MINSIGSTKSZ) : 2048;
  stack_t stack = {};
  stack.ss_size = frame;
  CHECK_FALSE(FitsOurHandler(stack));
  stack.ss_size = frame + 1024;
  CHECK(FitsOurHandler(stack));
}

}  // namespace
}  // namespace geckoprof
