// Each case records in a forked child: a process has one core, and a recording is for the process.
#include "handover/handover.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

extern "C" const geckoprof::HandoverTable* geckoprof_base_handover_table();

namespace geckoprof {
namespace {

constexpr int64_t kLongNs = 10'000'000'000;

// An owner that counts what it is told.
struct CountingOwner {
  std::atomic<int> ticks{0}, sampled_ticks{0}, changes{0};
  std::atomic<uint32_t> last_state{0};
  std::atomic<int> tick_thread{0};
  std::atomic<int64_t> sleep_ns{0};                           // inside each tick
  std::atomic<int> result_in_tick{-1}, result_in_change{-1};  // of a hand-back tried there
  std::atomic<bool> hand_back_in_tick{false}, hand_back_in_change{false};
  OwnerTable table = {sizeof(OwnerTable), kHandoverVersion, this, &Tick, &Changed};

  static void Tick(void* context, int64_t, uint32_t sampled) {
    auto* const self = static_cast<CountingOwner*>(context);
    ++self->ticks;
    if (sampled != 0) ++self->sampled_ticks;
    self->tick_thread = gettid();
    if (self->hand_back_in_tick.exchange(false)) {
      self->result_in_tick = static_cast<int>(Handover::HandBack(&self->table, kLongNs));
    }
    const int64_t until_ns = MonotonicNs() + self->sleep_ns;
    while (MonotonicNs() < until_ns) {
    }
  }
  static void Changed(void* context, uint32_t state) {
    auto* const self = static_cast<CountingOwner*>(context);
    ++self->changes;
    self->last_state = state;
    if (self->hand_back_in_change.exchange(false)) {
      self->result_in_change = static_cast<int>(Handover::HandBack(&self->table, kLongNs));
    }
  }
};

HandoverParameters Every(int64_t interval_ns, const char* const* filters = nullptr, uint32_t filter_count = 0) {
  return {sizeof(HandoverParameters),
          kDefaultFeatures,
          kMinCapacityBytes,
          interval_ns,
          0,
          filters,
          filter_count,
          kDefaultFeatures};
}

TEST_CASE("an owner is told of each tick on the sampler's own thread, until it hands back") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          CountingOwner owner;
          FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(Soon([&] { return owner.ticks >= 3; }));
          FORKED_REQUIRE(owner.sampled_ticks == owner.ticks || owner.sampled_ticks + 1 == owner.ticks);
          FORKED_REQUIRE(owner.tick_thread != gettid() && CountThreads() == 2);
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment() == segment);
          FORKED_REQUIRE(Handover::HandBack(&owner.table, kLongNs) == HandoverResult::kDone);
          const int ticks = owner.ticks;
          AwaitTicks(segment->header(), 5);
          FORKED_REQUIRE(owner.ticks == ticks);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(profile.threads.size() == 1);
          int handovers = 0;
          for (const MarkerRow& marker : profile.threads[0].markers) {
            handovers += profile.strings[marker.name] == "Profilers handover" && marker.end_ns > marker.start_ns;
          }
          FORKED_REQUIRE(handovers == 2);
          return 0;
        }) == 0);
}

