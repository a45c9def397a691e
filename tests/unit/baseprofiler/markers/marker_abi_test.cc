// The C functions, in the whole library: each case records in a forked child.
#include "baseprofiler/marker_abi.h"

#include <string.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "baseprofiler/marker_options.h"
#include "core/process_end.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/entries/marker_writer.h"
#include "marker_abi_case.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/interrupted_at.h"
#include "tests/support/own_stack.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

uint64_t Drops(DropReason reason) {
  return RecordingState::Get().RecordingSegment()->header().drops[static_cast<uint32_t>(reason)].load();
}

TEST_CASE("while nothing is recorded nothing is, and the answer says so") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          RecordingFolder::Load();
          geckoprof_marker_site site = Site("s");
          const geckoprof_marker_options options = At(0, 5, 5);
          FORKED_REQUIRE(geckoprof_base_wants_markers() == 0);
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 1);
          for (const uint32_t flags : {0u, GECKOPROF_MARKER_INTERVAL | GECKOPROF_MARKER_NOW}) {
            FORKED_REQUIRE(geckoprof_base_begin_in_place(&site, flags, 1, 1, 8) == nullptr);
          }
          FORKED_REQUIRE(site.registered == 0);
          FORKED_REQUIRE(folder.Start() && geckoprof_base_wants_markers() == 1);
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(ProfilerCore::Get().Pause() && geckoprof_base_wants_markers() == 0);
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Resume() && geckoprof_base_wants_markers() == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Stop() && geckoprof_base_wants_markers() == 0);
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 1);
          FORKED_REQUIRE(CountMarkers(folder.Read(getpid()), "s") == 1);
          return 0;
        }) == 0);
}

TEST_CASE("arguments that make no sense are refused") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const auto add = [](geckoprof_marker_site* site, const geckoprof_marker_options* options,
                              const geckoprof_piece* pieces = nullptr,
                              uint32_t count = 0) { return geckoprof_base_add_marker(site, options, pieces, count); };
          geckoprof_marker_site site = Site("s");
          geckoprof_marker_site nameless = Site(nullptr);
          geckoprof_marker_site small = Site("small");
          small.size_bytes = 8;
          geckoprof_marker_options options = At(0, 5, 5);
          FORKED_REQUIRE(add(nullptr, &options) == 5 && add(&site, nullptr) == 5);
          FORKED_REQUIRE(add(&small, &options) == 5 && add(&nameless, &options) == 5);
          FORKED_REQUIRE(add(&site, &options, nullptr, 1) == 5);
          const std::vector<geckoprof_piece> many(GECKOPROF_MOST_PIECES + 1, geckoprof_piece{"", 0});
          FORKED_REQUIRE(add(&site, &options, many.data(), static_cast<uint32_t>(many.size())) == 5);
          FORKED_REQUIRE(add(&site, &options, many.data(), GECKOPROF_MOST_PIECES) == 0);
          for (const uint32_t not_for_add : {GECKOPROF_MARKER_IS_TOO_LARGE * 2, 1u << 31}) {
            options.flags = not_for_add;
            FORKED_REQUIRE(add(&site, &options) == 5);
          }
          options.flags = 0;
          options.size_bytes = sizeof options - 1;
          FORKED_REQUIRE(add(&site, &options) == 5);
          options.size_bytes = sizeof options + 64;
          FORKED_REQUIRE(add(&site, &options) == 0);
          const uint64_t refused = Drops(DropReason::kBadMarker);
          FORKED_REQUIRE(refused == 9);
          for (const uint32_t not_in_place : {GECKOPROF_MARKER_WAS_CUT, GECKOPROF_MARKER_WITH_STACK, 1u << 31}) {
            FORKED_REQUIRE(geckoprof_base_begin_in_place(&site, not_in_place, 1, 1, 8) == nullptr);
          }
          FORKED_REQUIRE(geckoprof_base_begin_in_place(&site, 0, 1, 1, GECKOPROF_MOST_BYTES_IN_PLACE + 1) == nullptr);
          FORKED_REQUIRE(geckoprof_base_begin_in_place(&small, 0, 1, 1, 0) == nullptr);
          FORKED_REQUIRE(Drops(DropReason::kBadMarker) == refused + 5);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          FORKED_REQUIRE(CountMarkers(folder.Read(getpid()), "s") == 2);
          return 0;
        }) == 0);
}

