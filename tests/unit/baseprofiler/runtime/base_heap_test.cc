#include "runtime/base_heap.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/forked_check.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

TEST_CASE("blocks of every size are aligned, writable to the last byte and apart from each other") {
  std::vector<std::pair<uint8_t*, size_t>> blocks;
  for (size_t size = 0; size < 200'000; size = size * 5 / 4 + 1) {
    auto* const block = static_cast<uint8_t*>(BaseHeap::Allocate(size));
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(block) % alignof(max_align_t) == 0);
    memset(block, static_cast<int>(blocks.size()), size);
    blocks.emplace_back(block, size);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    bool same = true;
    for (size_t at = 0; at < size; ++at) same &= block[at] == static_cast<uint8_t>(i);
    CHECK(same);
    BaseHeap::Free(block);
  }
}

TEST_CASE("a freed block is handed out again for the same size") {
  void* const other = BaseHeap::Allocate(1000);
  void* const block = BaseHeap::Allocate(1000);
  BaseHeap::Free(block);
  CHECK(BaseHeap::Allocate(1000) == block);
  BaseHeap::Free(block);
  BaseHeap::Free(other);
  BaseHeap::Free(nullptr);
}

TEST_CASE("memory does not grow when blocks come and go") {
  if (kIsSanitized) return;
  CHECK(StatusInChild([] {
          const rlimit limit = {uint64_t{4} << 30, uint64_t{4} << 30};
          FORKED_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
          for (int i = 0; i < 20'000; ++i) BaseHeap::Free(BaseHeap::Allocate(1'000'000));  // 20 GB if it leaked
          for (int i = 0; i < 1'000'000; ++i) BaseHeap::Free(BaseHeap::Allocate(10'000));  // 10 GB
          return 0;
        }) == 0);
}

struct Work {
  std::vector<void*> blocks;
  size_t size = 0;
  int limit = 0;
  int done = 0;
  static void Run(void* argument) {
    auto& self = *static_cast<Work*>(argument);
    for (; self.done < self.limit; ++self.done) {
      memset(BaseHeap::Allocate(self.size), 1, self.size);
    }
  }
};

TEST_CASE("work that finds memory is done to its end") {
  Work work;
  work.size = 100;
  work.limit = 10;
  CHECK(BaseHeap::RunOrEscape(&Work::Run, &work));
  CHECK(work.done == 10);
}

// Of this process, with what other cases left: arenas of libc's heap, say.
uint64_t AddressSpaceBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST_CASE("when memory runs out the work is left in the middle, and what follows goes on") {
  if (kIsSanitized) return;
  for (const size_t size : {size_t{100}, size_t{20'000}, size_t{1'000'000}}) {
    INFO(size);
    CHECK(StatusInChild([size] {
            const uint64_t most = AddressSpaceBytes() + (uint64_t{300} << 20);
            const rlimit limit = {most, most};
            FORKED_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
            for (int i = 0; i < 3; ++i) {  // the escape can be armed again
              Work work;
              work.size = size;
              work.limit = 100'000'000;
              FORKED_REQUIRE(!BaseHeap::RunOrEscape(&Work::Run, &work));
              FORKED_REQUIRE(i > 0 || work.done > 10);
            }
            Work little;
            FORKED_REQUIRE(BaseHeap::RunOrEscape(&Work::Run, &little));
            return 0;
          }) == 0);
  }
}

TEST_CASE("a size that wraps round is memory that ran out") {
  Work work;
  work.size = ~size_t{0} - 3;
  work.limit = 1;
  CHECK_FALSE(BaseHeap::RunOrEscape(&Work::Run, &work));
}

TEST_CASE("two threads escape each on their own") {
  CHECK(StatusInChild([] {
          int failures = 0;
          const auto escape_often = [&failures] {
            for (int i = 0; i < 1000; ++i) {
              Work work;
              work.size = ~size_t{0} - 3;
              work.limit = 1;
              if (BaseHeap::RunOrEscape(&Work::Run, &work)) __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
            }
          };
          std::thread other(escape_often);
          escape_often();
          other.join();
          return failures == 0 ? 0 : 1;
        }) == 0);
}

TEST_CASE("a forked child starts with an empty heap") {
  CHECK(StatusInChild([] {
          void* const freed = BaseHeap::Allocate(500);
          BaseHeap::Free(freed);
          BaseHeap::AbandonAfterFork();
          FORKED_REQUIRE(BaseHeap::Allocate(500) != freed);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
