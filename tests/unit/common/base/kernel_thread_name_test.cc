#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string_view>
#include <thread>

#include "geckoprof/base/thread_name.h"

namespace geckoprof {
namespace {

TEST_CASE("the kernel's name of a thread is read, and none of one that is not there") {
  std::thread([] {
    pthread_setname_np(pthread_self(), "a name of 15 b.");
    char name[64] = "before";
    errno = EDOM;
    CHECK(ReadKernelThreadName(ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))), name));
    CHECK(std::string_view(name) == "a name of 15 b.");
    CHECK_FALSE(ReadKernelThreadName(ThreadId::FromNumber(1), name));
    CHECK(std::string_view(name).empty());
    CHECK(errno == EDOM);
  }).join();
}

}  // namespace
}  // namespace geckoprof
