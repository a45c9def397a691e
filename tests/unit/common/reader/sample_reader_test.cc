#include "sample_reader.h"

#include <catch2/catch.hpp>
#include <memory>

#include "chunk_builder.h"
#include "geckoprof/reader/block_walk.h"
#include "recorded_times.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kBegin = 100 * kMs;

// Two threads, with the numbers 1 and 2, and a library.
struct Reading {
  ProcessProfile profile;
  SegmentTables tables{&profile};
  MetadataReader metadata{&profile, &tables};
  std::unique_ptr<SampleReader> reader;

  Reading() {
    profile.interval_ns = kMs;
    profile.features = {"cpu"};
    profile.categories = {{"Other", "grey", {"Other", "Second"}}};
    ChunkBuilder chunk(0);
    chunk.Thread(1, 1001, kBegin).Thread(2, 1002, kBegin).Module(1, kBegin, 0x1000, 0x9000, "/lib/a.so");
    ForEachEntry(chunk.chunk().bytes, [&](std::span<const uint8_t> entry) { return metadata.Read(entry); });
    reader = std::make_unique<SampleReader>(&profile, &tables, &metadata);
  }
  const SampleList& samples(size_t thread) const { return profile.threads[thread].samples; }
};

TEST_CASE("samples: time, CPU time, and the stack as a path of nodes") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Stack(1, -0x800).Sample(1, 5, 0, 2).Sample(2, 7, 1'001, 1);
  chunk.Tick(0, kMs).Sample(1, -3, 500'001, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 2);
  CHECK(reading.samples(0)[0].time_ns == kBegin + 5);
  CHECK(reading.samples(0)[0].cpu_delta_ns == -1);
  CHECK(StackText(reading.profile, reading.samples(0)[0].stack) == "(root);8192;6144");
  CHECK(reading.samples(0)[1].time_ns == kBegin + kMs - 3);
  CHECK(reading.samples(0)[1].cpu_delta_ns == 500'000);
  REQUIRE(reading.samples(1).size() == 2);
  CHECK(reading.samples(1)[1].cpu_delta_ns == 1'000);
  const StackRow& stack = reading.profile.stacks[static_cast<size_t>(reading.samples(1)[1].stack)];
  CHECK(reading.profile.frames[static_cast<size_t>(stack.frame)].library == 0);
}

TEST_CASE("ticks without a sample become one row with the stack of the wait before") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).SampleWith(EntryType::kBlockedSample, {3}, 1, 0, 0, 1);
  chunk.Tick(4, 5 * kMs).Stack(1, 16).Sample(1, 0, 101, 2);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 3);
  const SampleRow& idle = reading.samples(0)[1];
  CHECK(idle.idle_ticks == 4);
  CHECK(idle.time_ns == kBegin + 4 * kMs);
  CHECK(idle.stack == reading.samples(0)[0].stack);
  CHECK(idle.state == SampleState::kWaiting);
  CHECK(idle.cause == WaitCause::kSleep);
  CHECK(idle.cpu_delta_ns == 0);
  // At the end of the recording an open run is closed.
  reading.profile.end_ns = kBegin + 9 * kMs;
  reading.reader->Finish();
  REQUIRE(reading.samples(0).size() == 4);
  CHECK(reading.samples(0)[3].time_ns == kBegin + 9 * kMs);
  CHECK(reading.samples(0)[3].idle_ticks == 4);
  CHECK(reading.samples(0)[3].stack == kNone);  // the thread ran before
}

constexpr auto kBlocked = EntryType::kBlockedSample;

// The three parts of the time between two rows (SampleRow).
struct Parts {
  int64_t waited_ns = 0, ready_ns = 0, ran_ns = 0;
};
Parts SumParts(const SampleList& samples) {
  Parts sum;
  int64_t before_ns = samples.front().time_ns;
  for (const SampleRow& row : samples) {
    if (row.time_ns == before_ns) continue;
    CHECK(row.ready_ns >= 0);
    CHECK(row.time_ns - before_ns >= row.ready_ns + row.cpu_delta_ns);
    sum.waited_ns += row.time_ns - before_ns - row.ready_ns - row.cpu_delta_ns;
    sum.ready_ns += row.ready_ns;
    sum.ran_ns += row.cpu_delta_ns;
    before_ns = row.time_ns;
  }
  return sum;
}

