// These tests record with samples that are repeated when chunks begin, and read the segment without some chunks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "tests/support/read_back.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 2'000 * kMs;
constexpr uint32_t kFirstTid = 100;

using Addresses = std::vector<uint64_t>;

std::string TextOf(const Addresses& addresses) {
  std::string text = "(root)";
  for (const uint64_t address : addresses) text += ";" + std::to_string(address);
  return text;
}

// A recording of threads, and each thread's samples by the chunk in which they were first written.
struct Recording {
  struct Sample {
    uint32_t serial;
    Addresses stack;
  };
  struct Thread {
    std::unique_ptr<LastSample> last = std::make_unique<LastSample>();  // null: the thread has ended
    uint32_t ended_serial = UINT32_MAX;
    std::vector<Sample> samples;
  };

  explicit Recording(uint32_t chunks)
      : test(1 << 20, chunks, TestSegment::Size::kPreparedOnly),
        metadata(&test.segment()),
        samples(&test.segment()),
        others(&test.segment(), StreamId::FromNumber(kFirstMarkerStream), StreamWriter::Supply::kOrdinary) {}

  SegmentHeader& header() { return test.segment().header(); }
  uint32_t chunk_bytes() { return test.segment().chunk_bytes(); }
  int64_t now_ns() const { return kStart + ticks * kMs; }

  size_t AddThread() {
    const auto number = static_cast<uint32_t>(threads.size());
    metadata.Thread(ThreadIndex::FromNumber(number), ThreadId::FromNumber(static_cast<int32_t>(kFirstTid + number)),
                    number == 0, now_ns(), "thread");
    threads.emplace_back();
    return number;
  }
  void EndThread(size_t number) {
    metadata.ThreadEnd(ThreadIndex::FromNumber(static_cast<uint32_t>(number)), now_ns());
    threads[number].last.reset();
    threads[number].ended_serial = samples.chunk_serial();
  }
  void BeginTick() {
    ++ticks;
    header().heartbeat_ns = now_ns();
    samples.BeginTick(now_ns());
  }
  void Add(size_t number, int64_t cpu_ns, bool was_blocked, const Addresses& stack) {
    std::vector<StackFrame> frames;
    for (const uint64_t address : stack) frames.push_back({StackFrameKind::kNative, address, 0, {}});
    Thread& thread = threads[number];
    const auto index = ThreadIndex::FromNumber(static_cast<uint32_t>(number));
    if (!samples.Add({index, now_ns(), cpu_ns, {was_blocked ? WaitCause::kSleep : WaitCause::kNone}, thread.last.get()},
                     frames))
      throw std::bad_alloc();
    thread.samples.push_back({samples.chunk_serial(), stack});
  }
  // A tick in which the first thread runs. About 150 bytes.
  void BusyTick() {
    BeginTick();
    Addresses stack = {1, 2};
    for (int i = 0; i < 25; ++i) stack.push_back(0x10'0000 + random() % 0x8'0000);
    Add(0, kMs, false, stack);
  }
  void EndTick() {
    const uint64_t before = header().sampler_bytes;
    samples.RepeatDue();
    most_repeated_bytes = std::max(most_repeated_bytes, header().sampler_bytes - before);
  }
  // Lets another writer begin a chunk.
  void BeginOtherChunk() {
    others.Finish();
    const uint8_t entry[] = {0};
    if (!others.Append(entry, now_ns())) throw std::bad_alloc();
  }

  // The chunks of samples in the order of their begins.
  std::vector<uint32_t> SampleChunks() {
    std::vector<uint32_t> chunks;
    const ChunkDirectory directory = test.segment().directory();
    const auto row = [&](uint32_t i) -> ChunkRow& { return directory.row(ChunkId::FromNumber(i)); };
    for (uint32_t i = 0; i < header().prepared_chunks; ++i) {
      const uint64_t word = row(i).word;
      if (ChunkStateIn(word) != ChunkState::kFree && ChunkStream(word) == kSamplerStream) chunks.push_back(i);
    }
    std::ranges::sort(chunks, {}, [&](uint32_t i) { return row(i).block.load(); });
    return chunks;
  }
  // The profile without the chunks in `dropped`.
  ProcessProfile ReadWithout(const std::vector<uint32_t>& dropped) {
    std::vector<char> bytes(header().chunks_offset + uint64_t{header().prepared_chunks} * chunk_bytes());
    std::memcpy(bytes.data(), &header(), bytes.size());
    for (const uint32_t chunk : dropped) std::memset(bytes.data() + 4096 + chunk * sizeof(ChunkRow), 0, 12);
    const std::string path = test.directory() + "/copy";
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ProcessProfile profile;
    CHECK(ReadSegmentFile(path.c_str(), profile).status == SegmentReadStatus::kOk);
    return profile;
  }

