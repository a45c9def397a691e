#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <thread>

#include "baseprofiler/detail/runtime_type_description.h"
#include "tests/support/await.h"
#include "tests/support/forked_check.h"

namespace geckoprof::internal {
namespace {

struct Number {
  int value;
};

TEST_CASE("a value is made once, whoever asks") {
  FirstUse<Number> use;
  std::atomic<int> asking{0}, made{0};
  std::array<Number*, 4> got = {};
  std::array<std::thread, 4> threads;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&, i] {
      ++asking;
      got[i] = use.Get([&](void* place) {
        CHECK(Soon([&] { return asking == 4; }));
        return new (place) Number{++made};
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 1);
  for (const Number* number : got) CHECK((number == got[0] && number->value == 1));
  CHECK(use.Get([](void*) -> Number* { return nullptr; }) == got[0]);
}

TEST_CASE("who asks for a value while making it gets none") {
  FirstUse<Number> use;
  Number* inner = nullptr;
  bool asked = false;
  Number* const outer = use.Get([&](void* place) {
    inner = use.Get([&](void*) -> Number* {
      asked = true;
      return nullptr;
    });
    return new (place) Number{5};
  });
  CHECK((inner == nullptr && !asked && outer->value == 5));
}

TEST_CASE("a value whose making threw is made by the next who asks") {
  FirstUse<Number> use;
  CHECK_THROWS(use.Get([](void*) -> Number* { throw std::runtime_error("not yet"); }));
  CHECK(use.Get([](void* place) { return new (place) Number{6}; })->value == 6);
}

TEST_CASE("the child of a fork does not wait for who makes it in the parent") {
  static FirstUse<Number> use;
  static std::atomic<bool> begun{false}, may_end{false};
  std::thread maker([] {
    use.Get([](void* place) {
      begun = true;
      while (!may_end) usleep(1000);
      return new (place) Number{1};
    });
  });
  while (!begun) usleep(1000);
  const int status = StatusInChild([] {
    alarm(10);
    return use.Get([](void* place) { return new (place) Number{7}; })->value;
  });
  may_end = true;
  maker.join();
  CHECK(status == 7);
  CHECK(use.Get([](void*) -> Number* { return nullptr; })->value == 1);
}

}  // namespace
}  // namespace geckoprof::internal