TEST_CASE("a thread that waited for a core has rows that say so, and no time is lost") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Stack(1, 16);
  // Waits until 4.2 ms, gets a core at 7.7 ms, and runs.
  chunk.SampleWith(kBlocked, {3}, 1, 0, 0, 1);
  chunk.Tick(7, 8 * kMs).SampleWith(EntryType::kSample, {3'500'000}, 1, 0, 300'001, 2);
  // Loses its core at once, for 0.8 ms.
  chunk.Tick(0, kMs).SampleWith(EntryType::kSample, {800'000}, 1, 0, 200'001, 2);
  // A short time is no row of its own, and more than there was is none.
  chunk.Tick(0, kMs).SampleWith(EntryType::kSample, {400'000}, 1, 0, 600'001, 2);
  chunk.Tick(0, kMs).SampleWith(EntryType::kSample, {uint64_t{INT64_MAX}}, 1, 0, 900'001, 2);
  chunk.Tick(0, kMs).SampleWith(EntryType::kSample, {UINT64_MAX}, 1, 0, 900'001, 2);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  const SampleList& rows = reading.samples(0);
  REQUIRE(rows.size() == 9);
  CHECK(rows[1].state == SampleState::kWaiting);
  CHECK(rows[1].idle_ticks == 4);
  CHECK(rows[1].time_ns == kBegin + 4 * kMs);
  CHECK(rows[2].state == SampleState::kReady);
  CHECK(rows[2].idle_ticks == 3);
  CHECK(rows[2].time_ns == kBegin + 7 * kMs);
  CHECK(rows[2].ready_ns == 7 * kMs - 4'200'000);
  CHECK(rows[2].cpu_delta_ns == 0);
  CHECK(rows[2].cause == WaitCause::kNone);
  CHECK(rows[2].stack == rows[0].stack);
  CHECK(rows[3].state == SampleState::kRunning);
  CHECK(rows[3].ready_ns == 700'000);
  CHECK(rows[4].state == SampleState::kReady);
  CHECK(rows[4].time_ns == kBegin + 8'400'000);
  CHECK(rows[4].stack == rows[3].stack);
  CHECK(rows[6].state == SampleState::kRunning);
  CHECK(rows[6].ready_ns == 400'000);
  CHECK(rows[7].ready_ns == 100'000);
  CHECK(rows[8].ready_ns == 0);
  const Parts sum = SumParts(rows);
  CHECK(sum.waited_ns == 4'200'000 + 100'000);
  CHECK(sum.ready_ns == 3'500'000 + 800'000 + 400'000 + 100'000);
  CHECK(sum.ran_ns == 300'000 + 200'000 + 600'000 + 2 * 900'000);
}

TEST_CASE("after a running row the cause of a wait is that of the next wait") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Sample(2, 0, 0, 1);
  chunk.Tick(4, 5 * kMs).SampleWith(kBlocked, {7}, 1, 0, 1, 0).Sample(2, 0, 101, 1);
  chunk.Tick(4, 5 * kMs).Sample(1, 0, 101, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 5);
  for (size_t i = 1; i < 4; ++i) {
    CHECK(reading.samples(0)[i].state == SampleState::kWaiting);
    CHECK(reading.samples(0)[i].cause == WaitCause::kPipe);
    CHECK(reading.samples(0)[i].stack == kNone);
  }
  REQUIRE(reading.samples(1).size() == 3);
  CHECK(reading.samples(1)[1].state == SampleState::kWaiting);
  CHECK(reading.samples(1)[1].cause == WaitCause::kNone);
}

TEST_CASE("a cause, a lock and a holder that make no sense are left out") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000);
  chunk.SampleWith(kBlocked, {}, 1, 0, 1, 1);                              // an earlier version
  chunk.SampleWith(kBlocked, {99, 0, 0x1001, 2}, 1, 1, 1, 1);              // a later version
  chunk.SampleWith(kBlocked, {1, 0, 0x1001, 3}, 1, 2, 1, 1);               // holder: the thread with the number 2
  chunk.SampleWith(kBlocked, {1, 0, UINT64_MAX, UINT64_MAX}, 1, 3, 1, 1);  // no such thread
  chunk.SampleWith(kBlocked, {1, 0, 0x1001, 1}, 1, 4, 1, 1);               // the number 0
  chunk.SampleWith(kBlocked, {2, 0, 0x1001, 3}, 1, 5, 1, 1);               // no lock
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  const SampleList& rows = reading.samples(0);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].cause == WaitCause::kOther);
  CHECK(rows[1].cause == WaitCause::kOther);
  CHECK(rows[1].lock_address == 0);
  CHECK(rows[2].cause == WaitCause::kLock);
  CHECK(rows[2].lock_address == 0x1000);
  CHECK(rows[2].holder_tid == 1002);
  CHECK(rows[3].lock_address == UINT64_MAX - 1);
  CHECK(rows[3].holder_tid == 0);
  CHECK(rows[4].holder_tid == 0);
  CHECK(rows[5].lock_address == 0);
  CHECK(rows[5].holder_tid == 0);
}

TEST_CASE("a repeated sample whose original is missing counts from the first tick that is known since") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(9, 0).Stack(0, 0x2000).Sample(2, 0, 0, 1);  // ten ticks are known by now
  chunk.Tick(0, kMs).Stack(1, 16);
  SECTION("it is older than all ticks") {
    chunk.LastSample(1, -80 * kMs, kLastSampleIsBlocked, 2).Tick(4, 5 * kMs).Sample(2, 0, 101, 1);
    CHECK(reading.reader->ReadChunk(chunk.chunk()));
    REQUIRE(reading.samples(0).size() == 1);
    CHECK(reading.samples(0)[0].time_ns == kBegin - 9 * kMs);
  }
  SECTION("it lies between ticks") {
    chunk.LastSample(1, -4 * kMs - 1, kLastSampleIsBlocked, 2).Tick(4, 5 * kMs).Sample(2, 0, 101, 1);
    CHECK(reading.reader->ReadChunk(chunk.chunk()));
    REQUIRE(reading.samples(0).size() == 1);
    CHECK(reading.samples(0)[0].time_ns == kBegin - 3 * kMs);
  }
  const SampleRow first = reading.samples(0)[0];
  CHECK(first.cpu_delta_ns == 0);
  CHECK(first.idle_ticks == 1);
  CHECK(StackText(reading.profile, first.stack) == "(root);8192;8208");
  reading.profile.end_ns = kBegin + 6 * kMs;
  reading.reader->Finish();
  REQUIRE(reading.samples(0).size() == 2);
  const SampleRow idle = reading.samples(0)[1];
  CHECK(idle.time_ns == kBegin + 6 * kMs);
  CHECK(first.time_ns + idle.idle_ticks * kMs == idle.time_ns);
  CHECK(idle.stack == first.stack);
}

TEST_CASE("a repeated sample whose original was read divides a long idle row, and is no sample") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 5, 0, 1).Sample(2, 5, 0, 1);
  chunk.Tick(19, 20 * kMs).LastSample(1, -20 * kMs + 5, kLastSampleIsBlocked, 1).LastSample(2, -20 * kMs + 5, 0, 1);
  chunk.LastSample(1, -20 * kMs + 5, kLastSampleIsBlocked, 1);  // at once again: nothing is new
  chunk.Tick(9, 10 * kMs).Sample(1, 0, 101, 1).Sample(2, 0, 101, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 4);
  CHECK(reading.samples(0)[1].idle_ticks == 16);
  CHECK(reading.samples(0)[1].time_ns == kBegin + 16 * kMs);
  CHECK(reading.samples(0)[2].idle_ticks == 13);
  CHECK(reading.samples(0)[2].time_ns == kBegin + 29 * kMs);
  CHECK(reading.samples(0)[2].cpu_delta_ns == 0);
  REQUIRE(reading.samples(1).size() == 3);  // that thread was running when it was last seen
  CHECK(reading.samples(1)[1].idle_ticks == 29);
}

TEST_CASE("between a known sample and a repeated one whose original is missing both waits have their ticks") {
  Reading reading;
  ChunkBuilder before(kBegin), after(kBegin + 50 * kMs);
  before.Tick(0, 0).Stack(0, 0x2000).Sample(1, 5, 0, 1);
  after.Tick(49, 0).Stack(0, 0x3000).LastSample(1, -20 * kMs - 5, kLastSampleIsBlocked, 1);
  after.Tick(9, 10 * kMs).Sample(1, 0, 101, 1);
  CHECK(reading.reader->ReadChunk(before.chunk()));
  CHECK(reading.reader->ReadChunk(after.chunk()));
  REQUIRE(reading.samples(0).size() == 5);
  CHECK(reading.samples(0)[1].idle_ticks == 29);
  CHECK(reading.samples(0)[1].time_ns == kBegin + 29 * kMs);
  CHECK(reading.samples(0)[2].time_ns == kBegin + 30 * kMs);
  CHECK(StackText(reading.profile, reading.samples(0)[2].stack) == "(root);12288");
  CHECK(reading.samples(0)[3].idle_ticks == 29);
  CHECK(reading.samples(0)[3].time_ns == kBegin + 59 * kMs);
}

TEST_CASE("a repeated sample that makes no sense is left out and counted") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.LastSample(1, 0, 1, 0);  // before any tick: nothing to place it by
  chunk.Tick(0, 0).LastSample(1, 0, 1, 9).LastSample(9, 0, 1, 0).LastSample(1, INT64_MIN, 1, 0);
  chunk.LastSample(1, kMs, 1, 0);  // of the future
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  CHECK(reading.samples(0).empty());
  CHECK(reading.reader->unreadable() == 3);
  CHECK(reading.reader->without_thread() == 1);
}

