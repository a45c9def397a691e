#include "geckoprof/entries/sample_writer.h"

#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 2'000 * kMs;
constexpr ThreadIndex kThread = ThreadIndex::FromNumber(1);

std::vector<StackFrame> Stack(std::initializer_list<uint64_t> addresses) {
  std::vector<StackFrame> frames;
  for (const uint64_t address : addresses) frames.push_back({StackFrameKind::kNative, address, 0, {}});
  return frames;
}

struct Recording {
  explicit Recording(uint32_t chunks = 8, TestSegment::Size size = TestSegment::Size::kWhole)
      : test(1 << 20, chunks, size), metadata(&test.segment()), samples(&test.segment()) {
    metadata.Thread(kThread, ThreadId::FromNumber(77), true, kStart, "main");
  }
  void Tick(int64_t ms, int64_t cpu_ns, const std::vector<StackFrame>& stack, int64_t late_ns = 0) {
    samples.BeginTick(kStart + ms * kMs);
    samples.Add({kThread, kStart + ms * kMs + late_ns, cpu_ns}, stack);
    test.segment().header().heartbeat_ns = kStart + ms * kMs;
  }
  TestSegment test;
  MetadataWriter metadata;
  SampleWriter samples;
};

TEST_CASE("samples come back with time, CPU and stack") {
  Recording recording;
  recording.Tick(0, -1, Stack({100, 200}));
  recording.Tick(1, 900'000, Stack({100, 200, 300}));
  recording.Tick(2, 1'000'000, Stack({100, 50}), 3000);
  const ProcessProfile profile = ReadBack(recording.test);
  REQUIRE(profile.threads.size() == 1);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 3);
  CHECK(samples[0].time_ns == kStart);
  CHECK(samples[0].cpu_delta_ns == -1);
  CHECK(StackText(profile, samples[0].stack) == "(root);100;200");
  CHECK(samples[1].cpu_delta_ns == 900'000);
  CHECK(StackText(profile, samples[1].stack) == "(root);100;200;300");
  CHECK(samples[2].time_ns == kStart + 2 * kMs + 3000);
  CHECK(StackText(profile, samples[2].stack) == "(root);100;50");
}

// The example of docs/formats/segment.md, byte by byte.
TEST_CASE("the documented example is what is written") {
  Recording recording;
  recording.samples.BeginTick(kStart);
  recording.samples.Add({kThread, kStart, -1}, Stack({1}));
  recording.samples.EndChunkForTest();
  recording.samples.BeginTick(kStart + kMs);
  recording.samples.Add({kThread, kStart + kMs, -1}, Stack({0x1010, 0x1030}));
  recording.samples.BeginTick(kStart + 2 * kMs);
  recording.samples.Add({kThread, kStart + 2 * kMs, 900'000}, Stack({0x1010, 0x1008}));
  const Segment& segment = recording.test.segment();
  const ChunkId chunk = ChunkId::FromNumber(2);
  const std::vector<uint8_t> bytes(segment.chunk(chunk),
                                   segment.chunk(chunk) + segment.directory().row(chunk).tail.load());
  CHECK(bytes == std::vector<uint8_t>{0x03, 0x20, 0x00, 0x00,                                // the first tick: 0 ns
                                      0x08, 0x21, 0x00, 0x02, 0x80, 0x81, 0x02, 0x80, 0x02,  //
                                      0x05, 0x22, 0x01, 0x00, 0x00, 0x02,                    //
                                      0x05, 0x20, 0x00, 0xc0, 0x84, 0x3d,                    //
                                      0x04, 0x21, 0x01, 0x01, 0x3c,                          //
                                      0x07, 0x22, 0x01, 0x00, 0xa1, 0xf7, 0x36, 0x03});
}

// The examples of states in docs/formats/segment.md.
TEST_CASE("the documented states are what is written") {
  Recording recording;
  recording.samples.BeginTick(kStart);
  recording.samples.Add({kThread, kStart, 900'000}, Stack({0x1010}));
  recording.samples.Add({kThread, kStart, 900'000, {}, nullptr, 100'000}, Stack({0x1010}));
  recording.samples.Add({kThread, kStart, 0, {WaitCause::kSleep}}, Stack({0x1010}));
  recording.samples.Add({kThread, kStart, 0, {WaitCause::kLock, 0x7f0000001140, ThreadIndex::FromNumber(2)}},
                        Stack({0x1010}));
  const Segment& segment = recording.test.segment();
  const ChunkId chunk = ChunkId::FromNumber(1);
  const std::vector<uint8_t> bytes(segment.chunk(chunk),
                                   segment.chunk(chunk) + segment.directory().row(chunk).tail.load());
  CHECK(bytes == std::vector<uint8_t>{0x03, 0x20, 0x00, 0x00,                                                  //
                                      0x06, 0x21, 0x00, 0x01, 0x80, 0x81, 0x02,                                //
                                      0x07, 0x22, 0x01, 0x00, 0xa1, 0xf7, 0x36, 0x01,                          //
                                      0x0a, 0x22, 0x01, 0x00, 0xa1, 0xf7, 0x36, 0x01, 0xa0, 0x8d, 0x06,        //
                                      0x06, 0x23, 0x01, 0x00, 0x01, 0x01, 0x03,                                //
                                      0x0f, 0x23, 0x01, 0x00, 0x01, 0x01, 0x01, 0x00, 0xc1, 0xa2, 0x80, 0x80,  //
                                      0x80, 0xe0, 0x1f, 0x03});
}

TEST_CASE("ticks without a sample become one idle row, with the stack if the thread waits") {
  const bool waits = GENERATE(false, true);
  Recording recording;
  recording.samples.BeginTick(kStart);
  const Wait wait{waits ? WaitCause::kPoll : WaitCause::kNone};
  recording.samples.Add({kThread, kStart, -1, wait}, Stack({100}));
  for (int64_t ms = 1; ms <= 9; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(10, 30'000, Stack({200}));
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 3);
  CHECK(samples[1].idle_ticks == 9);
  CHECK(samples[1].cpu_delta_ns == 0);
  CHECK(samples[1].time_ns == kStart + 9 * kMs);
  CHECK(samples[1].state == SampleState::kWaiting);
  CHECK(samples[1].cause == wait.cause);
  CHECK(StackText(profile, samples[1].stack) == (waits ? "(root);100" : ""));
}

TEST_CASE("a row takes bytes for its state only where there is something to say") {
  Recording recording;
  const auto bytes_of = [&](const SampleInfo& sample) {
    const uint64_t before = recording.test.segment().header().sampler_bytes;
    recording.samples.Add(sample, Stack({100}));
    return recording.test.segment().header().sampler_bytes - before;
  };
  recording.Tick(0, -1, Stack({100}));
  const uint64_t running = bytes_of({kThread, kStart + 1, 100});
  CHECK(running == 1 + 1 + 1 + 1 + 1 + 1);
  CHECK(bytes_of({kThread, kStart + 2, 100, {}, nullptr, 100}) == running + 1);
  CHECK(bytes_of({kThread, kStart + 3, 100, {WaitCause::kSleep}}) == running + 1);
  CHECK(bytes_of({kThread, kStart + 4, 100, {WaitCause::kSleep}, nullptr, 100}) == running + 2);
  CHECK(bytes_of({kThread, kStart + 5, 100, {WaitCause::kLock, 0x7f, kThread}}) == running + 5);
}

TEST_CASE("what a thread waits for comes back, also from a sample that was repeated") {
  Recording recording(4, TestSegment::Size::kPreparedOnly);
  constexpr ThreadIndex kWaiter = ThreadIndex::FromNumber(2), kSleeper = ThreadIndex::FromNumber(3);
  recording.metadata.Thread(kWaiter, ThreadId::FromNumber(78), false, kStart, "waiter");
  recording.metadata.Thread(kSleeper, ThreadId::FromNumber(79), false, kStart, "sleeper");
  LastSample last[2];
  recording.samples.BeginTick(kStart);
  recording.samples.Add({kWaiter, kStart, 0, {WaitCause::kLock, 0x7f001230, kThread}, &last[0], 40'000}, Stack({100}));
  recording.samples.Add({kSleeper, kStart, 0, {WaitCause::kSleep, 0x55, kThread}, &last[1]}, {});
  const auto check = [&] {
    const ProcessProfile profile = ReadBack(recording.test);
    REQUIRE(profile.threads.size() == 3);
    const auto first_wait = [&](size_t thread) {
      for (const SampleRow& row : profile.threads[thread].samples) {
        if (row.state == SampleState::kWaiting) return row;
      }
      return SampleRow();
    };
    const SampleRow waiter = first_wait(1), sleeper = first_wait(2);
    CHECK(waiter.state == SampleState::kWaiting);
    CHECK(waiter.cause == WaitCause::kLock);
    CHECK(waiter.lock_address == 0x7f001230);
    CHECK(waiter.holder_tid == 77);
    CHECK(StackText(profile, waiter.stack) == "(root);100");
    CHECK(sleeper.cause == WaitCause::kSleep);
    CHECK(sleeper.lock_address == 0);  // a sleeper waits for no lock
    CHECK(sleeper.holder_tid == 0);
    CHECK(sleeper.stack == kNone);
    return waiter.time_ns;
  };
  CHECK(check() == kStart);
  for (int64_t ms = 1; recording.samples.chunk_serial() < 9; ++ms) {
    recording.Tick(ms, 900'000, Stack({100, static_cast<uint64_t>(ms)}));
    recording.samples.RepeatDue();
  }
  CHECK(check() > kStart);  // the chunk with the sample is gone
}

TEST_CASE("between the end of a run of ticks and the next tick nobody was idle") {
  Recording recording;
  recording.samples.EndRun();  // there was none
  recording.Tick(0, -1, Stack({100}));
  for (int64_t ms = 1; ms <= 9; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.samples.EndRun();
  recording.samples.EndRun();  // once is enough
  SECTION("in one chunk") {}
  SECTION("in two") { recording.samples.EndChunkForTest(); }
  for (int64_t ms = 309; ms <= 312; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(313, 30'000, Stack({200}));
  recording.samples.EndRun();  // right after a sample: nothing more to tell
  recording.test.segment().header().heartbeat_ns = kStart + 800 * kMs;
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].idle_ticks == 9);
  CHECK(samples[1].time_ns == kStart + 9 * kMs);
  CHECK(samples[2].idle_ticks == 4);
  CHECK(samples[2].time_ns == kStart + 312 * kMs);
  CHECK(samples[3].time_ns == kStart + 313 * kMs);
}

TEST_CASE("libraries that come and go cost a mark, not a chunk") {
  Recording recording(4);
  const AddressRange plugin{0x5000, 0x6000};
  recording.Tick(0, -1, Stack({100, 200, 300}));
  const uint64_t before = recording.test.segment().header().sampler_bytes;
  constexpr int64_t kTimes = 300;
  for (int64_t ms = 1; ms <= kTimes; ++ms) {
    recording.samples.NoteUnmapped({&plugin, 1}, kStart + ms * kMs);
    recording.Tick(ms, 900'000, Stack({100, 200, 300}));
    recording.samples.Add({kThread, kStart + ms * kMs + 1000, 0}, Stack({100, 0x5100}));
  }
  CHECK(recording.samples.chunk_serial() == 1);
  // A mark, a tick, two samples and the one frame that lies in the plugin.
  CHECK((recording.test.segment().header().sampler_bytes - before) / kTimes <= 8 + 8 + 2 * 12 + 10);
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 1 + 2 * kTimes);
  CHECK(StackText(profile, samples[2 * kTimes - 1].stack) == "(root);100;200;300");
  CHECK(StackText(profile, samples[2 * kTimes].stack) == "(root);100;20736");
}

TEST_CASE("ticks at an interval that was changed later are as far apart as they were") {
  Recording recording;
  recording.test.segment().header().interval_ns = kMs;
  recording.Tick(0, -1, Stack({100}));
  for (int64_t ms = 10; ms <= 100; ms += 10) recording.samples.BeginTick(kStart + ms * kMs);
  recording.samples.EndRun();
  recording.metadata.Interval(kStart + 100 * kMs, 10 * kMs, -1);
  for (int64_t ms = 101; ms <= 120; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(121, 30'000, Stack({200}));
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].idle_ticks == 10);
  CHECK(samples[1].apart_ns == 10 * kMs);
  CHECK(samples[1].time_ns == kStart + 100 * kMs);
  CHECK(samples[2].idle_ticks == 20);
  CHECK(samples[2].apart_ns == kMs);
}

TEST_CASE("a thread that is left out has no rows until it is sampled again") {
  Recording recording;
  recording.Tick(0, -1, Stack({100}));
  recording.Tick(1, 900'000, Stack({100}));
  recording.samples.BeginTick(kStart + 2 * kMs);
  CHECK(recording.samples.AddFilteredOut(kThread));
  for (int64_t ms = 3; ms < 10; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(10, -1, Stack({200}));
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 3);
  CHECK(samples[1].time_ns == kStart + kMs);
  CHECK(samples[2].time_ns == kStart + 10 * kMs);
}

TEST_CASE("ticks in which the CPU time of the next sample was used are not idle") {
  Recording recording;
  recording.Tick(0, -1, Stack({100}));
  for (int64_t ms = 1; ms <= 9; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(10, 4'000'000, Stack({200}));
  for (int64_t ms = 11; ms <= 12; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  recording.Tick(13, 2'900'000, Stack({200}));
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].time_ns == kStart + 6 * kMs);
  CHECK(samples[1].idle_ticks == 6);
  CHECK(samples[2].time_ns == kStart + 10 * kMs);
  CHECK(samples[3].time_ns == kStart + 13 * kMs);  // no room for an idle row before it
}

TEST_CASE("a header that says the process began after its samples is not believed") {
  Recording recording;
  recording.Tick(0, -1, Stack({100}));
  recording.test.segment().header().exec_ns = kStart + 1000 * kMs;
  const ProcessProfile profile = ReadBack(recording.test);
  CHECK(profile.start_ns == recording.test.segment().header().constructor_ns);
}

TEST_CASE("idle ticks cost no bytes") {
  Recording recording;
  recording.Tick(0, -1, Stack({100}));
  const uint64_t before = recording.test.segment().header().sampler_bytes.load();
  for (int64_t ms = 1; ms <= 1000; ++ms) recording.samples.BeginTick(kStart + ms * kMs);
  CHECK(recording.test.segment().header().sampler_bytes.load() == before);
}

TEST_CASE("a late answer takes the place of the tick that it was asked at") {
  Recording recording;
  recording.Tick(0, -1, Stack({100}));
  recording.samples.BeginTick(kStart + 1 * kMs);
  recording.Tick(2, 500'000, Stack({200}), -400'000);
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() == 2);
  CHECK(samples[1].time_ns == kStart + 2 * kMs - 400'000);
}

TEST_CASE("each chunk can be read by itself") {
  Recording recording(3, TestSegment::Size::kPreparedOnly);
  for (int64_t ms = 0; ms < 20'000; ++ms) {
    const auto base = static_cast<uint64_t>(ms % 97);
    recording.Tick(ms, 1000, Stack({100, 1000 + base, 5000 + base * 7}));
  }
  const ProcessProfile profile = ReadBack(recording.test);
  const auto& samples = profile.threads[0].samples;
  REQUIRE(samples.size() > 500);
  CHECK(samples.size() < 20'000);
  for (const SampleRow& sample : samples) {
    if (sample.idle_ticks > 1 || sample.cpu_delta_ns == 0) continue;
    const int64_t ms = (sample.time_ns - kStart) / kMs;
    const auto base = static_cast<uint64_t>(ms % 97);
    REQUIRE(StackText(profile, sample.stack) ==
            "(root);100;" + std::to_string(1000 + base) + ";" + std::to_string(5000 + base * 7));
  }
}

TEST_CASE("a stack deeper than any chunk keeps its innermost frames") {
  Recording recording;
  std::vector<StackFrame> deep;
  for (uint64_t i = 0; i < 5000; ++i) deep.push_back({StackFrameKind::kNative, 0x7f0000000000 + i * 0x12345, 0, {}});
  recording.Tick(0, -1, deep);
  const ProcessProfile profile = ReadBack(recording.test);
  REQUIRE(profile.threads[0].samples.size() == 1);
  const StackRow& innermost = profile.stacks[static_cast<size_t>(profile.threads[0].samples[0].stack)];
  CHECK(profile.frames[static_cast<size_t>(innermost.frame)].address == deep.back().value);
}

TEST_CASE("labels and reasons are kept with text and category") {
  Recording recording;
  std::vector<StackFrame> frames = {{StackFrameKind::kReason, 66, 0, {}}};
  frames.push_back({StackFrameKind::kNative, 10, 0, {}});
  frames.push_back({StackFrameKind::kInlineLabel, 0, 1 << 8 | 1, "Load page"});
  recording.Tick(0, -1, frames);
  const ProcessProfile profile = ReadBack(recording.test);
  const int32_t stack = profile.threads[0].samples[0].stack;
  CHECK(StackText(profile, stack) == "(root);(no stack: it could not be read);10;Load page");
  const FrameRow& label = profile.frames[static_cast<size_t>(profile.stacks[static_cast<size_t>(stack)].frame)];
  CHECK(label.category == 1);
  CHECK(label.subcategory == 1);
}

// A sampler that gets no core, or a process that was stopped, in the middle of a tick.
TEST_CASE("a sample taken long after its tick is as sound as any other") {
  Recording recording;
  recording.Tick(0, -1, Stack({100, 200}));
  recording.Tick(1, 900'000, Stack({100, 200}), 90'000 * kMs);
  recording.samples.Add({kThread, kStart + kMs + 90'001 * kMs, 500'000, {WaitCause::kSleep}}, Stack({100, 300}));
  ProcessProfile profile;
  CHECK(ReadSegmentFile(recording.test.path().c_str(), profile).status == SegmentReadStatus::kOk);
  CHECK(profile.losses.empty());
  REQUIRE(profile.threads.size() == 1);
  size_t with_cpu = 0;
  for (const SampleRow& row : profile.threads[0].samples) with_cpu += row.cpu_delta_ns > 0;
  CHECK(with_cpu == 2);
}

TEST_CASE("a marker's stack shares what the chunk has of samples, and needs no tick") {
  Recording recording;
  CHECK(recording.samples.AddMarkerStack(1, Stack({100, 200}), kStart));
  recording.Tick(1, -1, Stack({100, 200, 300}));
  const uint64_t before = recording.test.segment().header().sampler_bytes.load();
  CHECK(recording.samples.AddMarkerStack(2, Stack({100, 200, 300}), kStart + kMs));
  CHECK(recording.test.segment().header().sampler_bytes.load() - before <= 4);
  const ProcessProfile profile = ReadBack(recording.test);
  REQUIRE(profile.threads[0].samples.size() == 1);
  CHECK(StackText(profile, profile.threads[0].samples[0].stack) == "(root);100;200;300");
}

}  // namespace
}  // namespace geckoprof
