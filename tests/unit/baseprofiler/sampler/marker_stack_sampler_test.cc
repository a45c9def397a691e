#include "sampler/marker_stack_sampler.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <span>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "markers/captured_stack.h"
#include "markers/new_pending_marker_stacks.h"
#include "tests/support/own_stack.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

struct World {
  World() { modules.Refresh(1); }
  CapturedStack::Thread Thread(uint32_t before) const {
    return {7, {OwnStack().low, OwnStack().high}, labels, before, word, nullptr};
  }

  // As if everything had been unloaded and loaded again in between.
  void ReadAnew() {
    modules.table().Refresh("", 2);
    modules.Refresh(MonotonicNs());
  }

  TestSegment test;
  PendingMarkerStacks& shared = NewMarkerStacks();
  MetadataWriter metadata{&test.segment()};
  SampleWriter samples{&test.segment()};
  std::atomic<uint32_t> unloads{0};
  ModuleRecorder modules{&metadata, &samples, &unloads};
  StackBuilder stacks{&modules, &shared.sampler_rules()};
  MarkerStackSampler sampler{&test.segment(), &shared, &stacks, &modules, &samples, &unloads};
  ProfilingStack labels;
  mutable SamplerSleep word{};
};

// What is captured from here; nothing is known of it at first.
__attribute__((noinline)) bool Mark(const World& world, CapturedStack& stack, uint32_t unloads = 0) {
  const auto* const frame = static_cast<const uintptr_t*>(__builtin_frame_address(0));
  const CallerFrame caller = {reinterpret_cast<uint64_t>(__builtin_return_address(0)),
                              reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()), frame[0]};
  const bool whole = stack.Capture(world.Thread(unloads), caller, true);
  stack.HandOver({});
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
  world.sampler.WritePending(true);
  CHECK_FALSE(world.shared.AnyPublished());
  CHECK(world.samples.chunk_serial() != 0);  // written

  SharedRules::View view;
  CompactRule rule;
  REQUIRE(world.shared.rules().StartRead(view));
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

// Whether the recording has the frame that says so.
bool SaysUnloaded(World& world) {
  const ProcessProfile profile = ReadBack(world.test);
  bool says = false;
  for (size_t i = 0; i < profile.strings.size(); ++i) {
    says = says || profile.strings[i] == "(no stack: a library was unloaded at once)";
  }
  CHECK(world.test.drops(DropReason::kMarkerStack) == (says ? 1 : 0));
  return says;
}

TEST_CASE("a stack that was copied before a library was unloaded is not looked for in what came after") {
  World world;
  world.sampler.ShareRules(0);
  CapturedStack stack(world.shared);
  REQUIRE(Mark(world, stack));
  world.unloads = 2;
  world.ReadAnew();  // all modules are new: any may have taken the place of another
  world.sampler.ShareRules(2);
  world.sampler.WritePending(true);
  CHECK(world.samples.chunk_serial() != 0);
  CHECK(SaysUnloaded(world));
}

TEST_CASE("what was there before and is there still is what it was") {
  World world;
  world.sampler.ShareRules(0);
  CapturedStack stack(world.shared);
  REQUIRE(Mark(world, stack));
  world.unloads = 2;
  world.modules.Refresh(MonotonicNs());
  world.sampler.ShareRules(2);
  world.sampler.WritePending(true);
  CHECK(world.samples.chunk_serial() != 0);
  CHECK_FALSE(SaysUnloaded(world));
}

TEST_CASE("a stack that was copied after a library was unloaded is looked for in a new list") {
  World world;
  world.unloads = 2;
  CapturedStack stack(world.shared);
  REQUIRE(Mark(world, stack, 2));
  world.sampler.WritePending(true);
  CHECK(world.samples.chunk_serial() != 0);
  CHECK_FALSE(SaysUnloaded(world));
}

// How often the recording says that libraries went.
size_t CountMarks(World& world) {
  SegmentView view;
  REQUIRE(view.OpenFile(world.test.path().c_str()) == SegmentView::OpenResult::kOk);
  size_t count = 0;
  for (uint32_t i = 0; i < view.chunk_count(); ++i) {
    SegmentView::ChunkCopy chunk;
    if (view.CopyChunk(i, chunk) != SegmentView::CopyResult::kCopied || chunk.stream != kSamplerStream) continue;
    for (std::span<const uint8_t> rest = chunk.bytes; !rest.empty();) {
      Leb128Reader reader(rest);
      const auto entry = reader.Bytes(reader.Uleb());
      REQUIRE(reader.ok());
      count += entry[0] == static_cast<uint8_t>(EntryType::kUnmapped);
      rest = rest.last(reader.remaining());
    }
  }
  return count;
}

TEST_CASE("a library that is found gone when the list is read for a stack is said to be gone") {
  World world;
  world.sampler.ShareRules(0);
  CapturedStack before(world.shared), after(world.shared);
  REQUIRE(Mark(world, before));
  world.sampler.WritePending(true);
  void* const library = dlopen("libanl.so.1", RTLD_NOW);
  REQUIRE(library != nullptr);
  world.modules.Refresh(2);
  CHECK(CountMarks(world) == 0);
  dlclose(library);
  world.unloads = 1;
  REQUIRE(Mark(world, after, 1));
  world.sampler.WritePending(true);
  CHECK(CountMarks(world) == 1);
}

TEST_CASE("a copy from before all the lists that are remembered is not looked for at all") {
  World world;
  world.sampler.ShareRules(0);
  CapturedStack stack(world.shared);
  REQUIRE(Mark(world, stack));
  for (uint32_t unloads = 1; unloads <= 40; ++unloads) {
    world.unloads = unloads;
    world.modules.Refresh(int64_t{unloads} + 1);
    world.sampler.ShareRules(unloads);
  }
  world.sampler.WritePending(true);
  CHECK(world.samples.chunk_serial() != 0);
  CHECK(SaysUnloaded(world));
}

TEST_CASE("with nothing published nothing is written") {
  World world;
  world.sampler.WritePending(true);
  CHECK(world.samples.chunk_serial() == 0);
}

}  // namespace
}  // namespace geckoprof
