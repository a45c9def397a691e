#include <pthread.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <thread>

#include "geckoprof/base/page_memory.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

bool IsNone(const StackRange& range) { return range.low == 0 && range.high == 0; }

__attribute__((noinline)) StackRange Deeper(ProbedStackBounds& stack, int64_t since_ns) {
  volatile uint8_t room[3 * kPageBytes];
  room[0] = 1;
  const StackRange range = stack.Find(reinterpret_cast<uintptr_t>(&room[0]), since_ns);
  CHECK(range.Contains(reinterpret_cast<uintptr_t>(&room[0])));
  return range;
}

TEST_CASE("a thread finds its own stack from where it is to its control block, and what is deeper when it is there") {
  StackRange first = {}, deeper = {}, again = {};
  std::thread([&] {
    ProbedStackBounds stack;
    first = stack.Find(Here(), 1);
    CHECK(first.Contains(Here()));
    CHECK(first.Contains(Here() - 4 * kPageBytes));  // what is called from here, a page or more below
    CHECK(stack.Find(Here(), 1).low == first.low);
    CHECK(first.high == reinterpret_cast<uintptr_t>(pthread_self()));
    deeper = Deeper(stack, 1);
    again = stack.Find(Here(), 1);
  }).join();
  CHECK(deeper.low < first.low);
  CHECK(deeper.high == first.high);
  CHECK(again.low == deeper.low);
}

TEST_CASE("the slot's next thread begins anew") {
  ProbedStackBounds stack;
  uintptr_t high = 0;
  std::thread([&] { high = stack.Find(Here(), 1).high; }).join();
  std::thread([&] { CHECK(stack.Find(Here(), 2).high == reinterpret_cast<uintptr_t>(pthread_self())); }).join();
  CHECK(high != 0);
}

TEST_CASE("a stack elsewhere is not the thread's own, below it or above it, nor where pages between cannot be read") {
  constexpr size_t kPages = 16;
  std::thread([] {
    ProbedStackBounds stack;
    const auto self = reinterpret_cast<uintptr_t>(pthread_self());
    CHECK(IsNone(stack.Find(self + kPageBytes, 1)));
    CHECK(IsNone(stack.Find(kPageBytes, 1)));
    CHECK(stack.Find(Here(), 1).Contains(Here()));
  }).join();
  // A stack that the program gave, with a page in its middle as a guard that only the program knows of.
  void* const given = mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(given != MAP_FAILED);
  REQUIRE(mprotect(static_cast<uint8_t*>(given) + kPageBytes, kPageBytes, PROT_NONE) == 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstack(&attributes, static_cast<uint8_t*>(given) + 2 * kPageBytes,
                                (kPages - 2) * kPageBytes) == 0);
  struct Found {
    uintptr_t other_sp;
    StackRange other, own;
  } found = {reinterpret_cast<uintptr_t>(given) + 64, {1, 1}, {}};
  pthread_t thread;
  const auto look = [](void* argument) -> void* {
    auto& out = *static_cast<Found*>(argument);
    ProbedStackBounds stack;
    out.other = stack.Find(out.other_sp, 1);
    out.own = stack.Find(Here(), 1);
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, look, &found) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(given, kPages * kPageBytes);
  CHECK(IsNone(found.other));
  CHECK(found.own.high != 0);
}

}  // namespace
}  // namespace geckoprof
