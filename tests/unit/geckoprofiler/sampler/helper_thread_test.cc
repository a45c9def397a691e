#include "sampler/helper_thread.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("functions run on one thread, whose descriptors are not the program's") {
  std::atomic<int32_t> tid{0};
  std::atomic<int64_t> cpu_ns{0};
  HelperThread helper(&tid, &cpu_ns);
  CHECK(tid == 0);
  struct Seen {
    long tid = 0;
    int file = -1;
    bool has_ours = true;
  } first, second;
  const int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto look = [](void* argument) {
    auto* const seen = static_cast<Seen*>(argument);
    seen->tid = syscall(SYS_gettid);
    seen->file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    seen->has_ours = fcntl(STDERR_FILENO, F_GETFD) >= 0 && seen->file != STDERR_FILENO;
  };
  REQUIRE(helper.Run(look, &first));
  REQUIRE(helper.Run(look, &second));
  CHECK(first.tid == second.tid);
  CHECK(tid == first.tid);
  CHECK(cpu_ns > 0);
  CHECK(first.tid != syscall(SYS_gettid));
  CHECK(first.file == 0);  // it begins with none
  CHECK_FALSE(first.has_ours);
  CHECK(fcntl(ours, F_GETFD) >= 0);  // and ours are still there
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  CHECK(next == ours + 1);
  close(next);
  close(ours);
  helper.End();
  helper.End();
  REQUIRE(helper.Run(look, &second));
  CHECK(second.tid != first.tid);
}

}  // namespace
}  // namespace geckoprof