  TestSegment test;
  MetadataWriter metadata;
  SampleWriter samples;
  StreamWriter others;
  std::mt19937 random;
  std::vector<Thread> threads;
  int64_t ticks = 0;
  uint64_t most_repeated_bytes = 0;
};

const ThreadRow& FindThread(const ProcessProfile& profile, size_t number) {
  const auto found = std::ranges::find(profile.threads, static_cast<int32_t>(kFirstTid + number), &ThreadRow::tid);
  REQUIRE(found != profile.threads.end());
  return *found;
}

// Ticks after a sample of a running thread have no stack.
std::string LastStack(const ProcessProfile& profile, size_t number) {
  int32_t stack = kNone;
  for (const SampleRow& row : FindThread(profile, number).samples) stack = row.stack != kNone ? row.stack : stack;
  return StackText(profile, stack);
}

// Returns how many threads that live and were sampled have no row.
size_t CountWithoutRow(const Recording& recording, const ProcessProfile& profile) {
  size_t count = 0;
  for (const ThreadRow& thread : profile.threads) {
    const auto number = static_cast<size_t>(thread.tid) - kFirstTid;
    const Recording::Thread& recorded = recording.threads[number];
    count += recorded.last != nullptr && !recorded.samples.empty() && thread.samples.empty();
  }
  return count;
}

// Threads sleep, wake at times, begin and end, and chunks are recycled all the while.
void RecordAtRandom(Recording& recording, int ticks) {
  std::mt19937& random = recording.random;
  for (int i = 0; i < 12; ++i) recording.AddThread();
  std::vector<bool> runs(12, true);
  for (int tick = 0; tick < ticks; ++tick) {
    recording.BusyTick();
    for (size_t i = 1; i < recording.threads.size(); ++i) {
      if (recording.threads[i].last == nullptr) continue;
      const Addresses stack = {1, 50 + random() % 4, 1000 * i, 2000 + random() % 100};
      const unsigned what = random() % 1000;
      if (runs[i]) recording.Add(i, 0, true, stack);
      runs[i] = what < 3;
      if (runs[i]) recording.Add(i, 500'000, false, {1, 7000 + random() % 100});
      if (what == 999 && random() % 6 == 0) recording.EndThread(i);
    }
    if (random() % 500 == 0) {
      recording.AddThread();
      runs.push_back(true);
    }
    recording.EndTick();
  }
}

// The guarantee if a round fits into a tick: each chunk of samples has a row of each thread that lives at its end. A
// reader of any chunks therefore knows how each thread was at the end of the last of them.
TEST_CASE("whichever chunks are missing, each live thread has its stack") {
  const auto seed = static_cast<unsigned>(GENERATE(range(1, 6)));
  INFO("seed " << seed);
  Recording recording(18);
  recording.random.seed(seed);
  RecordAtRandom(recording, 6500);
  const std::vector<uint32_t> chunks = recording.SampleChunks();
  REQUIRE(chunks.size() >= 10);
  REQUIRE(recording.samples.chunk_serial() > 2 * chunks.size());
  CHECK(recording.most_repeated_bytes < recording.chunk_bytes() / 4);
  const auto first_serial = static_cast<uint32_t>(recording.samples.chunk_serial() - chunks.size() + 1);
  for (int subset = 0; subset < 30; ++subset) {
    const unsigned share = 1 + recording.random() % 19;
    const size_t kept = recording.random() % chunks.size();
    std::vector<uint32_t> dropped;
    auto last_serial = static_cast<uint32_t>(first_serial + kept);
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (i == kept || recording.random() % 20 >= share) {
        last_serial = std::max(last_serial, static_cast<uint32_t>(first_serial + i));
      } else {
        dropped.push_back(chunks[i]);
      }
    }
    const ProcessProfile profile = recording.ReadWithout(dropped);
    size_t looked_at = 0, wrong = 0;
    for (size_t i = 0; i < recording.threads.size(); ++i) {
      const Recording::Thread& thread = recording.threads[i];
      const auto is_later = [&](const Recording::Sample& sample) { return sample.serial > last_serial; };
      const auto last = std::find_if_not(thread.samples.rbegin(), thread.samples.rend(), is_later);
      if (last == thread.samples.rend() || thread.ended_serial <= last_serial) continue;
      ++looked_at;
      wrong += LastStack(profile, i) != TextOf(last->stack);
    }
    INFO("subset " << subset << ", " << dropped.size() << " of " << chunks.size() << " dropped");
    CHECK(looked_at >= 5);
    CHECK(wrong == 0);
  }
}

