#include "markers/captured_stack.h"

#include <stdlib.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/unwind/rule_cache.h"
#include "markers/new_pending_marker_stacks.h"

namespace geckoprof {
namespace {

constexpr uint64_t kCaller = 0x3000;

// What a reader makes of the field: addresses in hexadecimal, labels, reasons in angle brackets. `pairs`: gets the
// labels' categories.
std::vector<std::string> Read(std::span<const uint8_t> bytes, std::vector<uint64_t>* pairs = nullptr) {
  std::vector<std::string> names;
  Leb128Reader reader(bytes);
  const uint64_t head = reader.Uleb();
  if ((head & 1) != 0) return {"deferred " + std::to_string(head >> 1)};
  uint64_t address = 0;
  for (uint64_t left = head >> 1; left > 0; --left) {
    const uint64_t word = reader.Uleb();
    switch (static_cast<StackFrameKind>(word & 3)) {
      case StackFrameKind::kNative: {
        address += static_cast<uint64_t>(FromZigzag(word >> 2));
        char text[32];
        snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(address));
        names.emplace_back(text);
        break;
      }
      case StackFrameKind::kInlineLabel: {
        const auto text = reader.Bytes(word >> 2);
        names.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
        const uint64_t pair = reader.Uleb();
        if (pairs != nullptr) pairs->push_back(pair);
        break;
      }
      default:
        names.push_back("<" + std::to_string(word >> 2) + ">");
    }
  }
  CHECK(reader.ok());
  CHECK(reader.remaining() == 0);
  return names;
}

// Words that begin at a page, so that few of them lie in one page.
template <typename T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <typename Other>
  explicit PageAllocator(const PageAllocator<Other>&) {}
  T* allocate(size_t count) {
    void* const memory = aligned_alloc(kPageBytes, RoundUpTo(count * sizeof(T), kPageBytes));
    REQUIRE(memory != nullptr);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { free(memory); }
  bool operator==(const PageAllocator&) const = default;
};

// main (0x1000) called run (0x2000), which called step (0x3000), which marks; two words a frame, of a stack that the
// test has made up.
struct World {
  World() {
    for (const uint64_t address : {0x3000, 0x2000}) {
      cache.Store(address - 1, {CompactRule::kFromSp, 2, -1, CompactRule::kNotSaved}, true);
    }
    cache.Store(0x1000 - 1, CompactRule::FromKind(CompactRule::kStart), true);
  }
  uint64_t sp() const { return reinterpret_cast<uint64_t>(words.data()); }
  CapturedStack::Thread Thread() const { return {7, {sp(), sp() + 8 * words.size()}, labels, 0, word, memory}; }
  bool Capture(bool native = true) { return stack.Capture(Thread(), {kCaller, sp(), 0}, native); }

  PendingMarkerStacks& shared = NewMarkerStacks();
  RuleCache cache{&shared.sampler_rules()};
  std::vector<uint64_t, PageAllocator<uint64_t>> words = {0, 0x2000, 0, 0x1000, 0, 0};
  ProfilingStack labels;
  mutable SamplerSleep word{};
  MarkerStackMemory* const memory = MarkerStackMemory::New();
  CapturedStack stack{shared};
};

using Names = std::vector<std::string>;

TEST_CASE("a stack of known rules goes into the marker, outermost first, with the labels where they belong") {
  World world;
  world.labels.Push("in main", nullptr, 0x100, world.words.data() + 4);
  world.labels.Push("in step", "dynamic", 0x100, world.words.data());
  CHECK(world.Capture());
  CHECK(Read(world.stack.bytes()) == Names{"1000", "in main", "2000", "3000", "in step dynamic"});
  CHECK_FALSE(world.shared.AnyPublished());
}

TEST_CASE("the same stack has the labels of each time") {
  World world;
  for (const char* const label : {"first", "second"}) {
    world.labels.Push(label, nullptr, 0x100, world.words.data() + 4);
    CHECK(world.Capture());
    CHECK(Read(world.stack.bytes()) == Names{"1000", label, "2000", "3000"});
    world.labels.Pop();
  }
  CHECK(world.Capture());
  CHECK(Read(world.stack.bytes()) == Names{"1000", "2000", "3000"});
}

TEST_CASE("a stale label is left out, and a label of another stack stands beside the one before it") {
  World world;
  world.labels.Push("in main", nullptr, 0x100, world.words.data() + 4);
  world.labels.Push("stale", nullptr, 0x100, reinterpret_cast<void*>(world.sp() - 64));
  world.labels.Push("of another stack", nullptr, 0x100, reinterpret_cast<void*>(64));
  world.labels.Push("in step", nullptr, 0x100, world.words.data());
  CapturedStack::Thread thread = world.Thread();
  thread.stack.low -= 4096;
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"1000", "in main", "of another stack", "2000", "3000", "in step"});
}

