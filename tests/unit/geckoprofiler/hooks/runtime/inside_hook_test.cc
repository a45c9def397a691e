#include "runtime/inside_hook.h"

#include <setjmp.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

[[gnu::noinline]] bool AskBelow() { return IsInsideHook(); }

// Records, asks as a hook that it calls would, and leaves by a jump if there is a place for it.
[[gnu::noinline]] bool Record(jmp_buf* place) {
  const InsideHook inside;
  const bool answer = AskBelow();
  if (place != nullptr) longjmp(*place, 1);
  errno = 5;
  return answer;
}

TEST_CASE("a hook below a recording is inside, and errno is as before") {
  errno = 7;
  CHECK_FALSE(AskBelow());
  CHECK(Record(nullptr));
  CHECK(errno == 7);
  CHECK_FALSE(AskBelow());
}

TEST_CASE("a recording that a jump has left is over") {
  jmp_buf place;
  if (setjmp(place) == 0) (void)Record(&place);
  CHECK_FALSE(AskBelow());
  CHECK(Record(nullptr));
  CHECK_FALSE(AskBelow());
}

}  // namespace
}  // namespace geckoprof