TEST_CASE("while no chunk is missing a repetition is no sample: one wait, without CPU time") {
  Recording recording(18);
  recording.AddThread();
  recording.AddThread();
  for (int tick = 0; tick < 500; ++tick) {
    recording.BusyTick();
    if (tick == 0) recording.Add(1, -1, true, {1, 77});
    if (tick == 450) recording.Add(1, 3000, true, {1, 88});
    recording.EndTick();
  }
  REQUIRE(recording.samples.chunk_serial() >= 4);
  const ProcessProfile profile = recording.ReadWithout({});
  CHECK(profile.losses.empty());
  std::vector<SampleRow> single;
  uint64_t idle_ticks = 0;
  size_t idle_rows = 0;
  int64_t before_ns = 0;
  for (const SampleRow& row : FindThread(profile, 1).samples) {
    CHECK(row.time_ns > before_ns);
    before_ns = row.time_ns;
    if (row.idle_ticks == 1) {
      single.push_back(row);
      continue;
    }
    ++idle_rows;
    idle_ticks += row.idle_ticks;
    CHECK(row.cpu_delta_ns == 0);
    CHECK(StackText(profile, row.stack) == TextOf({1, single.size() == 1 ? 77u : 88u}));
  }
  REQUIRE(single.size() == 2);
  CHECK(single[0].time_ns == kStart + kMs);
  CHECK(single[1].time_ns == kStart + 451 * kMs);
  CHECK(idle_ticks == 498);
  CHECK(idle_rows == recording.samples.chunk_serial() + 1);  // a row for each further chunk, and the rest of each wait
}

TEST_CASE("a sleeping thread is there from the first tick that is known, and costs no byte per tick") {
  Recording recording(18);
  recording.AddThread();
  recording.AddThread();
  recording.BusyTick();
  recording.Add(1, -1, true, {1, 77});
  recording.EndTick();
  while (recording.samples.chunk_serial() < 40) {
    recording.BusyTick();
    recording.EndTick();
  }
  const ProcessProfile profile = recording.ReadWithout({});
  const SampleList& busy = FindThread(profile, 0).samples;
  const SampleList& sleeper = FindThread(profile, 1).samples;
  REQUIRE_FALSE(sleeper.empty());
  CHECK(busy.front().time_ns > kStart + 500 * kMs);
  CHECK(sleeper.front().time_ns - busy.front().time_ns <= kMs);
  CHECK(sleeper.back().time_ns == busy.back().time_ns);
  uint64_t ticks = 0;
  for (const SampleRow& row : sleeper) {
    ticks += row.idle_ticks;
    CHECK(row.cpu_delta_ns == 0);
    CHECK(StackText(profile, row.stack) == TextOf({1, 77}));
  }
  CHECK(ticks >= busy.size() - 1);
  CHECK(ticks <= busy.size());

  const uint64_t before = recording.header().sampler_bytes;
  for (int tick = 0; tick < 2000; ++tick) {
    recording.BeginTick();
    recording.EndTick();
  }
  CHECK(recording.header().sampler_bytes == before);
}

// Stacks of their own, so that a round takes several chunks.
void AddSleepers(Recording& recording, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    recording.AddThread();
    if (i % 50 == 0) recording.BeginTick();
    Addresses stack;
    for (uint64_t frame = 0; frame < 10; ++frame) stack.push_back(0x10'0000 + (i * 10 + frame) * 0x777);
    recording.Add(recording.threads.size() - 1, -1, true, stack);
    if (i % 50 == 49) recording.EndTick();
  }
}