TEST_CASE("every cut is counted: a text that the caller cut, a name that we do") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_site nameless = Site(nullptr);
          geckoprof_marker_options options = At(0, 5, 5);
          const std::string name(MarkerWriter::kLargestNameBytes + 1, 'n');
          options.name = name.c_str();
          options.name_bytes = MarkerWriter::kLargestNameBytes;
          FORKED_REQUIRE(geckoprof_base_add_marker(&nameless, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(Drops(DropReason::kTextCut) == 0);
          options.name_bytes = name.size();
          FORKED_REQUIRE(geckoprof_base_add_marker(&nameless, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(Drops(DropReason::kTextCut) == 1);
          options.name_bytes = 1;
          options.flags = GECKOPROF_MARKER_WAS_CUT;
          FORKED_REQUIRE(geckoprof_base_add_marker(&nameless, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(Drops(DropReason::kTextCut) == 2);
          return 0;
        }) == 0);
}

TEST_CASE("what is larger than a chunk is dropped as too large") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_site site = Site("s");
          const geckoprof_marker_options options = At(0, 5, 5);
          const std::string bytes(1 << 20, 'x');
          const geckoprof_piece piece = {bytes.data(), bytes.size()};
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, &piece, 1) == 3);
          FORKED_REQUIRE(Drops(DropReason::kTooLarge) == 1);
          const geckoprof_piece beyond[] = {{bytes.data(), UINT64_MAX}, {bytes.data(), 2}};
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, beyond, 2) == 3);
          const geckoprof_marker_options told = At(GECKOPROF_MARKER_IS_TOO_LARGE, 5, 5);  // by the caller
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &told, nullptr, 0) == 3);
          FORKED_REQUIRE(Drops(DropReason::kTooLarge) == 3);
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("a marker in the middle of another one is refused and counted, and that one is whole") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_field field{"n", nullptr, "integer", GECKOPROF_FIELD_INT64, 0};
          geckoprof_marker_type type{};
          type.size_bytes = sizeof type;
          type.name = "T";
          type.fields = &field;
          type.field_count = 1;
          geckoprof_marker_site site = Site("outer", &type), inner = Site("inner");
          const geckoprof_marker_options options = At(0, 5, 5);
          int64_t number = 77;
          const geckoprof_piece piece = {&number, sizeof number};
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, &piece, 1) == 0);
          void* const to = geckoprof_base_begin_in_place(&site, 0, 5, 5, 8);
          FORKED_REQUIRE(to != nullptr);
          FORKED_REQUIRE(geckoprof_base_add_marker(&inner, &options, nullptr, 0) == 4);
          FORKED_REQUIRE(geckoprof_base_begin_in_place(&inner, GECKOPROF_MARKER_NOW, 0, 0, 0) == nullptr);
          FORKED_REQUIRE(geckoprof_base_begin_in_place(&site, 0, 5, 5, 8) == nullptr);
          FORKED_REQUIRE(Drops(DropReason::kNested) == 3);
          memcpy(to, &number, sizeof number);
          geckoprof_base_end_in_place(0);
          FORKED_REQUIRE(geckoprof_base_add_marker(&inner, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "outer") == 2 && CountMarkers(profile, "inner") == 1);
          return 0;
        }) == 0);
}

#ifdef GECKOPROF_CAN_INTERRUPT_AT
geckoprof_marker_site g_inner = Site("inner");

// Two markers of a new thread, the first of their site, and one of a handler that interrupts them.
void MarkInterruptedAt(uint64_t index, bool& is_done) {
  geckoprof_marker_site site = Site("outer");
  const auto mark = [&] {
    MarkInstant(site, 5);
    MarkInstant(site, 6);
  };
  const auto interrupt = [] { MarkInstant(g_inner, 7); };
  std::thread([&] { is_done = !InterruptedAt(index, interrupt, mark); }).join();
}