TEST_CASE("where the first row's CPU time is known, a row ahead of it says since when it counts") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Tick(0, 5 * kMs);
  SECTION("from the thread's begin on") { chunk.Sample(2, 0, 2 * kMs + 1, 1); }
  SECTION("also if the thread only waited") { chunk.SampleWith(kBlocked, {3}, 2, 0, 1, 1); }
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 1);
  CHECK(reading.samples(0)[0].cpu_delta_ns == -1);
  REQUIRE(reading.samples(1).size() == 2);
  CHECK(reading.samples(1)[0].time_ns == kBegin);
  CHECK(reading.samples(1)[0].stack == kNone);
  CHECK(reading.samples(1)[0].cpu_delta_ns == 0);
  CHECK(reading.samples(1)[0].state == SampleState::kRunning);
  CHECK(reading.samples(1)[1].time_ns == kBegin + 5 * kMs);
}

TEST_CASE("where earlier samples of a thread were recycled, the row ahead says as much as is known") {
  Reading reading;
  ChunkBuilder chunk(kBegin + 5000 * kMs);
  chunk.Tick(0, 0).Stack(0, 0x2000).SampleWith(EntryType::kSample, {kMs}, 1, 0, 2 * kMs + 1, 1);
  chunk.SampleWith(kBlocked, {3}, 2, 0, 1, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 2);
  CHECK(reading.samples(0)[0].time_ns == kBegin + 4997 * kMs);
  CHECK(reading.samples(0)[1].ready_ns == kMs);
  CHECK(reading.samples(1).size() == 1);
}