TEST_CASE("thousands of sleeping threads stay, in bounded portions, with at most half of the samples' bytes") {
  Recording recording(60);
  recording.AddThread();
  AddSleepers(recording, 3000);
  const uint64_t round_bytes = recording.header().sampler_bytes;
  REQUIRE(round_bytes > 8 * recording.chunk_bytes());
  const uint64_t needed_chunks = 3 * round_bytes / recording.chunk_bytes() + 3;
  REQUIRE(needed_chunks < recording.SampleChunks().size() + 40);
  uint64_t others_bytes = 0;
  const uint64_t before = recording.header().sampler_bytes;
  for (int tick = 1; tick <= 12'000; ++tick) {
    const uint64_t at_begin = recording.header().sampler_bytes;
    recording.BusyTick();
    others_bytes += recording.header().sampler_bytes - at_begin;
    recording.EndTick();
    if (tick % 1500 != 0) continue;
    std::vector<uint32_t> oldest = recording.SampleChunks();
    oldest.resize(oldest.size() > needed_chunks ? oldest.size() - needed_chunks : 0);
    INFO("tick " << tick << ", without the oldest " << oldest.size());
    CHECK(CountWithoutRow(recording, recording.ReadWithout(oldest)) == 0);
  }
  CHECK(recording.samples.chunk_serial() > 150);
  CHECK(recording.most_repeated_bytes < recording.chunk_bytes() / 2);
  const uint64_t repeated_bytes = recording.header().sampler_bytes - before - others_bytes;
  CHECK(repeated_bytes > 2 * round_bytes);
  CHECK(repeated_bytes <= others_bytes + 2 * round_bytes);

  // The last round ends, and then a sleeping process writes nothing.
  for (int tick = 0; tick < 200; ++tick) {
    recording.BeginTick();
    recording.EndTick();
  }
  const uint64_t at_rest = recording.header().sampler_bytes;
  for (int tick = 0; tick < 500; ++tick) {
    recording.BeginTick();
    recording.EndTick();
  }
  CHECK(recording.header().sampler_bytes == at_rest);
}

TEST_CASE("sleeping threads stay when markers alone recycle the chunks") {
  const size_t count = GENERATE(700u, 850u, 1000u, 1050u, 1300u);  // the last chunk is more or less full
  Recording recording(60);
  recording.AddThread();
  AddSleepers(recording, count);
  REQUIRE(recording.SampleChunks().size() > 2);
  for (int tick = 0; tick < 3000; ++tick) {
    recording.BeginTick();
    if (tick % 5 == 0) recording.BeginOtherChunk();
    recording.EndTick();
    if (tick % 250 == 249) CHECK(CountWithoutRow(recording, recording.ReadWithout({})) == 0);
  }
}

TEST_CASE("after a repetition the older chunks can go, and sleeping threads stay") {
  constexpr uint32_t kChunks = 32;
  Recording recording(kChunks);
  for (size_t i = 0; i < 20; ++i) recording.AddThread();
  recording.BeginTick();
  for (size_t i = 0; i < 20; ++i) recording.Add(i, 0, true, {1, 50 + i});
  recording.EndTick();
  while (recording.samples.chunk_serial() < 4) {
    recording.BusyTick();
    recording.EndTick();
  }
  recording.samples.BeginRepetition();
  for (int tick = 0; recording.samples.IsRepeating(); ++tick) {
    REQUIRE(tick < 100);
    recording.BusyTick();
    recording.EndTick();
  }
  recording.test.segment().ReleaseBefore(INT64_MAX, kChunks);
  CHECK(recording.SampleChunks().size() > 1);
  const ProcessProfile profile = ReadBack(recording.test);
  for (size_t i = 1; i < 20; ++i) {
    const ThreadRow& thread = FindThread(profile, i);
    REQUIRE_FALSE(thread.samples.empty());
    CHECK(StackText(profile, thread.samples.back().stack) == TextOf({1, 50 + i}));
  }
}

TEST_CASE("a thread that was filtered out is not repeated") {
  Recording recording(18);
  recording.AddThread();
  recording.AddThread();
  recording.BusyTick();
  recording.Add(1, -1, true, {1, 77});
  CHECK(recording.samples.AddFilteredOut(ThreadIndex::FromNumber(1), recording.threads[1].last.get()));
  recording.EndTick();
  while (recording.samples.chunk_serial() < 40) {
    recording.BusyTick();
    recording.EndTick();
  }
  CHECK(FindThread(recording.ReadWithout({}), 1).samples.empty());
}

TEST_CASE("a kept stack does not go through a library that took the place of another") {
  Recording recording(18);
  recording.AddThread();
  recording.AddThread();
  const AddressRange plugin{0x5000, 0x6000};
  recording.metadata.Module(1, kStart, 0x5000, 0x6000, 0, "/lib/first.so", "");
  recording.BusyTick();
  recording.Add(1, -1, true, {1, 0x5100, 0x7000});
  recording.EndTick();
  recording.metadata.ModuleEnd(1, recording.now_ns());
  recording.metadata.Module(2, recording.now_ns(), 0x5000, 0x6000, 0, "/lib/second.so", "");
  recording.samples.NoteUnmapped({&plugin, 1}, recording.now_ns());
  while (recording.samples.chunk_serial() < 40) {
    recording.BusyTick();
    recording.EndTick();
  }
  const ProcessProfile profile = recording.ReadWithout({});
  const SampleList& samples = FindThread(profile, 1).samples;
  REQUIRE_FALSE(samples.empty());
  CHECK(StackText(profile, samples.front().stack) == "(root);1;(a library that was unloaded);28672");
}

