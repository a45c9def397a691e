#include "markers/crash_report.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {
namespace {

// Two pages that cannot be read, and above them four that can: a guard and the rest of a stack.
class GuardedPages {
 public:
  static constexpr uintptr_t kGuard = 2 * kPageBytes, kAll = 6 * kPageBytes;
  GuardedPages() { mprotect(pages_, kGuard, PROT_NONE); }
  ~GuardedPages() { munmap(pages_, kAll); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  uintptr_t low() const { return reinterpret_cast<uintptr_t>(pages_); }
  uintptr_t readable() const { return low() + kGuard; }
  uintptr_t high() const { return low() + kAll; }

 private:
  void* const pages_ = mmap(nullptr, kAll, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

bool IsRange(const StackRange& range, uintptr_t low, uintptr_t high) { return range.low == low && range.high == high; }

TEST_CASE("a stack is read from its stack pointer on") {
  const GuardedPages pages;
  const StackRange known = {pages.readable(), pages.high()};
  const uintptr_t sp = pages.readable() + 3000;
  CHECK(IsRange(ReadableStack(sp, known), sp, pages.high()));
}

TEST_CASE("after an overflow a stack is read from its lowest page on") {
  const GuardedPages pages;
  const StackRange known = {pages.readable(), pages.high()};
  CHECK(IsRange(ReadableStack(pages.readable() - 8, known), pages.readable(), pages.high()));
  CHECK(IsRange(ReadableStack(pages.low() + 16, known), pages.readable(), pages.high()));
  // The known range may begin too high, and may reach beyond the mapped pages.
  CHECK(IsRange(ReadableStack(pages.readable() - 8, {pages.readable() + kPageBytes, pages.high()}), pages.readable(),
                pages.high()));
  CHECK(IsRange(ReadableStack(pages.low() + 16, {pages.low(), pages.high()}), pages.readable(), pages.high()));
}

TEST_CASE("of an unknown stack only the page of the stack pointer is read, if it can be") {
  const GuardedPages pages;
  const uintptr_t sp = pages.readable() + 3000;
  CHECK(IsRange(ReadableStack(sp, {0, 0}), sp, pages.readable() + kPageBytes));
  const StackRange none = ReadableStack(pages.low() + 8, {0, 0});
  CHECK(none.low == none.high);
  const StackRange wild = ReadableStack(0x10, {pages.readable(), pages.high()});
  CHECK(wild.low == wild.high);
}

}  // namespace
}  // namespace geckoprof