TEST_CASE("labels alone need no rules") {
  World world;
  world.labels.Push("one", nullptr, 0x100, world.words.data() + 4);
  world.cache.SetGeneration(1);
  CHECK(world.Capture(false));
  std::vector<uint64_t> pairs;
  CHECK(Read(world.stack.bytes(), &pairs) == Names{"one"});
  CHECK(pairs == std::vector<uint64_t>{0x100});
  world.labels.Pop();
  CHECK(world.Capture(false));
  CHECK(world.stack.bytes().empty());
}

TEST_CASE("a label without texts is there, and one with an empty text of the moment is the one without") {
  World world;
  world.labels.Push(nullptr, nullptr, 0x100, world.words.data() + 4);
  world.labels.Push("same", "", 0x100, world.words.data() + 4);
  CHECK(world.Capture(false));
  CHECK(Read(world.stack.bytes()) == Names{"", "same"});
}

TEST_CASE("labels past the limits of samples are left out and counted, alone and beside frames that are known") {
  World world;
  for (uint32_t i = 0; i < 40; ++i) world.labels.Push("short", nullptr, 0x100, world.words.data() + 4);
  CHECK(world.Capture(false));
  CHECK(Read(world.stack.bytes()).size() == CaptureBuffer::kMaxLabels);
  CHECK(world.stack.labels_missing() == 40 - CaptureBuffer::kMaxLabels);
  CHECK(world.Capture());
  CHECK(Read(world.stack.bytes()).size() == 3 + CaptureBuffer::kMaxLabels);
  CHECK(world.stack.labels_missing() == 40 - CaptureBuffer::kMaxLabels);
  world.labels.PopTo(0);
  const std::string long_one(502, 'z');
  for (int i = 0; i < 6; ++i) world.labels.Push(long_one.c_str(), nullptr, 0x100, world.words.data() + 4);
  CHECK(world.Capture(false));
  CHECK(Read(world.stack.bytes()) == Names(4, long_one));
  CHECK(world.stack.labels_missing() == 2);
  CHECK(world.Capture());
  CHECK(Read(world.stack.bytes())[0].starts_with("deferred"));
  CHECK(world.stack.labels_missing() == 1);  // the sampler has room for the first bytes of the fifth
  while (world.shared.Acquire() != nullptr) {
  }
  CHECK_FALSE(world.Capture());
  const auto names = Read(world.stack.bytes());
  CHECK(names.size() == 1 + 3 + 4);
  CHECK(names[0] == "<" + std::to_string(static_cast<int>(StackProblem::kNotLearnt)) + ">");
  CHECK(world.stack.labels_missing() == 2);
}

TEST_CASE("frames of no interest are left out, wherever the stack is unwound") {
  World world;
  CapturedStack::Thread thread = world.Thread();
  thread.skipped_frames = 1;
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"1000", "2000"});
  world.labels.Push("in main", nullptr, 0x100, world.words.data() + 4);
  world.labels.Push("stale, since the frames that are left out open none", nullptr, 0x100, world.words.data());
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"1000", "in main", "2000"});
  world.labels.PopTo(0);
  thread.skipped_frames = 9;
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(world.stack.bytes().empty());
  thread.skipped_frames = 1;
  world.words[1] = 0x2500;
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  uint32_t skipped = 0;
  world.stack.HandOver({});
  world.shared.Drain([](void* context, uint64_t,
                        const CaptureBuffer& copy) { *static_cast<uint32_t*>(context) = copy.skipped_frames; },
                     &skipped);
  CHECK(skipped == 1);
}