TEST_CASE("an idle run ends where the ticks do, and another begins with them") {
  Reading reading;
  reading.profile.end_ns = kBegin + 400 * kMs;  // the sampler lives on while it is paused
  const auto end_after = [](uint64_t ticks, int64_t since_ns) {
    return [=](EntryBuilder& entry) { entry.U(ticks).Z(since_ns); };
  };
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Sample(2, 0, 0, 1);
  chunk.Add(EntryType::kTicksEnd, end_after(10, 10 * kMs));
  chunk.Tick(0, 210 * kMs);
  chunk.Tick(4, 5 * kMs).Sample(1, 0, 1, 1);
  chunk.Add(EntryType::kTicksEnd, end_after(20, 20 * kMs));
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  reading.reader->Finish();
  const auto check_row = [](const SampleRow& row, int64_t ms, uint32_t ticks) {
    CHECK(row.time_ns == kBegin + ms * kMs);
    CHECK(row.idle_ticks == ticks);
    if (ticks > 1) CHECK(row.apart_ns == kMs);
  };
  REQUIRE(reading.samples(0).size() == 5);
  check_row(reading.samples(0)[1], 10, 10);
  check_row(reading.samples(0)[2], 214, 5);
  check_row(reading.samples(0)[3], 215, 1);
  check_row(reading.samples(0)[4], 235, 20);  // and no row in the pause that never ended
  REQUIRE(reading.samples(1).size() == 3);
  check_row(reading.samples(1)[1], 10, 10);
  check_row(reading.samples(1)[2], 235, 26);
}

