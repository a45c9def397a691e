#include "tools/support/memory_reserve.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

void RunOut() {
  volatile size_t too_many_bytes = PTRDIFF_MAX;
  ::operator delete(::operator new(too_many_bytes));
}

// The exit status of a process in which memory runs out.
template <typename Body>
int StatusOf(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int Act(void* context) { return static_cast<int>(std::string(100, 'x').size()) - 60 + *static_cast<int*>(context); }

TEST_CASE("where memory runs out the process ends by its last act") {
  if (kIsSanitized) return;  // to its allocator so large a request is a fault
  int context = 2, other = 3;
  CHECK(StatusOf([&] {
          const MemoryReserve reserve({&Act, &context});
          RunOut();
        }) == 42);
  CHECK(StatusOf([&] {
          const MemoryReserve reserve({&Act, &context});
          const MemoryReserve::Instead instead({&Act, &other});
          RunOut();
        }) == 43);
  CHECK(StatusOf([&] {
          const MemoryReserve reserve({&Act, &context});
          { const MemoryReserve::Instead instead({&Act, &other}); }
          RunOut();
        }) == 42);
  CHECK(StatusOf([&] {
          const MemoryReserve reserve({[](void*) -> int { throw std::runtime_error("no"); }, nullptr});
          RunOut();
        }) == 1);
}

TEST_CASE("without the reserve an exception is thrown, as everywhere") {
  int context = 2;
  CHECK_FALSE(MemoryReserve::IsHeld());
  {
    const MemoryReserve reserve({&Act, &context});
    CHECK(MemoryReserve::IsHeld());
  }
  CHECK_FALSE(MemoryReserve::IsHeld());
  CHECK(std::get_new_handler() == nullptr);
  if (!kIsSanitized) CHECK_THROWS_AS(RunOut(), std::bad_alloc);
}

}  // namespace
}  // namespace geckoprof
