#include "markers/marker_stack_sampler.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "geckoprof/segment/leb128.h"
#include "markers/captured_stack.h"
#include "new_marker_stacks.h"
#include "tests/support/own_stack.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

struct World {
  World() { modules.Refresh(1); }
  CapturedStack::Thread Thread() const { return {7, {OwnStack().low, OwnStack().high}, labels, 0, word, nullptr}; }

  TestSegment test;
  MarkerStacks& shared = NewMarkerStacks();
  MetadataWriter metadata{&test.segment()};
  SampleWriter samples{&test.segment()};
  ModuleRecorder modules{&metadata};
  StackBuilder stacks{&modules, &shared.sampler_rules()};
  MarkerStackSampler sampler{&shared, &stacks, &modules, &samples};
  ProfilingStack labels;
  std::atomic<uint32_t> word{0};
};

// What is captured from here; nothing is known of it at first.
__attribute__((noinline)) bool Mark(const World& world, CapturedStack& stack) {
  const auto* const frame = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const CallerFrame caller = {reinterpret_cast<uint64_t>(__builtin_return_address(0)),
                              reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()), frame[0]};
  const bool whole = stack.Capture(world.Thread(), caller, true);
  asm volatile("" ::: "memory");  // not the last thing that it does
  return whole;
}

TEST_CASE("what a thread copied is unwound, written under its id, and its rules are known to threads then") {
  World world;
  world.sampler.ShareRules(0);
  CapturedStack stack(world.shared);
  REQUIRE(Mark(world, stack));
  Leb128Reader field(stack.bytes());
  CHECK((field.Uleb() & 1) == 1);
  CHECK(world.shared.AnyPublished());
  world.sampler.Take(true);
  CHECK_FALSE(world.shared.AnyPublished());
  CHECK(world.samples.chunk_serial() != 0);  // written

  SharedRules::View view;
  CompactRule rule;
  REQUIRE(world.shared.rules().Look(view));
  size_t known = 0;
  for (const void* address : {__builtin_return_address(0)}) {
    known += view.Find(reinterpret_cast<uint64_t>(address) - 1, rule) ? 1 : 0;
  }
  CHECK(known == 1);
}

TEST_CASE("rules are not shared while the list of modules is stale") {
  World world;
  world.modules.NoteUnknownAddress();
  world.sampler.ShareRules(5);
  CHECK_FALSE(world.shared.HasRulesFor(5));
  world.modules.Refresh(2);
  world.sampler.ShareRules(5);
  CHECK(world.shared.HasRulesFor(5));
}

TEST_CASE("with nothing published nothing is written") {
  World world;
  world.sampler.Take(true);
  CHECK(world.samples.chunk_serial() == 0);
}

}  // namespace
}  // namespace geckoprof