TEST_CASE("who may not take over or hand back is told why, and nothing changes") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          CountingOwner first, second;
          FORKED_REQUIRE(Handover::TakeOver(nullptr, kLongNs) == HandoverResult::kMismatch);
          second.table.size_bytes = offsetof(OwnerTable, step_aside) - 1;
          FORKED_REQUIRE(Handover::TakeOver(&second.table, kLongNs) == HandoverResult::kMismatch);
          second.table.size_bytes = sizeof(OwnerTable);
          second.table.version = kHandoverVersion + 1;
          FORKED_REQUIRE(Handover::TakeOver(&second.table, kLongNs) == HandoverResult::kMismatch);
          second.table.version = kHandoverVersion;
          // Before a start too: the owner is there when one comes.
          ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, nullptr);
          FORKED_REQUIRE(Handover::TakeOver(&first.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(Handover::TakeOver(&second.table, kLongNs) == HandoverResult::kOwned);
          FORKED_REQUIRE(Handover::HandBack(&second.table, kLongNs) == HandoverResult::kNotOwner);
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(Soon([&] { return first.ticks > 0; }));
          FORKED_REQUIRE(second.ticks == 0);
          first.hand_back_in_tick = true;
          FORKED_REQUIRE(Soon([&] { return first.result_in_tick >= 0; }));
          FORKED_REQUIRE(first.result_in_tick == static_cast<int>(HandoverResult::kWrongThread));
          first.hand_back_in_change = true;
          FORKED_REQUIRE(geckoprof_base_pause() == 1);
          FORKED_REQUIRE(first.result_in_change == static_cast<int>(HandoverResult::kWrongThread));
          FORKED_REQUIRE(RecordingState::Get().owner() == &first.table);
          FORKED_REQUIRE(Handover::HandBack(&first.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(Handover::HandBack(&first.table, kLongNs) == HandoverResult::kNotOwner);
          FORKED_REQUIRE(Handover::TakeOver(&second.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(Handover::HandBack(&second.table, kLongNs) == HandoverResult::kDone);
          return 0;
        }) == 0);
}

TEST_CASE("a sampler that does not come to a boundary in time goes on with what it had") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          CountingOwner owner;
          ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, nullptr);
          FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(folder.Start());
          owner.sleep_ns = 500'000'000;
          const int before = owner.ticks;
          FORKED_REQUIRE(Soon([&] { return owner.ticks > before; }));
          FORKED_REQUIRE(Handover::HandBack(&owner.table, 5'000'000) == HandoverResult::kTimeout);
          FORKED_REQUIRE(RecordingState::Get().owner() == &owner.table);
          owner.sleep_ns = 0;
          const int later = owner.ticks;
          FORKED_REQUIRE(Soon([&] { return owner.ticks > later + 1; }));
          FORKED_REQUIRE(Handover::HandBack(&owner.table, kLongNs) == HandoverResult::kDone);
          return 0;
        }) == 0);
}

TEST_CASE("a long interval does not make a handover wait, and a shorter one counts at once") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, nullptr);
          StartParameters asked = folder.Asked();
          asked.interval_ns = kMaxIntervalNs;
          FORKED_REQUIRE(ProfilerCore::Get().Start(asked) == ProfilerCore::StartResult::kStarted);
          FORKED_REQUIRE(Soon(&HasTicked) && AwaitBlocked(std::stoi(SamplerThread())));
          CountingOwner owner;
          const int64_t before_ns = MonotonicNs();
          FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
          FORKED_REQUIRE(MonotonicNs() - before_ns < kMaxIntervalNs / 2);
          const HandoverParameters faster = Every(1'000'000);
          FORKED_REQUIRE(Handover::Table().reconfigure(&faster) == 1);
          FORKED_REQUIRE(Soon([&] { return owner.ticks > 10; }));
          FORKED_REQUIRE(MonotonicNs() - before_ns < kMaxIntervalNs / 2);
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment()->header().interval_ns == 1'000'000);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());  // which also tells how ticks came before
          FORKED_REQUIRE(profile.interval_ns == 1'000'000 && profile.earlier_intervals.size() == 1);
          FORKED_REQUIRE(profile.earlier_intervals[0].interval_ns == kMaxIntervalNs);
          FORKED_REQUIRE(profile.earlier_intervals[0].until_ns >= before_ns);
          return 0;
        }) == 0);
}