TEST_CASE("frames of the library are left out") {
  World world;
  world.shared.SetOwnCode({0x1f00, 0x2000});
  CHECK(world.Capture());
  CHECK(Read(world.stack.bytes()) == Names{"1000", "3000"});
}

TEST_CASE("a rule that is missing leaves it to the sampler, with a copy of the real stack") {
  World world;
  world.words[1] = 0x2500;
  CHECK(world.Capture());
  const auto names = Read(world.stack.bytes());
  REQUIRE(names.size() == 1);
  CHECK(names[0] == "deferred 1");
  struct Seen {
    int count = 0;
    uint64_t sp = 0, pc = 0;
    uint32_t bytes = 0;
    ChunkUse marker;
  } seen;
  CHECK_FALSE(world.shared.AnyPublished());  // the marker comes first
  world.stack.HandOver({ChunkId::FromNumber(3), 0x50000});
  world.stack.HandOver({});  // once is enough
  world.shared.Drain(
      [](void* context, uint64_t, const CaptureBuffer& copy) {
        auto* const out = static_cast<Seen*>(context);
        *out = {out->count + 1,
                copy.registers.sp,
                copy.registers.pc,
                copy.copied_bytes,
                {ChunkId::FromNumber(copy.marker_chunk), copy.marker_block}};
      },
      &seen);
  CHECK(seen.count == 1);
  CHECK(seen.bytes > 0);
  CHECK(seen.marker.chunk == ChunkId::FromNumber(3));
  CHECK(seen.marker.block == 0x50000);
  CHECK(seen.pc != 0);
  CHECK(seen.sp < reinterpret_cast<uint64_t>(&seen));  // of the function that copied, below this one
}

TEST_CASE("of a stack that is not the thread's there is what its page shows, and why it is not more") {
  World world;
  world.words.assign(1024, 0);  // of more than a page
  uint64_t* const top =
      world.words.data() + (kPageBytes - world.sp() % kPageBytes) / 8 - 2;  // the page's last two words
  top[1] = 0x2000;
  const auto at = reinterpret_cast<uint64_t>(top);
  CapturedStack::Thread thread = world.Thread();
  thread.stack = {1 << 20, 2 << 20};
  world.labels.Push("main", nullptr, 0x100, reinterpret_cast<void*>((2 << 20) - 64));
  CHECK(world.stack.Capture(thread, {kCaller, at, 0}, /*native=*/true));
  const std::string reason = "<" + std::to_string(static_cast<int>(StackProblem::kUnknownStack)) + ">";
  CHECK(Read(world.stack.bytes()) == Names{reason, "main", "2000", "3000"});
  world.labels.Push("of a frame past the page", nullptr, 0x100, top + 2);
  world.labels.Push("of the outer frame", nullptr, 0x100, top + 1);
  CHECK(world.stack.Capture(thread, {kCaller, at, 0}, /*native=*/true));
  CHECK(Read(world.stack.bytes()) ==
        Names{reason, "main", "of a frame past the page", "2000", "3000", "of the outer frame"});
  CHECK_FALSE(world.shared.AnyPublished());
}

TEST_CASE(
    "where none but frames of no interest are known of another stack, the sampler is given what is surely there") {
  World world;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  CapturedStack::Thread thread = world.Thread();
  thread.stack = {1 << 20, 2 << 20};
  thread.unloads = 1;  // no rules are known
  thread.skipped_frames = 1;
  CHECK(world.stack.Capture(thread, {kCaller, here, 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"deferred 1"});
  struct Seen {
    uint64_t to = 0;
    bool is_unknown = false;
    StackRange stack = {0, 0};
  } seen;
  world.stack.HandOver({});
  world.shared.Drain(
      [](void* context, uint64_t, const CaptureBuffer& copy) {
        *static_cast<Seen*>(context) = {copy.copied_from + copy.copied_bytes, copy.unknown_stack, copy.stack};
      },
      &seen);
  CHECK(seen.to == RoundUpTo(here + 1, kPageBytes));
  CHECK(seen.is_unknown);
  CHECK(seen.stack.high == 2 << 20);
}

TEST_CASE("on another stack, labels of the thread's own one come before its frames") {
  World world;
  CapturedStack::Thread thread = world.Thread();
  thread.stack = {1 << 20, 2 << 20};
  world.labels.Push("main", nullptr, 0x100, reinterpret_cast<void*>((2 << 20) - 64));
  world.labels.Push("inner", nullptr, 0x100, world.words.data());
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"main", "1000", "2000", "3000", "inner"});
  world.words[1] = 0x2500;
  while (world.shared.Acquire() != nullptr) {
  }
  CHECK_FALSE(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  const std::string reason = "<" + std::to_string(static_cast<int>(StackProblem::kNotLearnt)) + ">";
  CHECK(Read(world.stack.bytes()) == Names{reason, "main", "2500", "3000", "inner"});
}

