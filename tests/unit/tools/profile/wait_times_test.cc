#include "tools/profile/wait_times.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tools/profile/profile_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

ProfileSample Running(double time_ms, int64_t cpu_ns, int64_t ready_ns = 0) {
  ProfileSample sample{time_ms, 1, cpu_ns, 0};
  sample.ready_ns = ready_ns;
  return sample;
}
ProfileSample Waiting(double time_ms, WaitCause cause, int32_t stack = 0) {
  return {time_ms, 1, 0, stack, SampleState::kWaiting, cause};
}

// One thread with these samples.
ProfileModel Completed(std::vector<ProfileSample> samples) {
  ProfileModel model;
  model.processes = {{"1", "p", 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.has_states = true;
  thread.samples = std::move(samples);
  CompleteWaits(&model);
  return model;
}

struct Sum {
  int64_t ran_ns = 0, ready_ns = 0, waited_ns = 0;
};
Sum SumOf(const ProfileThread& thread) {
  Sum sum;
  for (const ProfileSample& sample : thread.samples) {
    sum.ran_ns += std::max<int64_t>(sample.cpu_ns, 0);
    sum.ready_ns += sample.ready_ns;
    sum.waited_ns += sample.wait_ns + sample.short_wait_ns;
  }
  return sum;
}

TEST_CASE("a wait has the time up to the next sample that the thread neither ran nor waited for a core") {
  const ProfileModel model = Completed(
      {Running(0, -1), Waiting(1, WaitCause::kLock), Waiting(2, WaitCause::kLock), Running(12, 3 * kMs, 2 * kMs)});
  const std::vector<ProfileSample>& samples = model.threads[0].samples;
  CHECK(samples[1].short_wait_ns == kMs);  // from the first sample on
  CHECK(samples[1].wait_ns == kMs);
  CHECK(samples[2].wait_ns == 5 * kMs);
  CHECK(samples[2].short_wait_ns == 0);
  CHECK(samples[3].wait_ns == 0);
}

TEST_CASE("waits between running samples have the cause of the next wait, and otherwise none") {
  ProfileSample unknown = Waiting(3, WaitCause::kNone);
  const ProfileModel model = Completed({Running(0, -1), Running(1, kMs / 4), Running(2, kMs / 4), unknown,
                                        Waiting(4, WaitCause::kPipe), Running(5, kMs), Running(6, kMs / 2)});
  const std::vector<ProfileSample>& samples = model.threads[0].samples;
  CHECK(samples[3].wait_ns == 0);
  CHECK(samples[4].short_wait_ns == 2 * (kMs - kMs / 4) + 2 * kMs);
  CHECK(samples[4].wait_ns == 0);
  CHECK(samples[6].short_wait_ns == kMs / 2);  // left over at the end
  CHECK(samples[6].cause == WaitCause::kNone);
}

TEST_CASE("a thread that began in the recording has waited since its begin") {
  ProfileModel model;
  ProfileThread& thread = model.threads.emplace_back();
  thread.has_states = true;
  thread.starts_later = true;
  thread.begin_ms = 1;
  thread.samples = {Waiting(5, WaitCause::kChild), Running(7, kMs)};
  thread.samples[0].ready_ns = kMs;
  CompleteWaits(&model);
  CHECK(thread.samples[0].short_wait_ns == 3 * kMs);
  CHECK(thread.samples[0].wait_ns == kMs);
  const Sum sum = SumOf(thread);
  CHECK(sum.ran_ns + sum.ready_ns + sum.waited_ns == 6 * kMs);
}

TEST_CASE("CPU time that a later sample has makes the waits before it shorter, the nearest first") {
  // The thread ran for 0.9 ms of the first, and the tick after the waits has that time, too.
  const ProfileModel model =
      Completed({Running(0, -1), Waiting(1, WaitCause::kPoll), Waiting(1.5, WaitCause::kSleep), Running(2, 1'400'000)});
  const std::vector<ProfileSample>& samples = model.threads[0].samples;
  CHECK(samples[2].wait_ns == 0);
  CHECK(samples[1].wait_ns == 0);
  CHECK(samples[1].short_wait_ns == 600'000);
  const Sum sum = SumOf(model.threads[0]);
  CHECK(sum.ran_ns + sum.waited_ns == 2 * kMs);
}

TEST_CASE("the parts of a thread add up to its time, whatever its samples are like") {
  std::mt19937 random(7);
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit + 1)); };
  for (int round = 0; round < 300; ++round) {
    std::vector<ProfileSample> samples = {Running(0, -1)};
    int64_t now_ns = 0, unused_ns = 0;  // what may still be said of the time so far
    for (int i = 0; i < 200; ++i) {
      const int64_t step_ns = below(3 * kMs);
      now_ns += step_ns;
      unused_ns += step_ns;
      ProfileSample sample = Running(static_cast<double>(now_ns) / 1e6, below(unused_ns));
      if (random() % 2 == 0) sample = Waiting(sample.time_ms, static_cast<WaitCause>(random() % 4));
      unused_ns -= sample.cpu_ns;
      sample.ready_ns = below(unused_ns / 2);
      unused_ns -= sample.ready_ns;
      samples.push_back(sample);
    }
    const ProfileModel model = Completed(samples);
    const Sum sum = SumOf(model.threads[0]);
    CHECK(sum.ran_ns + sum.ready_ns + sum.waited_ns == now_ns);
    for (const ProfileSample& sample : model.threads[0].samples) {
      if (sample.wait_ns < 0 || sample.short_wait_ns < 0) FAIL("round " << round);
    }
  }
}

