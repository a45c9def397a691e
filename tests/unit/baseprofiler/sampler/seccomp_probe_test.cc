#include "sampler/seccomp_probe.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>

#include "tests/support/forked_check.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

// Puts this process under a filter that answers one call with `action`.
bool Filter(uint32_t call, uint32_t action) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {static_cast<unsigned short>(sizeof(code) / sizeof(code[0])), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("without filters there is nothing to fear") { CHECK(MayRecordUnderFilters(0)); }

TEST_CASE("a filter that kills is found out, one that only refuses or allows is not in the way") {
  if (kIsSanitized) return;  // the child that tries shares our memory
  for (const uint32_t call : {SYS_close_range, SYS_rt_tgsigqueueinfo, SYS_process_vm_readv}) {
    INFO(call);
    CHECK(StatusInChild([call] {
            FORKED_REQUIRE(Filter(call, SECCOMP_RET_KILL_PROCESS));
            FORKED_REQUIRE(!MayRecordUnderFilters(-1));
            FORKED_REQUIRE(!MayRecordUnderFilters(1));
            FORKED_REQUIRE(waitpid(-1, nullptr, 0) == -1);  // no child is left to be waited for
            return 0;
          }) == 0);
  }
  CHECK(StatusInChild([] {
          FORKED_REQUIRE(Filter(SYS_close_range, SECCOMP_RET_ERRNO | 1));
          FORKED_REQUIRE(MayRecordUnderFilters(-1));
          FORKED_REQUIRE(MayRecordUnderFilters(1));
          return 0;
        }) == 0);
}

TEST_CASE("a filter that kills for a call of the clocks leaves a recording without them") {
  if (kIsSanitized) return;
  for (const uint32_t call : {SYS_perf_event_open, SYS_timer_create}) {
    INFO(call);
    CHECK(StatusInChild([call] {
            FORKED_REQUIRE(Filter(call, SECCOMP_RET_KILL_PROCESS));
            FORKED_REQUIRE(MayRecordUnderFilters(-1));
            FORKED_REQUIRE(!MayUseClocksUnderFilters());
            return 0;
          }) == 0);
  }
  CHECK(StatusInChild([] {
          FORKED_REQUIRE(Filter(SYS_perf_event_open, SECCOMP_RET_ERRNO | 1));
          FORKED_REQUIRE(MayRecordUnderFilters(-1));
          FORKED_REQUIRE(MayUseClocksUnderFilters());
          return 0;
        }) == 0);
}

TEST_CASE("more filters than are known to be harmless are not tried at all") {
  for (const uint32_t call : {SYS_clone, SYS_prctl, SYS_getpid, SYS_getppid, SYS_mmap, SYS_rt_sigprocmask}) {
    INFO(call);
    CHECK(StatusInChild([call] {
            FORKED_REQUIRE(Filter(call, SECCOMP_RET_KILL_PROCESS));
            FORKED_REQUIRE(!MayRecordUnderFilters(0));
            return 0;
          }) == 0);
  }
}

}  // namespace
}  // namespace geckoprof