// Marks once with a stack that the sampler writes, and keeps the chunk.
struct Marking {
  explicit Marking(Recording& recording) {
    TestMarkerWriter::WriteSites(recording.test.segment());
    TimedMarker marker = TestMarkerWriter::Named("rare", 0, kStart + kMs, kStart + kMs);
    uint8_t room[16];
    EntryBuilder field{std::span<uint8_t>(room)};
    marker.stack = field.U(uint64_t{5} << 1 | 1).bytes();
    REQUIRE(writer.Append(&recording.test.segment(), ThreadId::FromNumber(kFirstTid), marker));
    const StackFrame frames[] = {{StackFrameKind::kNative, 1, 0, {}}, {StackFrameKind::kNative, 4711, 0, {}}};
    REQUIRE(recording.samples.AddMarkerStack(5, frames, recording.now_ns(), writer.last_chunk()));
  }
  TestMarkerWriter writer;
};

TEST_CASE("a marker in a chunk that stays keeps the stack that the sampler wrote elsewhere") {
  Recording recording(18);
  recording.AddThread();
  recording.BusyTick();
  const Marking marking(recording);
  recording.EndTick();
  SECTION("samples recycle the chunk of the stack") {
    while (recording.samples.chunk_serial() < 60) {
      recording.BusyTick();
      recording.EndTick();
    }
  }
  SECTION("other markers do") {
    for (int tick = 0; tick < 300; ++tick) {
      tick % 10 == 0 ? recording.BusyTick() : recording.BeginTick();
      recording.BeginOtherChunk();
      if (tick % 40 == 0) recording.samples.EndChunkForTest();
      recording.EndTick();
    }
  }
  const ProcessProfile profile = recording.ReadWithout({});
  const MarkerList& markers = FindThread(profile, 0).markers;
  REQUIRE(markers.size() == 1);
  CHECK(StackText(profile, markers.front().stack) == "(root);1;4711");
  CHECK(std::ranges::none_of(profile.losses, [](const LossRow& loss) { return loss.what == "missing-marker-stack"; }));
}

TEST_CASE("a stack is not repeated when its marker is gone") {
  Recording recording(18);
  recording.AddThread();
  recording.threads[0].last.reset();  // its samples are not repeated
  recording.BusyTick();
  Marking marking(recording);
  const auto repeats = [&] {
    const uint64_t before = recording.header().sampler_bytes;
    for (int i = 0; i < 20; ++i) recording.BeginOtherChunk();
    recording.BeginTick();
    recording.EndTick();
    return recording.header().sampler_bytes != before;
  };
  recording.samples.EndChunkForTest();
  recording.BusyTick();
  CHECK(repeats());
  const TimedMarker filler = TestMarkerWriter::Named("filler", 0, kStart, kStart);
  for (uint32_t bytes = 0; bytes < 2 * recording.chunk_bytes(); bytes += 20) {
    marking.writer.Append(&recording.test.segment(), ThreadId::FromNumber(kFirstTid), filler);
  }
  for (int i = 0; i < 40; ++i) recording.BeginOtherChunk();
  recording.samples.EndChunkForTest();
  recording.BusyTick();
  CHECK_FALSE(repeats());
}

// A process that has just begun has few chunks. None is recycled, so nothing is to be repeated.
TEST_CASE("a young recording does not end its first chunk of samples") {
  TestSegment test(uint64_t{64} << 20, 1);
  MetadataWriter metadata(&test.segment());
  SampleWriter samples(&test.segment());
  const auto main = ThreadIndex::FromNumber(1);
  LastSample last;
  metadata.Thread(main, ThreadId::FromNumber(100), true, 1000, "main");
  for (int64_t tick = 1; tick <= 20; ++tick) {
    samples.BeginTick(kStart + tick * kMs);
    const std::vector<StackFrame> frames = {{StackFrameKind::kNative, 0x1000, 0, {}}};
    REQUIRE(samples.Add({main, kStart + tick * kMs, kMs, {WaitCause::kNone}, &last}, frames));
    samples.RepeatDue();
    test.segment().PrepareAhead();
  }
  CHECK(samples.chunk_serial() == 1);
  CHECK(test.segment().directory().prepared() == 3);  // metadata, samples and one that is ready
}

}  // namespace
}  // namespace geckoprof
