#include "sampler/source_thread.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

// A thread whose work counts its calls, and may be kept in a call.
struct Counting {
  std::atomic<int> calls{0};
  std::atomic<bool> is_kept{false}, again{false};
  std::atomic<int> file{-1};
  std::atomic<int32_t> tid{0};
  std::atomic<int64_t> cpu_ns{0};
  SourceThread thread;

  explicit Counting(bool has_own_files = false) {
    const auto work = [](void* context) {
      auto* const self = static_cast<Counting*>(context);
      self->file = open("/dev/null", O_RDONLY | O_CLOEXEC);
      close(self->file);
      ++self->calls;
      while (self->is_kept) sched_yield();
      return self->again ? MonotonicNs() : INT64_MAX;
    };
    thread.Assign({work, this, "Counting", has_own_files}, &tid, &cpu_ns);
  }
  ~Counting() {
    is_kept = false;
    thread.End();
    REQUIRE(Soon([this] { return thread.TryJoin(); }));
  }
};

TEST_CASE("a wake runs the work once, on a thread that is there from the start to the end") {
  Counting counting;
  CHECK(counting.thread.TryJoin());
  CHECK(counting.tid == 0);
  REQUIRE(counting.thread.Start());
  REQUIRE(counting.thread.Start());
  REQUIRE(Soon([&] { return counting.tid > 0; }));
  CHECK(counting.tid != syscall(SYS_gettid));
  CHECK_FALSE(counting.thread.TryJoin());
  CHECK_FALSE(counting.thread.IsOwn());
  REQUIRE(Soon([&] { return counting.calls == 1; }));
  for (int calls = 2; calls <= 3; ++calls) {
    counting.thread.Wake();
    REQUIRE(Soon([&] { return counting.calls == calls; }));
  }
  CHECK(Soon([&] { return counting.cpu_ns > 0; }));
  counting.thread.End();
  REQUIRE(Soon([&] { return counting.thread.TryJoin(); }));
  CHECK(counting.tid == 0);
  counting.thread.Wake();  // wakes nothing
  CHECK(counting.calls == 3);
}

TEST_CASE("a thread that was told to end during a call goes on if it is started before the call returns") {
  Counting counting;
  counting.is_kept = true;
  REQUIRE(counting.thread.Start());
  REQUIRE(Soon([&] { return counting.calls == 1; }));
  counting.thread.End();
  CHECK_FALSE(counting.thread.TryJoin());
  const int32_t tid = counting.tid;
  REQUIRE(counting.thread.Start());
  counting.is_kept = false;
  counting.thread.Wake();
  REQUIRE(Soon([&] { return counting.calls >= 2; }));
  CHECK(counting.tid == tid);
}

TEST_CASE("a thread that is held is made again after the hold, unless it has ended meanwhile") {
  Counting counting;
  REQUIRE(counting.thread.Start());
  counting.thread.Hold();
  REQUIRE(Soon([&] { return counting.thread.TryJoin(); }));
  REQUIRE(counting.thread.Start());
  CHECK(counting.tid == 0);
  counting.thread.Release();
  CHECK(counting.tid != 0);
  counting.thread.Hold();
  REQUIRE(Soon([&] { return counting.thread.TryJoin(); }));
  counting.thread.End();
  counting.thread.Release();
  CHECK(counting.tid == 0);
}

TEST_CASE("work that gives a time runs again without a wake") {
  Counting counting;
  counting.again = true;
  REQUIRE(counting.thread.Start());
  CHECK(Soon([&] { return counting.calls >= 5; }));
}

TEST_CASE("files of a thread that has its own take no number from the program") {
  Counting counting(/*has_own_files=*/true);
  REQUIRE(counting.thread.Start());
  REQUIRE(Soon([&] { return counting.calls == 1; }));
  CHECK(counting.file == 0);
}

}  // namespace
}  // namespace geckoprof