TEST_CASE("a handler may interrupt a thread's first markers at any instruction: each is recorded or counted") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          constexpr uint64_t kApart = kIsSanitized ? 97 : 11;  // every instruction would take a minute
          uint64_t rounds = 0;
          for (bool is_done = false; !is_done; ++rounds) MarkInterruptedAt(rounds * kApart, is_done);
          FORKED_REQUIRE(rounds > 20);
          const uint64_t nested = Drops(DropReason::kNested);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(CountMarkers(profile, "outer") == 2 * rounds);
          FORKED_REQUIRE(CountMarkers(profile, "inner") + nested == rounds - 1 && nested > 0);
          return 0;
        }) == 0);
}
#endif

// What the marker "m" has, recorded with these features in a function with a label: labels, and other frames.
struct Frames {
  bool has_stack = false;
  int labels = 0, others = 0;
};
int MarkWithStack(const RecordingFolder& folder, uint32_t features, Frames& frames) {
  StartParameters parameters = folder.Asked();
  parameters.features = features;
  FORKED_REQUIRE(RecordingFolder::Load(OwnStack().high).Start(parameters) == ProfilerCore::StartResult::kStarted);
  RecordingState::Get().slots().Current()->labels.Push("label", nullptr, 0x100, __builtin_frame_address(0));
  geckoprof_marker_site site = Site("m");
  geckoprof_marker_options options = At(0, 5, 5);
  options.flags |= GECKOPROF_MARKER_WITH_STACK;
  FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 0);
  FORKED_REQUIRE(ProfilerCore::Get().Stop());
  const ProcessProfile profile = folder.Read(getpid());
  FORKED_REQUIRE(CountMarkers(profile, "m") == 1);
  for (const ThreadRow& thread : profile.threads) {
    if (thread.markers.empty() || thread.markers[0].stack == kNone) continue;
    frames.has_stack = true;
    for (int32_t at = thread.markers[0].stack; at > 0; at = profile.stacks[static_cast<size_t>(at)].prefix) {
      const StackRow& stack = profile.stacks[static_cast<size_t>(at)];
      const bool is_label = profile.frames[static_cast<size_t>(stack.frame)].kind == FrameKind::kLabel;
      ++(is_label ? frames.labels : frames.others);
    }
  }
  return 0;
}

TEST_CASE("a recording's features say what stacks markers have") {
  const auto expect = [](uint32_t features, const auto& is_right) {
    const RecordingFolder folder;
    CHECK(StatusInChild([&] {
            Frames frames;
            if (MarkWithStack(folder, features, frames) != 0) return 1;
            return is_right(frames) ? 0 : 2;
          }) == 0);
  };
  expect(kFeatureStackWalk, [](const Frames& found) { return found.labels == 1 && found.others > 0; });
  expect(0, [](const Frames& found) { return found.labels == 1 && found.others == 0; });
  for (const uint32_t without : {kFeatureNoMarkerStacks, kFeatureNoStackSampling}) {
    expect(kFeatureStackWalk | without, [](const Frames& found) { return !found.has_stack; });
  }
}

TEST_CASE("a stored stack that is too long is cut and counted, and a negative thread is the calling one") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_site site = Site("m");
          geckoprof_marker_options options = At(0, 5, 5);
          geckoprof_stack stack = {sizeof stack,
                                   10,
                                   nullptr,
                                   [](const void*, uint32_t i, geckoprof_stack_frame* out) {
                                     *out = {uint64_t{i % 2 + 1} << 40, nullptr, 0, 0};
                                   },
                                   0,
                                   0};
          options.stack = &stack;
          options.thread = -7;
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(Drops(DropReason::kMarkerStack) == 0);
          stack.frame_count = 5000;
          FORKED_REQUIRE(geckoprof_base_add_marker(&site, &options, nullptr, 0) == 0);
          FORKED_REQUIRE(Drops(DropReason::kMarkerStack) == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          for (const ThreadRow& thread : folder.Read(getpid()).threads) {
            FORKED_REQUIRE(thread.markers.size() == (thread.tid == getpid() ? 2 : 0));
          }
          return 0;
        }) == 0);
}