TEST_CASE("times that cannot be do no harm") {
  constexpr int64_t kMuch = 3'000'000'000'000'000'000;
  std::vector<ProfileSample> samples;
  for (int i = 0; i < 2000; ++i) {
    samples.push_back(i % 3 == 0 ? Running(i % 2 == 0 ? 1e15 : -1e15, kMuch, kMuch)
                                 : Waiting(i % 2 == 0 ? 1e15 : -1e15, WaitCause::kLock));
  }
  for (const ProfileSample& sample : Completed(samples).threads[0].samples) {
    CHECK(sample.wait_ns >= 0);
    CHECK(sample.short_wait_ns >= 0);
  }
}

TEST_CASE("without states or CPU times there are no waiting times") {
  ProfileModel model;
  model.threads.resize(2);
  model.threads[0].samples = {Running(0, 5), Running(9, 5)};
  model.threads[1].has_states = true;
  model.threads[1].samples = {Running(0, -1), Waiting(1, WaitCause::kLock), Running(9, -1)};
  model.threads[1].samples[1].cpu_ns = -1;
  CompleteWaits(&model);
  for (const ProfileThread& thread : model.threads) {
    CHECK_FALSE(HasWaitTimes(thread));
    CHECK(SumOf(thread).waited_ns == 0);
  }
}

// Thread 1 of process 0 waits for a lock from 10 ms to 30 ms, and thread 2 holds it.
struct Holding {
  Holding() {
    model.strings = {"f"};
    model.functions = {{0, kNoRow}};
    for (int i = 0; i < 5; ++i) model.stacks.push_back({kNoRow, 0});
    model.processes = {{"1", "p", 0}, {"2", "q", 0}};
    ProfileThread& waiter = model.threads.emplace_back();
    waiter.tid = 1;
    waiter.has_states = true;
    waiter.samples = {Running(9, 0), Waiting(10, WaitCause::kLock, 1), Waiting(29, WaitCause::kLock, 1),
                      Running(31, kMs)};
    model.lock_waits = {{0x1000, 2, kNoRow, kNoRow}};
    waiter.samples[1].lock_wait = waiter.samples[2].lock_wait = 0;
    AddThread(0, 2, "holder", {{9, 2}, {19, 3}, {22, 4}, {40, 2}});
  }
  void AddThread(int32_t process, int64_t tid, const char* name, std::vector<std::pair<double, int32_t>> stacks) {
    ProfileThread& thread = model.threads.emplace_back();
    thread.process = process;
    thread.tid = tid;
    thread.name = name;
    for (const auto& [time_ms, stack] : stacks) {
      thread.samples.push_back(Running(time_ms, 0));
      thread.samples.back().stack = stack;
    }
  }
  const ProfileLockWait& Complete() {
    CompleteWaits(&model);
    return model.lock_waits[0];
  }
  std::string Name() const { return model.strings[static_cast<size_t>(model.lock_waits[0].holder)]; }
  ProfileModel model;
};

TEST_CASE("the holder of a lock is shown where it was in the middle of the wait") {
  Holding holding;
  CHECK(holding.Complete().holder_stack == 3);
  CHECK(holding.Name() == "holder");
}

TEST_CASE("samples without a stack are not the nearest") {
  Holding holding;
  holding.model.threads[1].samples[1].stack = kNoRow;
  CHECK(holding.Complete().holder_stack == 4);
  holding.model.threads[1].samples.clear();
  CHECK(holding.Complete().holder_stack == kNoRow);
  CHECK(holding.Name() == "holder");
}

TEST_CASE("of several threads with the holder's id the one of that time counts, and of the waiter's process") {
  Holding holding;
  holding.AddThread(1, 2, "other process", {{20, 1}});
  SECTION("the first lived then") { holding.AddThread(0, 2, "later", {{50, 1}}); }
  SECTION("the second did") {
    holding.model.threads[1].name = "earlier";
    for (ProfileSample& sample : holding.model.threads[1].samples) sample.time_ms -= 100;
    holding.AddThread(0, 2, "holder", {{20, 1}});
  }
  holding.Complete();
  CHECK(holding.Name() == "holder");
}

TEST_CASE("a holder that the profile does not have is unknown") {
  Holding holding;
  holding.model.threads[1].tid = 3;
  CHECK(holding.Complete().holder == kNoRow);
  CHECK(holding.Complete().holder_stack == kNoRow);
  holding.model.lock_waits[0].holder_tid = 0;
  holding.model.threads[1].tid = 0;
  CHECK(holding.Complete().holder == kNoRow);
}