TEST_CASE("an idle run whose end was lost still lies where the ticks were") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Tick(4, 300 * kMs).Sample(1, 0, 1, 1);
  chunk.Add(EntryType::kTicksEnd, [](EntryBuilder& entry) { entry.U(1).Z(INT64_MIN); });   // before all time
  chunk.Add(EntryType::kTicksEnd, [](EntryBuilder& entry) { entry.U(1).Z(kLatestNs); });   // far beyond the end
  chunk.Add(EntryType::kTicksEnd, [](EntryBuilder& entry) { entry.U(UINT64_MAX).Z(0); });  // more than there can be
  chunk.Tick(0, kMs).Sample(1, 0, 1, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 4);
  CHECK(reading.samples(0)[1].time_ns == kBegin + 299 * kMs);
  CHECK(reading.samples(0)[1].idle_ticks == 4);
}

TEST_CASE("idle ticks are as far apart as the interval was at their time") {
  Reading reading;
  reading.profile.earlier_intervals = {{kBegin + 100 * kMs, 10 * kMs}};
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1);
  chunk.Add(EntryType::kTicksEnd, [](EntryBuilder& entry) { entry.U(9).Z(90 * kMs); });
  chunk.Tick(0, 101 * kMs);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  reading.profile.end_ns = kBegin + 200 * kMs;
  reading.reader->Finish();
  REQUIRE(reading.samples(0).size() == 3);
  CHECK(reading.samples(0)[1].idle_ticks == 9);
  CHECK(reading.samples(0)[1].apart_ns == 10 * kMs);
  CHECK(reading.samples(0)[1].time_ns == kBegin + 90 * kMs);
  CHECK(reading.samples(0)[2].idle_ticks == 100);
  CHECK(reading.samples(0)[2].apart_ns == kMs);
}

TEST_CASE("a thread that is left out has no idle rows until it has a sample again") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  const auto leave_out = [](EntryBuilder& entry) { entry.Fixed(uint32_t{1}); };
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Sample(2, 0, 0, 1);
  chunk.Tick(2, 3 * kMs)
      .Add(EntryType::kFilteredOut, leave_out)
      .Tick(3, 4 * kMs)
      .Add(EntryType::kFilteredOut, leave_out);
  chunk.Add(EntryType::kFilteredOut, [](EntryBuilder& entry) { entry.Fixed(uint32_t{99}); });  // an unknown one
  chunk.Add(EntryType::kFilteredOut, [](EntryBuilder&) {});                                    // cut
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 2);
  CHECK(reading.samples(0)[1].idle_ticks == 2);
  CHECK(reading.samples(0)[1].time_ns == kBegin + 2 * kMs);
  SECTION("to the end") {}
  SECTION("taken in again") {
    ChunkBuilder later(kBegin + 8 * kMs);
    later.Tick(0, 0).Stack(0, 0x3000).Sample(1, 0, 0, 1);
    CHECK(reading.reader->ReadChunk(later.chunk()));
    REQUIRE(reading.samples(0).size() == 3);
    CHECK(reading.samples(0)[2].time_ns == kBegin + 8 * kMs);
    return;
  }
  reading.profile.end_ns = kBegin + 9 * kMs;
  reading.reader->Finish();
  CHECK(reading.samples(0).size() == 2);
  CHECK(reading.samples(1).size() == 2);  // the other one was idle
}

TEST_CASE("a sample of an unknown thread is left out and counted, and those after it are taken") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(99, 0, 0, 1).Sample(1, 0, 0, 1).Sample(98, 0, 0, 1);
  chunk.Tick(0, kMs).Sample(1, 0, 1, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  CHECK(reading.samples(0).size() == 2);
  CHECK(reading.reader->without_thread() == 2);
  CHECK(reading.reader->unreadable() == 0);
}

TEST_CASE("a sample that makes no sense is left out and counted, and those after it are taken") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000);
  chunk.Sample(1, 0, 0, 2);                                                                 // no such node
  chunk.Sample(1, -kBegin - 1, 0, 1);                                                       // before all time
  chunk.Sample(1, INT64_MAX, 0, 1).Sample(1, INT64_MIN, 0, 1).Sample(1, 2000 * kMs, 0, 1);  // not of this tick
  chunk.Add(EntryType::kSample, [](EntryBuilder& entry) { entry.U(1).Z(0); });              // cut
  chunk.Sample(1, 0, UINT64_MAX, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  CHECK(reading.reader->unreadable() == 6);
  REQUIRE(reading.samples(0).size() == 1);
  CHECK(reading.samples(0)[0].cpu_delta_ns == -1);
}

