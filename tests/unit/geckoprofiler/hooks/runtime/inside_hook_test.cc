#include "runtime/inside_hook.h"

#include <setjmp.h>

#include <catch2/catch.hpp>
#include <thread>

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

// On a thread of its own: frames of other cases may be below the one that was left.
TEST_CASE("a recording that a jump has left is over") {
  bool is_inside = true, is_inside_recording = false, is_inside_after = true;
  std::thread([&] {
    jmp_buf place;
    if (setjmp(place) == 0) (void)Record(&place);
    is_inside = AskBelow();
    is_inside_recording = Record(nullptr);
    is_inside_after = AskBelow();
  }).join();
  CHECK_FALSE(is_inside);
  CHECK(is_inside_recording);
  CHECK_FALSE(is_inside_after);
}

[[gnu::noinline]] bool AskDeep() {
  const volatile char room[4096] = {};
  const bool answer = AskBelow();
  return answer && room[1] == 0;  // the frame stays
}

TEST_CASE("a recording that a jump has left does not come back with the end of the next one") {
  bool is_inside_deep = true;
  std::thread([&] {
    jmp_buf place;
    if (setjmp(place) == 0) (void)Record(&place);
    (void)Record(nullptr);
    is_inside_deep = AskDeep();
  }).join();
  CHECK_FALSE(is_inside_deep);
}

}  // namespace
}  // namespace geckoprof