TEST_CASE("a rule that is missing on another stack, or does not fit, leaves it to the sampler, too") {
  const bool is_there = GENERATE(false, true);
  World world;
  if (is_there) world.cache.Store(0x2500 - 1, CompactRule::FromKind(CompactRule::kRow), true);
  world.words[1] = 0x2500;
  CapturedStack::Thread thread = world.Thread();
  thread.stack = {1 << 20, 2 << 20};
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes()) == Names{"deferred 1"});
}

TEST_CASE("another stack that returns to 0 within its page, or has too many frames or labels, is the sampler's") {
  World world;
  CapturedStack::Thread thread = world.Thread();
  thread.stack = {1 << 20, 2 << 20};
  SECTION("returns to 0") { world.words[1] = 0; }
  SECTION("too many frames") {
    world.words.assign(1024, 0x3000);  // of two pages
  }
  SECTION("too many labels") {
    static const std::string long_one(502, 'z');
    for (int i = 0; i < 5; ++i) world.labels.Push(long_one.c_str(), nullptr, 0x100, world.words.data() + 4);
  }
  const uint64_t at = RoundUpTo(world.sp(), world.words.size() > 512 ? kPageBytes : 1);
  CHECK(world.stack.Capture(thread, {kCaller, at, 0}, /*native=*/true));
  CHECK(Read(world.stack.bytes()) == Names{"deferred 1"});
}

TEST_CASE("stale rules are not used") {
  World world;
  CapturedStack::Thread thread = world.Thread();
  thread.unloads = 1;
  CHECK(world.stack.Capture(thread, {kCaller, world.sp(), 0}, true));
  CHECK(Read(world.stack.bytes())[0].starts_with("deferred"));
}

TEST_CASE("where the sampler has no more room, there is what is known, and why it is not more") {
  World world;
  while (world.shared.Acquire() != nullptr) {
  }
  world.words[1] = 0x2500;
  CHECK_FALSE(world.Capture());
  CHECK(Read(world.stack.bytes()) ==
        Names{"<" + std::to_string(static_cast<int>(StackProblem::kNotLearnt)) + ">", "2500", "3000"});
}

struct Stored {
  std::vector<geckoprof_stack_frame> frames;
  geckoprof_stack View() const {
    return {sizeof(geckoprof_stack),
            static_cast<uint32_t>(frames.size()),
            this,
            [](const void* context, uint32_t index, geckoprof_stack_frame* out) {
              *out = static_cast<const Stored*>(context)->frames[index];
            },
            0,
            0};
  }
};

TEST_CASE("a stored stack goes in as it is; of one that is too long the inner frames do, and the reason") {
  World world;
  Stored stored{{{0x10, nullptr, 0, 0}, {0, "a label", 7, 0x300}, {0x20, nullptr, 0, 0}}};
  CHECK(world.stack.Capture(stored.View()));
  std::vector<uint64_t> pairs;
  CHECK(Read(world.stack.bytes(), &pairs) == Names{"10", "a label", "20"});
  CHECK(pairs == std::vector<uint64_t>{0x300});
  stored.frames.assign(5000, {0x7f0000000000, nullptr, 0, 0});
  for (size_t i = 0; i < stored.frames.size(); i += 2) stored.frames[i].address += i * 1000;
  CHECK_FALSE(world.stack.Capture(stored.View()));
  const auto names = Read(world.stack.bytes());
  CHECK(names.size() > 100);
  CHECK(names[0] == "<" + std::to_string(static_cast<int>(StackProblem::kCopyLimit)) + ">");
  CHECK(names.back() == "7f0000000000");
  stored.frames.clear();
  CHECK(world.stack.Capture(stored.View()));
}

}  // namespace
}  // namespace geckoprof