// Samples of thread 1, one for each ms of running.
void AddSamples(ChunkBuilder& chunk, int count) {
  for (int i = 0; i < count; ++i) chunk.Tick(0, kMs).Sample(1, 0, kMs + 1, 1);
}

TEST_CASE("a thread that ran without samples has a row without a stack") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Stack(0, 0x2000).SampleWith(kBlocked, {3}, 1, 0, 1, 1);
  AddSamples(chunk, 20);
  chunk.Tick(99, 100 * kMs).SampleWith(EntryType::kSample, {10 * kMs}, 1, 0, 80 * kMs + 1, 1);
  AddSamples(chunk, 3);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  reading.reader->Finish();
  const SampleList& rows = reading.samples(0);
  // Between the samples it waited for 10 ms, then for a core, and then it ran.
  REQUIRE(rows.size() == 28);
  CHECK(rows[21].state == SampleState::kWaiting);
  CHECK(rows[21].time_ns == kBegin + 30 * kMs);
  CHECK(rows[22].state == SampleState::kReady);
  CHECK(rows[22].time_ns == kBegin + 40 * kMs);
  CHECK(rows[23].state == SampleState::kRunning);
  CHECK(rows[23].stack == kNone);
  CHECK(rows[23].time_ns == kBegin + 119 * kMs);
  CHECK(rows[23].cpu_delta_ns == 79 * kMs);
  CHECK(rows[24].stack == rows[20].stack);
  CHECK(rows[24].cpu_delta_ns == kMs);
  CHECK(rows[27].time_ns == kBegin + 123 * kMs);
  const Parts sum = SumParts(rows);
  CHECK(sum.waited_ns == 10 * kMs);
  CHECK(sum.ready_ns == 10 * kMs);
  CHECK(sum.ran_ns == 103 * kMs);
  REQUIRE(reading.profile.threads[0].markers.size() == 1);
  const MarkerRow marker = reading.profile.threads[0].markers.front();
  CHECK(marker.start_ns == kBegin + 40 * kMs);
  CHECK(marker.end_ns == kBegin + 119 * kMs);
}

TEST_CASE("the time of a missing chunk is no gap in the samples") {
  Reading reading;
  ChunkBuilder before(kBegin), after(kBegin + 500 * kMs);
  before.Tick(0, 0).Stack(0, 0x2000).SampleWith(kBlocked, {3}, 1, 0, 1, 1);
  AddSamples(before, 20);
  after.Tick(0, 0).Stack(0, 0x2000);
  AddSamples(after, 20);
  CHECK(reading.reader->ReadChunk(before.chunk()));
  CHECK(reading.reader->ReadChunk(after.chunk()));
  reading.reader->Finish();
  CHECK(reading.profile.threads[0].markers.empty());
}

TEST_CASE("after a stack or a tick that makes no sense the rest of the chunk means nothing") {
  for (int kind = 0; kind < 4; ++kind) {
    Reading reading;
    ChunkBuilder chunk(kBegin);
    chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1);
    if (kind == 0) chunk.Stack(7, 0);
    if (kind == 1) chunk.Add(EntryType::kStack, [](EntryBuilder& entry) { entry.U(0).U(1'000'000); });
    if (kind == 2) chunk.Tick(0, static_cast<uint64_t>(kLatestNs));
    if (kind == 3) chunk.Tick(uint64_t{1} << 33, 0);
    chunk.Sample(2, 0, 0, 1);
    CHECK_FALSE(reading.reader->ReadChunk(chunk.chunk()));
    CHECK(reading.samples(0).size() == 1);
    CHECK(reading.samples(1).empty());
  }
}