TEST_CASE("states come out of both formats alike, and damaged cells are harmless") {
  constexpr const char* kProcessed = R"({"meta":{"preprocessedProfileVersion":63,"version":34,"categories":[
      {"name":"Other","color":"grey","subcategories":["Other"]}]},"libs":[],"shared":{"stringArray":["f"],
      "stackTable":{"frame":[0],"prefix":[null],"length":1},"frameTable":{"func":[0],"category":[0],"length":1},
      "funcTable":{"name":[0],"resource":[-1],"length":1},"resourceTable":{"lib":[],"length":0}},
      "threads":[{"name":"T","tid":5,"pid":"1","samples":{"stack":[0,0,0,0,0],"time":[0,1,2,3,4],"length":5,
      "threadCPUDelta":[null,0,0,0,1000000],%s}}]})";
  constexpr const char* kGecko = R"({"meta":{"version":34,"startTime":0,"categories":[
      {"name":"Other","color":"grey","subcategories":["Other"]}]},"libs":[],"threads":[{"name":"GeckoMain","tid":5,
      "pid":1,"stringTable":["f"],"frameTable":{"schema":{"location":0},"data":[[0]]},
      "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
      "markers":{"schema":{"name":0},"data":[]},"samples":{"schema":{"stack":0,"time":1,"threadCPUDelta":2,"state":3,
      "waitCause":4,"threadReadyDelta":5,"lock":6,"lockHolder":7},"data":[%s]}}]})";
  const auto load = [](const char* format, const std::string& part) {
    std::string text = format;
    text.replace(text.find("%s"), 2, part);
    absl::StatusOr<ProfileModel> model = LoadProfileText(text, ProfileDetail::kSummary);
    INFO(std::string(model.status().message()));
    REQUIRE(model.ok());
    return *model;
  };
  SECTION("sound") {
    const ProfileModel processed =
        load(kProcessed, R"("state":[0,2,2,1,0],"waitCause":[0,1,1,0,0],"threadReadyDelta":[0,0,0,250000,500000],
        "lock":[0,4096,4096,0,0],"lockHolder":[0,5,5,0,0])");
    const ProfileModel gecko = load(kGecko, R"([0,0],[0,1,0,2,1,null,4096,5],[0,2,0,2,1,null,4096,5],
        [0,3,0,1,null,250000],[0,4,1000000,null,null,500000])");
    for (const ProfileModel* model : {&processed, &gecko}) {
      const std::vector<ProfileSample>& samples = model->threads[0].samples;
      REQUIRE(samples.size() == 5);
      CHECK(model->threads[0].has_states);
      CHECK(samples[1].state == SampleState::kWaiting);
      CHECK(samples[1].cause == WaitCause::kLock);
      CHECK(samples[3].state == SampleState::kReady);
      CHECK(samples[3].ready_ns == 250'000);
      CHECK(samples[4].state == SampleState::kRunning);
      CHECK(samples[4].ready_ns == 500'000);
      REQUIRE(model->lock_waits.size() == 1);
      CHECK(samples[2].lock_wait == 0);
      CHECK(model->lock_waits[0].address == 4096);
      CHECK(model->lock_waits[0].holder_tid == 5);
      CHECK(samples[2].wait_ns == 250'000);  // the last sample has more than its own millisecond
    }
  }
  SECTION("two waits for a lock, one after the other") {
    const ProfileModel processed = load(kProcessed, R"("state":[0,3,3,2,0],"waitCause":[0,1,1,1,0],
        "lock":[0,4096,4096,4096,0],"lockHolder":[0,5,5,5,0])");
    const ProfileModel gecko = load(kGecko, R"([0,0],[0,1,0,3,1,null,4096,5],[0,2,0,3,1,null,4096,5],
        [0,3,0,2,1,null,4096,5],[0,4,1000000])");
    for (const ProfileModel* model : {&processed, &gecko}) {
      const std::vector<ProfileSample>& samples = model->threads[0].samples;
      REQUIRE(samples.size() == 5);
      CHECK(samples[2].state == SampleState::kWaiting);
      CHECK(samples[1].begins_wait);
      CHECK(samples[2].begins_wait);
      CHECK_FALSE(samples[3].begins_wait);
      CHECK(model->lock_waits.size() == 2);
      CHECK(samples[3].lock_wait == 1);
    }
  }
  SECTION("damaged") {
    for (const char* const cell : {"-1", "99", "\"x\"", "1e300", "null", "[]", "{}", "9223372036854775807", "1.5"}) {
      std::string column = Concat("[", cell);
      for (int i = 0; i < 4; ++i) column += Concat(",", cell);
      column += "]";
      const ProfileModel processed =
          load(kProcessed, Concat("\"state\":", column, ",\"waitCause\":", column, ",\"threadReadyDelta\":", column,
                                  ",\"lock\":", column, ",\"lockHolder\":", column));
      for (const ProfileSample& sample : processed.threads[0].samples) {
        CHECK(sample.ready_ns >= 0);
        CHECK(static_cast<size_t>(sample.cause) < kWaitCauseNames.size());
      }
      load(kGecko, Concat("[0,1,0,", cell, ",", cell, ",", cell, ",", cell, ",", cell, "]"));
    }
  }
}

}  // namespace
}  // namespace geckoprof