struct CountedBacktrace {
  struct Frame {
    uint64_t address;
    std::string_view label;
    uint32_t category_pair;
  };
  explicit CountedBacktrace(int* count) : count_(count) { ++*count_; }
  CountedBacktrace(const CountedBacktrace& other) : CountedBacktrace(other.count_) {}
  ~CountedBacktrace() { --*count_; }
  uint32_t size() const { return 1; }
  Frame frame(uint32_t) const { return {static_cast<uint64_t>(*count_), {}, 0}; }

 private:
  int* const count_;
};

uint64_t FirstAddress(const MarkerOptions& options) {
  geckoprof_stack_frame frame = {};
  const geckoprof_stack* const stack = options.Stack().stored();
  REQUIRE(stack != nullptr);
  stack->frame(stack->context, 0, &frame);
  return frame.address;
}

TEST_CASE("a backtrace that was given to a marker's options goes with the last copy of them, once") {
  int count = 0;
  {
    std::optional<MarkerOptions> options(MarkerStack::TakeBacktrace(std::make_unique<CountedBacktrace>(&count)));
    { const MarkerOptions moved_and_gone(std::move(*options)); }
    CHECK(count == 1);
    CHECK(FirstAddress(*options) == 1);  // NOLINT: what was moved from borrows nothing that went
    const MarkerOptions copied(*options);
    const MarkerOptions moved(std::move(*options));
    CHECK(count == 1);
    options.reset();
    CHECK(FirstAddress(copied) == 1);
    CHECK(FirstAddress(moved) == 1);
  }
  CHECK(count == 0);
}

TEST_CASE("a backtrace that a scope's options borrow is kept until its end") {
  int count = 0;
  {
    auto borrowed = std::make_unique<CountedBacktrace>(&count);
    MarkerOptions options(MarkerStack::UseBacktrace(*borrowed));
    CHECK(count == 1);
    options.BeginScope();
    CHECK(count == 2);
    borrowed.reset();
    CHECK(FirstAddress(options) == 1);
  }
  CHECK(count == 0);
}

TEST_CASE("in a forked child sites are known anew, and the parent's recording is left alone") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          geckoprof_marker_site site = Site("s");
          MarkInstant(site, 5);
          const uint64_t parents = site.registered;
          FORKED_REQUIRE(parents != 0);
          const int status = StatusInChild([&] {
            MarkInstant(site, 6);  // whether or not the child records
            if (geckoprof_base_wants_markers() != 0) FORKED_REQUIRE(site.registered != parents);
            return 0;
          });
          FORKED_REQUIRE(status == 0);
          MarkInstant(site, 7);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          FORKED_REQUIRE(CountMarkers(folder.Read(getpid()), "s") == 2);
          return 0;
        }) == 0);
}

// A capture of a process that goes on: it reads what there was when it began.
TEST_CASE("sites that come while a profile is made cost it nothing") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          std::vector<geckoprof_marker_site> sites(20'000, Site("new"));
          std::atomic<bool> reading{false}, done{false};
          std::thread marking([&] {
            while (!reading.load()) {
            }
            for (geckoprof_marker_site& site : sites) MarkInstant(site, geckoprof_base_time());
            done.store(true);
          });
          uint64_t unreadable = 0;
          while (!done.load()) {
            ProcessProfile profile;
            ReadOwnSegment(*RecordingState::Get().RecordingSegment(), profile);
            reading.store(true);
            for (const LossRow& loss : profile.losses) {
              if (loss.what == "unreadable-marker") unreadable += loss.count;
            }
          }
          marking.join();
          FORKED_REQUIRE(sites[100].registered != 0);
          if (unreadable != 0) fprintf(stderr, "%lu unreadable\n", static_cast<unsigned long>(unreadable));
          FORKED_REQUIRE(unreadable == 0);
          return 0;
        }) == 0);
}

TEST_CASE("the salt of flows is the process's own") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          folder.Load();
          RegisterForkHooks();
          const uint64_t here = geckoprof_base_process_salt();
          FORKED_REQUIRE(geckoprof_base_process_salt() == here);
          return StatusInChild([&] { return geckoprof_base_process_salt() != here ? 0 : 1; });
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