TEST_CASE("other filters and features count for the recording that runs") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const char* const filters[] = {"no thread is called so"};
          HandoverParameters other = Every(1'000'000, filters, 1);
          other.features = kFeatureNoStackSampling;
          FORKED_REQUIRE(Handover::Table().reconfigure(&other) == 1);
          const auto check = [](void* same, const HandoverParameters* now) {
            *static_cast<bool*>(same) = now->interval_ns == 1'000'000 && now->features == kFeatureNoStackSampling &&
                                        now->filter_count == 1 &&
                                        std::string(now->filters[0]) == "no thread is called so";
          };
          bool is_same = false;
          FORKED_REQUIRE(Handover::Table().visit_parameters(check, &is_same) == 1 && is_same);
          const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
          AwaitTicks(header, 2);
          const uint64_t taken = header.samples_taken.load();
          AwaitTicks(header, 20);
          FORKED_REQUIRE(header.samples_taken.load() == taken);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(profile.filters == std::vector<std::string>{filters[0]});
          FORKED_REQUIRE(profile.features == std::vector<std::string>{"nostacksampling"});
          FORKED_REQUIRE(Handover::Table().reconfigure(&other) == 0);
          FORKED_REQUIRE(Handover::Table().visit_parameters(check, &is_same) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("both kinds of pause, alone and together, are told to the owner and end in the profile") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const HandoverTable& table = *geckoprof_base_handover_table();
          CountingOwner owner;
          FORKED_REQUIRE(table.take_over(&owner.table, kLongNs) == 0);
          FORKED_REQUIRE(table.state() == kStateActive);
          FORKED_REQUIRE(table.set_paused(kStateSamplingPaused) == 1);
          FORKED_REQUIRE(table.set_paused(kStateSamplingPaused) == 0);
          FORKED_REQUIRE(table.state() == (kStateActive | kStateSamplingPaused) && geckoprof_base_state() == 3);
          FORKED_REQUIRE(owner.last_state == (kStateActive | kStateSamplingPaused) && owner.changes == 1);
          geckoprof_base_mark_text("meanwhile", 0, nullptr, "", 0);
          const int ticks = owner.ticks;
          FORKED_REQUIRE(Soon([&] { return owner.ticks > ticks + 2; }));
          FORKED_REQUIRE(geckoprof_base_pause() == 1);
          FORKED_REQUIRE(table.state() == (kStateActive | kStatePaused | kStateSamplingPaused));
          geckoprof_base_mark_text("never", 0, nullptr, "", 0);
          const int paused_at = owner.ticks;
          FORKED_REQUIRE(Soon([&] { return owner.ticks > paused_at + 2; }));
          // What was paused before stays so.
          FORKED_REQUIRE(geckoprof_base_resume() == 1);
          FORKED_REQUIRE(table.state() == (kStateActive | kStateSamplingPaused));
          const int later = owner.ticks;
          FORKED_REQUIRE(Soon([&] { return owner.ticks > later + 2; }));
          FORKED_REQUIRE(table.set_paused(0) == 1 && table.state() == kStateActive);
          const int last = owner.sampled_ticks;
          FORKED_REQUIRE(Soon([&] { return owner.sampled_ticks > last + 2; }));
          uint64_t size_bytes = 0;
          FORKED_REQUIRE(table.segment_at(0, &size_bytes) != nullptr && size_bytes >= kMinCapacityBytes);
          FORKED_REQUIRE(table.started_ns() != 0);
          FORKED_REQUIRE(table.stop() == 1 && table.state() == 0 && table.set_paused(kStatePaused) == 0);
          FORKED_REQUIRE(owner.last_state == 0);
          const ProcessProfile profile = folder.Read(getpid());
          FORKED_REQUIRE(profile.paused.size() == 3);
          FORKED_REQUIRE(profile.paused[0].reason == "sampling-paused");
          FORKED_REQUIRE(profile.paused[1].reason == "profiler-paused");
          bool meanwhile = false, never = false;
          for (const MarkerRow& marker : profile.threads[0].markers) {
            meanwhile = meanwhile || profile.strings[marker.name] == "meanwhile";
            never = never || profile.strings[marker.name] == "never";
          }
          FORKED_REQUIRE(meanwhile && !never);
          return 0;
        }) == 0);
}

