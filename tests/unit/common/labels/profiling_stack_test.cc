#include "geckoprof/labels/profiling_stack.h"

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
