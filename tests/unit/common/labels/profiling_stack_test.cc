#include "geckoprof/labels/profiling_stack.h"

#include <signal.h>
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <memory>

namespace geckoprof {
namespace {

TEST_CASE("labels are pushed and popped like the scopes that they stand for") {
  const auto stack = std::make_unique<ProfilingStack>();
  int here = 0;
  stack->Push("outer", nullptr, 0x100, &here);
  stack->Push("inner", "now", 0x201, &here);
  REQUIRE(stack->depth() == 2);
  CHECK(stack->frame(1).dynamic == std::string_view("now"));
  CHECK(stack->frame(1).category_pair == 0x201);
  CHECK(stack->frame(0).stack_address == reinterpret_cast<uintptr_t>(&here));
  stack->Pop();
  CHECK(stack->depth() == 1);
  CHECK(stack->frame(0).label == std::string_view("outer"));
}

TEST_CASE("the innermost address is that of the last entry that is stored, and the highest of an empty stack") {
  const auto stack = std::make_unique<ProfilingStack>();
  CHECK(stack->InnermostAddress() == UINTPTR_MAX);
  for (uintptr_t i = 1; i <= ProfilingStack::kCapacity + 5; ++i) {
    stack->Push("open", nullptr, 0, reinterpret_cast<void*>(1000 - i));
  }
  CHECK(stack->InnermostAddress() == 1000 - ProfilingStack::kCapacity);
  stack->PopTo(1);
  CHECK(stack->InnermostAddress() == 999);
}

// Pushes and pops at any instruction of the main program's pushes and pops.
ProfilingStack* g_interrupted;
uint32_t g_interruptions;
void PushInHandler(int) {
  int here = 0;
  const uint32_t depth = g_interrupted->depth();
  g_interrupted->Push("handler", nullptr, 0x300, &here);
  g_interrupted->Push("handler", nullptr, 0x300, &here);
  g_interrupted->Pop();
  g_interrupted->Pop();
  if (g_interrupted->depth() == depth) ++g_interruptions;
}

TEST_CASE("a handler may push and pop wherever it interrupts the owner") {
  const auto stack = std::make_unique<ProfilingStack>();
  g_interrupted = stack.get();
  g_interruptions = 0;
  signal(SIGALRM, &PushInHandler);
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  int here = 0;
  bool as_pushed = true;
  for (uint32_t n = 0; g_interruptions < 500; ++n) {
    stack->Push("outer", "dynamic", 0x100, &here);
    const LabelFrame& frame = stack->frame(0);
    as_pushed &= stack->depth() == 1 && frame.label[0] == 'o' && frame.dynamic != nullptr &&
                 frame.category_pair == 0x100 && frame.stack_address == reinterpret_cast<uintptr_t>(&here);
    stack->Pop();
    as_pushed &= stack->depth() == 0 && frame.stack_address == 0;
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, SIG_DFL);
  CHECK(as_pushed);
}

TEST_CASE("a label that is left twice leaves nothing else") {
  const auto stack = std::make_unique<ProfilingStack>();
  stack->Pop();
  CHECK(stack->depth() == 0);
  int here = 0;
  stack->Push("outer", nullptr, 0, &here);
  CHECK(stack->frame(0).stack_address != 0);
  stack->Pop();
  stack->Pop();
  CHECK(stack->depth() == 0);
}

TEST_CASE("what is left open inside of a label goes with it") {
  const auto stack = std::make_unique<ProfilingStack>();
  int here = 0;
  const uint32_t outer = stack->Push("outer", nullptr, 0, &here);
  const uint32_t inner = stack->Push("inner", nullptr, 0, &here);
  for (uint32_t i = 0; i < 2 * ProfilingStack::kCapacity; ++i) stack->Push("left", nullptr, 0, &here);
  stack->PopTo(inner);
  CHECK(stack->depth() == 1);
  for (uint32_t i = 1; i < ProfilingStack::kCapacity; ++i) CHECK(stack->frame(i).stack_address == 0);
  stack->PopTo(inner);  // twice
  CHECK(stack->depth() == 1);
  stack->PopTo(outer);
  CHECK(stack->depth() == 0);
}

TEST_CASE("stale labels are dropped from the innermost on, up to one that is not stale") {
  const auto stack = std::make_unique<ProfilingStack>();
  const auto push = [&](uintptr_t address) { stack->Push("label", nullptr, 0, reinterpret_cast<void*>(address)); };
  constexpr StackRange kStale = {1000, 5000};
  stack->DropStale(kStale);
  CHECK(stack->depth() == 0);
  for (const uintptr_t address : {8000, 3000, 6000, 2000, 1500}) push(address);
  stack->DropStale({0, 0});
  CHECK(stack->depth() == 5);
  stack->DropStale(kStale);
  CHECK(stack->depth() == 3);  // 6000 is open, and its scope's end drops 3000
  push(20'000);                // of another stack
  stack->DropStale(kStale);
  CHECK(stack->depth() == 4);
}

TEST_CASE("what is past the capacity goes with the frame that it was opened in") {
  const auto stack = std::make_unique<ProfilingStack>();
  stack->Push("open", nullptr, 0, reinterpret_cast<void*>(8000));
  for (uint32_t i = 0; i < 2 * ProfilingStack::kCapacity; ++i)
    stack->Push("stale", nullptr, 0, reinterpret_cast<void*>(2000));
  stack->DropStale({1000, 5000});
  CHECK(stack->depth() == 1);
  for (uint32_t i = 0; i < ProfilingStack::kCapacity; ++i)
    stack->Push("open", nullptr, 0, reinterpret_cast<void*>(8000));
  stack->DropStale({1000, 5000});
  CHECK(stack->depth() == 1 + ProfilingStack::kCapacity);
}

TEST_CASE("clearing empties every place, also when labels were nested too deeply") {
  const auto stack = std::make_unique<ProfilingStack>();
  for (uint32_t i = 0; i < 2 * ProfilingStack::kCapacity; ++i) stack->Push("open", nullptr, 0, &i);
  stack->Clear();
  CHECK(stack->depth() == 0);
  for (uint32_t i = 0; i < ProfilingStack::kCapacity; ++i) CHECK(stack->frame(i).stack_address == 0);
}

TEST_CASE("past the capacity the depth goes on and nothing is overwritten") {
  const auto stack = std::make_unique<ProfilingStack>();
  for (uint32_t i = 0; i < ProfilingStack::kCapacity + 10; ++i)
    stack->Push(i < ProfilingStack::kCapacity ? "kept" : "lost", nullptr, 0, &i);
  CHECK(stack->depth() == ProfilingStack::kCapacity + 10);
  for (uint32_t i = 0; i < ProfilingStack::kCapacity; ++i) CHECK(stack->frame(i).label == std::string_view("kept"));
  for (uint32_t i = 0; i < ProfilingStack::kCapacity + 10; ++i) stack->Pop();
  CHECK(stack->depth() == 0);
}

}  // namespace
}  // namespace geckoprof