TEST_CASE("labels: a text that was lost and a category of a later version cost no sample") {
  Reading reading;
  ChunkBuilder chunk(kBegin);
  chunk.Tick(0, 0).Add(EntryType::kStack, [](EntryBuilder& entry) {
    entry.U(0).U(3).U(55 << 2 | 1).U(1);                 // string 55: never interned
    entry.U(2 << 2 | 3).Byte('o').Byte('k').U(77 << 8);  // category 77
    entry.U(uint64_t{67} << 2 | 2);                      // a reason
  });
  chunk.Sample(1, 0, 0, 3);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 1);
  CHECK(StackText(reading.profile, reading.samples(0)[0].stack) ==
        "(root);(label unknown);ok;(no stack: the thread blocks the profiler's signal)");
  CHECK(reading.profile.frames[1].category == 0);
  CHECK(reading.profile.frames[1].subcategory == 1);
  CHECK(reading.profile.frames[2].category == kNone);
}

TEST_CASE("samples: a chunk from beyond all time is refused, one at its end is read") {
  Reading reading;
  CHECK_FALSE(reading.reader->ReadChunk(ChunkBuilder(INT64_MAX).Tick(0, 0).chunk()));
  CHECK_FALSE(reading.reader->ReadChunk(ChunkBuilder(INT64_MIN).Tick(0, 0).chunk()));
  CHECK_FALSE(reading.reader->ReadChunk(ChunkBuilder(0, INT64_MIN).Tick(0, 0).chunk()));
  ChunkBuilder chunk(kLatestNs);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1);
  for (int i = 0; i < 3; ++i) chunk.Tick(UINT32_MAX, 0).Sample(1, 0, 1, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  reading.profile.end_ns = kLatestNs;
  reading.reader->Finish();
  int64_t last_ns = 0;
  for (const SampleRow& sample : reading.samples(0)) {
    CHECK(sample.time_ns > last_ns);
    last_ns = sample.time_ns;
  }
}

TEST_CASE("an idle run as long as time itself is bounded by the time there is") {
  Reading reading;
  ChunkBuilder chunk(0, kLatestNs);
  chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1);
  chunk.Tick(UINT32_MAX, static_cast<uint64_t>(kLatestNs)).Sample(1, 0, 1, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  REQUIRE(reading.samples(0).size() == 3);
  CHECK(reading.samples(0)[1].idle_ticks == UINT32_MAX);
  CHECK(reading.samples(0)[1].time_ns == kLatestNs - kMs);
}

TEST_CASE("samples: a chunk that says to be of long before the others is of now, and counted as damaged") {
  constexpr int64_t kDay = int64_t{86'400'000} * kMs;
  const auto chunk_of = [](int64_t begin_ns, int64_t last_ns) {
    ChunkBuilder chunk(begin_ns, last_ns);
    chunk.Tick(0, 0).Stack(0, 0x2000).Sample(1, 0, 0, 1).Tick(0, kMs).Sample(1, 0, 1, 1);
    return chunk.chunk();
  };
  for (const bool is_first : {false, true}) {
    Reading reading;
    reading.profile.start_ns = kDay;
    reading.profile.end_ns = kDay + 1000 * kMs;
    int64_t begin_ns = kDay;
    if (!is_first) {
      CHECK(reading.reader->ReadChunk(chunk_of(begin_ns, begin_ns + kMs)));
      begin_ns += 2 * kMs;
    }
    CHECK_FALSE(reading.reader->ReadChunk(chunk_of(5, begin_ns + kMs)));
    CHECK(reading.reader->ReadChunk(chunk_of(begin_ns + 2 * kMs, begin_ns + 3 * kMs)));
    reading.reader->Finish();
    CHECK(reading.samples(0).front().time_ns == kDay);
    CHECK(reading.profile.start_ns == kDay);
    uint64_t ticks = 0;
    for (const SampleRow& sample : reading.samples(0)) ticks += sample.idle_ticks;
    CHECK(ticks <= 1001);
  }
}

TEST_CASE("how late a sample may be its chunk says, to the nanosecond") {
  Reading reading;
  ChunkBuilder chunk(kBegin, kBegin + 5000 * kMs);
  chunk.Tick(0, 0).Stack(0, 0x2000).Tick(0, kMs);
  chunk.Sample(1, 4999 * kMs, 0, 1).Sample(1, 4999 * kMs + 1, 0, 1);
  CHECK(reading.reader->ReadChunk(chunk.chunk()));
  CHECK(reading.reader->unreadable() == 1);
  REQUIRE(reading.samples(0).size() == 1);
  CHECK(reading.samples(0)[0].time_ns == kBegin + 5000 * kMs);
}

}  // namespace
}  // namespace geckoprof