TEST_CASE("an owner is told that the recording ended by itself, and what it asks for in a tick is refused") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          struct Asking {
            std::atomic<int> sample{-1}, taken{0}, ends{0};
          } asking;
          const OwnerTable owner = {
              sizeof(OwnerTable), kHandoverVersion, &asking,
              [](void* context, int64_t, uint32_t) {
                auto* const self = static_cast<Asking*>(context);
                if (RecordingState::Get().owner_link().StateBits() == 0) ++self->ends;
                const auto take = [](void* taken, const HandoverStack*) { ++*static_cast<std::atomic<int>*>(taken); };
                self->sample = Handover::Table().sample_thread(getpid(), kLongNs, take, &self->taken);
              },
              [](void*, uint32_t) {}};
          RecordingFolder::Load();
          FORKED_REQUIRE(Handover::TakeOver(&owner, kLongNs) == HandoverResult::kDone);
          StartParameters asked = folder.Asked();
          asked.duration_ns = 50 * kNsPerMs;
          FORKED_REQUIRE(ProfilerCore::Get().Start(asked) == ProfilerCore::StartResult::kStarted);
          FORKED_REQUIRE(Soon([&] { return asking.ends == 1; }));
          FORKED_REQUIRE(asking.sample == static_cast<int>(HandoverSample::kWrongThread) && asking.taken == 0);
          FORKED_REQUIRE(Handover::HandBack(&owner, kLongNs) == HandoverResult::kDone);
          return 0;
        }) == 0);
}

TEST_CASE("a full library of an older release is asked for no more than it has") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          static int aside = 0;
          CountingOwner owner;
          owner.table.step_aside = [](void*, uint32_t) { ++aside; };
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
          RecordingState::Get().owner_link().NotifySuspension(true);
          FORKED_REQUIRE(aside == 1);
          FORKED_REQUIRE(Handover::HandBack(&owner.table, kLongNs) == HandoverResult::kDone);
          owner.table.size_bytes = offsetof(OwnerTable, step_aside);  // what is behind is not its own
          FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
          RecordingState::Get().owner_link().NotifySuspension(true);
          FORKED_REQUIRE(aside == 1);
          FORKED_REQUIRE(Handover::HandBack(&owner.table, kLongNs) == HandoverResult::kDone);
          HandoverParameters shorter = Every(1'000'000);
          --shorter.size_bytes;
          FORKED_REQUIRE(Handover::Table().start(&shorter) == static_cast<int>(HandoverResult::kMismatch));
          FORKED_REQUIRE(Handover::Table().start(nullptr) == static_cast<int>(HandoverResult::kMismatch));
          FORKED_REQUIRE(Handover::Table().reconfigure(&shorter) == 0);
          FORKED_REQUIRE(Handover::Table().visit_parameters(nullptr, nullptr) == 0);
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment()->header().interval_ns == 10 * kNsPerMs);
          return 0;
        }) == 0);
}

TEST_CASE("the child of a vfork is told no parameters, and takes no lock of its parent's") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const auto ignore = [](void*, const HandoverParameters*) {};
          FORKED_REQUIRE(Handover::Table().visit_parameters(ignore, nullptr) == 1);
          const pid_t child = vfork();
          if (child == 0) _exit(Handover::Table().visit_parameters(ignore, nullptr) == 0 ? 7 : 0);
          int status = 0;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
          FORKED_REQUIRE(Handover::Table().visit_parameters(ignore, nullptr) == 1);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          return 0;
        }) == 0);
}

TEST_CASE("a hundred handovers while threads register, mark and end") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters asked = folder.Asked();
          asked.interval_ns = 1'000'000;
          ProfilerCore::Get().OnConstructor({0, MonotonicNs()}, nullptr);
          FORKED_REQUIRE(ProfilerCore::Get().Start(asked) == ProfilerCore::StartResult::kStarted);
          std::atomic<bool> stop{false};
          std::thread busy([&] {
            while (!stop) {
              std::thread([] {
                geckoprof_base_register_thread("short");
                geckoprof_base_mark_text("of a short one", 0, nullptr, "", 0);
                geckoprof_base_unregister_thread();
              }).join();
            }
          });
          CountingOwner owner;
          for (int i = 0; i < 100; ++i) {
            FORKED_REQUIRE(Handover::TakeOver(&owner.table, kLongNs) == HandoverResult::kDone);
            FORKED_REQUIRE(Handover::HandBack(&owner.table, kLongNs) == HandoverResult::kDone);
          }
          stop = true;
          busy.join();
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
          FORKED_REQUIRE(ProfilerCore::Get().Stop());
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
