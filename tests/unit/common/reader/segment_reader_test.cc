#include "geckoprof/reader/segment_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/segment/clock_pair.h"
#include "tests/support/changed_rows.h"
#include "tests/support/read_back.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 5'000 * kMs;

TimedMarker Mark(int64_t start_ns, int64_t end_ns) {
  return TestMarkerWriter::Named("Mark", 1, static_cast<uint64_t>(start_ns), static_cast<uint64_t>(end_ns));
}

// A segment with two threads, libraries that replace one another, labels, markers and idle stretches.
void Fill(TestSegment& test) {
  MetadataWriter metadata(&test.segment());
  const std::string_view arguments[] = {"prog"};
  metadata.Process("/usr/bin/prog", arguments);
  metadata.Module(1, kStart, 0x1000, 0x9000, 0x1000, "/lib/first.so", "0123456789abcdef0123");
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  metadata.Thread(ThreadIndex::FromNumber(2), ThreadId::FromNumber(11), false, kStart, "worker");
  SampleWriter samples(&test.segment());
  TestMarkerWriter::WriteSites(test.segment());
  TestMarkerWriter markers;
  for (int64_t ms = 0; ms < 200; ++ms) {
    const int64_t now = kStart + ms * kMs;
    samples.BeginTick(now);
    if (ms % 10 > 5) continue;
    if (ms == 150) samples.EndChunkForTest();
    if (ms == 100) {
      const AddressRange first{0x1000, 0x9000};
      samples.NoteUnmapped({&first, 1}, now);
      metadata.ModuleEnd(1, now);
      metadata.Module(2, now, 0x1000, 0x9000, 0x1000, "/lib/second.so", "fedcba98765432100123");
    }
    const StackFrame frames[] = {{StackFrameKind::kNative, 0x2000, 0, {}},
                                 {StackFrameKind::kInlineLabel, 0, 0x100, "Work"},
                                 {StackFrameKind::kNative, 0x3000 + static_cast<uint64_t>(ms % 7) * 16, 0, {}}};
    samples.Add({ThreadIndex::FromNumber(1), now, ms == 0 ? -1 : 500'000}, frames);
    if (ms % 3 == 0)
      samples.Add({ThreadIndex::FromNumber(2), now + 1000, ms == 0 ? -1 : 400'000, {WaitCause::kSleep}}, {frames, 1});
    markers.PutText(&test.segment(), ThreadId::FromNumber(11), Mark(now, now + kMs), "text");
  }
  test.segment().header().heartbeat_ns = kStart + 200 * kMs;
  test.segment().header().samples_asked = 150;
  test.segment().CountDrop(DropReason::kAnswerPending, 3);
}

TEST_CASE("everything that was written is read, from the file and from the mapping alike") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  ProcessProfile file;
  ProcessProfile own;
  REQUIRE(ReadSegmentFile(test.path().c_str(), file).status == SegmentReadStatus::kOk);
  REQUIRE(ReadOwnSegment(test.segment(), own).status == SegmentReadStatus::kOk);
  for (const ProcessProfile* profile : {&file, &own}) {
    REQUIRE(profile->threads.size() == 2);
    CHECK(profile->threads[0].name == "prog");
    CHECK(profile->threads[0].samples.size() == 120 + 20);  // 120 samples and an idle run after each six
    CHECK(profile->threads[1].markers.size() == 120);
    CHECK(profile->losses.size() == 1);
    CHECK(profile->losses[0].what == "answer-pending");
    CHECK(profile->losses[0].count == 3);
    CHECK(profile->samples_asked == 150);
  }
}

TEST_CASE("an address means the library that was mapped at the time of the sample") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  const ProcessProfile profile = ReadBack(test);
  for (const SampleRow& sample : profile.threads[0].samples) {
    if (sample.stack == kNone) continue;  // ticks in which the thread did not run
    const StackRow& stack = profile.stacks[static_cast<size_t>(sample.stack)];
    const FrameRow& frame = profile.frames[static_cast<size_t>(stack.frame)];
    REQUIRE(frame.library != kNone);
    const bool early = sample.time_ns < kStart + 100 * kMs;
    CHECK(profile.libraries[static_cast<size_t>(frame.library)].path == (early ? "/lib/first.so" : "/lib/second.so"));
  }
}

TEST_CASE("a library that was noticed after it was used is found, unless some were unloaded meanwhile") {
  constexpr int64_t kNoticed = kStart + 5 * kMs;
  TestSegment test(1 << 20, 8);
  MetadataWriter metadata(&test.segment());
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  metadata.Module(1, kStart, 0x1000, 0x2000, 0, "/lib/first.so", "");
  metadata.ModuleEnd(1, kNoticed);
  metadata.Module(2, kNoticed, 0x1000, 0x2000, 0, "/lib/second.so", "");
  metadata.Module(3, kNoticed, 0x3000, 0x4000, 0, "/lib/third.so", "");
  metadata.Module(4, kNoticed + 20 * kMs, 0x5000, 0x6000, 0, "/lib/much_later.so", "");
  SampleWriter samples(&test.segment());
  samples.BeginTick(kStart);
  const auto add = [&] {
    for (const uint64_t address : {0x1800, 0x3800, 0x5800}) {
      const StackFrame frame{StackFrameKind::kNative, address, 0, {}};
      samples.Add({ThreadIndex::FromNumber(1), kStart, -1}, {&frame, 1});
    }
  };
  add();
  std::vector<std::string> wanted = {"/lib/first.so", "/lib/third.so", ""};
  SECTION("the chunk ended before it") {}
  SECTION("libraries went at that moment") {
    const AddressRange changed[] = {{0x1000, 0x2000}, {0x3000, 0x4000}};
    samples.NoteUnmapped(changed, kNoticed);
    wanted[1] = "";  // what was there then may have gone, too
    SECTION("and no more was sampled") {}
    SECTION("and what was captured before is written by the list of that time") {
      add();
      wanted.insert(wanted.end(), {"/lib/second.so", "/lib/third.so", ""});
    }
  }
  const ProcessProfile profile = ReadBack(test);
  std::vector<std::string> found;
  for (const SampleRow& sample : profile.threads[0].samples) {
    const int32_t library =
        profile.frames[static_cast<size_t>(profile.stacks[static_cast<size_t>(sample.stack)].frame)].library;
    found.push_back(library == kNone ? "" : profile.libraries[static_cast<size_t>(library)].path);
  }
  CHECK(found == wanted);
}

TEST_CASE("times are in order and tables refer backwards") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  const ProcessProfile profile = ReadBack(test);
  for (size_t i = 1; i < profile.stacks.size(); ++i) {
    CHECK(profile.stacks[i].prefix < static_cast<int32_t>(i));
    CHECK(profile.stacks[i].prefix >= 0);
  }
  for (const ThreadRow& thread : profile.threads) {
    int64_t last = 0;
    for (const SampleRow& sample : thread.samples) {
      const int64_t first_tick = sample.time_ns - (sample.idle_ticks - 1) * sample.apart_ns;
      CHECK(first_tick > last);
      last = sample.time_ns;
    }
  }
}

uint64_t Lost(const ProcessProfile& profile, std::string_view what) {
  for (const LossRow& loss : profile.losses) {
    if (loss.what == what) return loss.count;
  }
  return 0;
}

TEST_CASE("a time in which a thread ran and had no samples is in the Gecko profile") {
  TestSegment test(1 << 20, 8);
  test.segment().header().interval_ns = kMs;
  MetadataWriter metadata(&test.segment());
  metadata.Process("/usr/bin/prog", {});
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  SampleWriter samples(&test.segment());
  const StackFrame frames[] = {{StackFrameKind::kNative, 0x2000, 0, {}}};
  for (int64_t ms = 1; ms <= 130; ++ms) {
    samples.BeginTick(kStart + ms * kMs);
    if (ms > 30 && ms < 100) continue;
    samples.Add({ThreadIndex::FromNumber(1), kStart + ms * kMs, (ms == 100 ? 70 : 1) * kMs}, frames);
  }
  test.segment().header().heartbeat_ns = kStart + 130 * kMs;
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.problems.empty());
  std::string text;
  JsonWriter writer(StringSink(&text));
  WriteGeckoProfile(profile, writer);
  REQUIRE(writer.Finish());
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  INFO(text);
  const std::string start = std::to_string((kStart + 30 * kMs - profile.start_ns) / kMs);
  const std::string end = std::to_string((kStart + 99 * kMs - profile.start_ns) / kMs);
  CHECK(has("[null," + end + ",null,null,69000000],[1," + std::to_string(std::stoi(end) + 1) + ",null,null,1000000]"));
  CHECK(has("," + start + "," + end + R"(,1,1,{"type":"geckoprofGap","cpuTime":69}])"));
  CHECK(has(R"("markerSchema":[{"name":"geckoprofGap",)"));
  CHECK(has(R"("gap")"));
}

TEST_CASE("a recording that goes on ends when it is read, one that has ended does not") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  SegmentHeader& header = test.segment().header();
  ProcessProfile profile;
  ReadOwnSegment(test.segment(), profile);
  CHECK(profile.end_ns == kStart + 200 * kMs);
  header.heartbeat_ns = MonotonicNs();
  header.state = static_cast<uint32_t>(SegmentState::kRecording);
  const int64_t before_ns = MonotonicNs();
  ReadOwnSegment(test.segment(), profile);
  CHECK(profile.end_ns >= before_ns);
  CHECK(profile.end_ns <= MonotonicNs());
  ReadSegmentFile(test.path().c_str(), profile);  // anybody's: it may have been dead for long
  CHECK(profile.end_ns == header.heartbeat_ns);
}

TEST_CASE("the recording does not end before its last marker, but for one of times to come") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  test.segment().header().interval_ns = 100 * kMs;
  const auto put = [&](int64_t ms) {
    TestMarkerWriter markers;
    const int64_t time_ns = kStart + ms * kMs;
    markers.PutText(&test.segment(), ThreadId::FromNumber(11), Mark(time_ns - kMs, time_ns), "text");
    return ReadBack(test).end_ns - kStart;
  };
  CHECK(put(300) == 300 * kMs);
  CHECK(put(250) == 300 * kMs);
  CHECK(put(1'300) == 1'300 * kMs);   // the sampler got no core for a second
  CHECK(put(90'000) == 1'300 * kMs);  // who was killed by then cannot have made it
}

TEST_CASE("chunks that gave way to newer ones are counted") {
  TestSegment test(1 << 20, 4, TestSegment::Size::kPreparedOnly);
  MetadataWriter metadata(&test.segment());
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  SampleWriter samples(&test.segment());
  const auto write_chunk = [&](int64_t ms) {
    samples.BeginTick(kStart + ms * kMs);
    const StackFrame frame{StackFrameKind::kNative, 0x2000, 0, {}};
    samples.Add({ThreadIndex::FromNumber(1), kStart + ms * kMs, -1}, {&frame, 1});
    samples.EndChunkForTest();
  };
  for (int64_t ms = 0; ms < 3; ++ms) write_chunk(ms);
  CHECK(Lost(ReadBack(test), "recycled-chunk") == 0);
  for (int64_t ms = 3; ms < 10; ++ms) write_chunk(ms);
  for (const bool own : {false, true}) {
    ProcessProfile profile;
    CHECK((own ? ReadOwnSegment(test.segment(), profile) : ReadSegmentFile(test.path().c_str(), profile)).status ==
          SegmentReadStatus::kOk);
    CHECK(Lost(profile, "recycled-chunk") == 7);
    CHECK(profile.threads[0].samples.front().time_ns == kStart + 7 * kMs);
  }
}

TEST_CASE("threads that found no room in the metadata cost only their own samples") {
  TestSegment test(1 << 20, 4);
  MetadataWriter metadata(&test.segment());
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  SampleWriter samples(&test.segment());
  const StackFrame frame{StackFrameKind::kNative, 0x2000, 0, {}};
  for (int64_t ms = 0; ms < 20; ++ms) {
    samples.BeginTick(kStart + ms * kMs);
    samples.Add({ThreadIndex::FromNumber(2), kStart + ms * kMs, -1}, {&frame, 1});
    samples.Add({ThreadIndex::FromNumber(1), kStart + ms * kMs, -1}, {&frame, 1});
  }
  ProcessProfile profile;
  CHECK(ReadSegmentFile(test.path().c_str(), profile).status == SegmentReadStatus::kOk);
  CHECK(profile.threads[0].samples.size() == 20);
  CHECK(Lost(profile, "sample-without-thread") == 20);
}

TEST_CASE("metadata that makes no sense costs nothing but itself, and is told") {
  TestSegment test(1 << 20, 4);
  MetadataWriter metadata(&test.segment());
  metadata.ThreadEnd(ThreadIndex::FromNumber(5), kStart);
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  ProcessProfile profile;
  CHECK(ReadSegmentFile(test.path().c_str(), profile).status == SegmentReadStatus::kDamaged);
  CHECK(profile.threads.size() == 1);
  CHECK(Lost(profile, "damaged-chunk") == 1);
}

// Run with the sanitizers on: no sum or difference may overflow, from the bytes to the text.
TEST_CASE("a segment whose times are the ends of int64_t is read and written") {
  for (const int64_t extreme : {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, INT64_MAX / 2}) {
    TestSegment test(1 << 20, 8);
    Fill(test);
    SegmentHeader& header = test.segment().header();
    header.exec_ns = header.created_epoch_ns = extreme;
    header.constructor_ns = header.created_ns = ~extreme;
    header.interval_ns = extreme;
    header.heartbeat_ns = extreme;
    MetadataWriter metadata(&test.segment());
    metadata.Thread(ThreadIndex::FromNumber(3), ThreadId::FromNumber(12), false, extreme, "late");
    metadata.ThreadEnd(ThreadIndex::FromNumber(3), ~extreme);
    header.paused_since_ns = extreme;
    SampleWriter samples(&test.segment());
    const StackFrame frame{StackFrameKind::kNative, 0x2000, 0, {}};
    for (const int64_t time_ns : {int64_t{1}, extreme, ~extreme}) {
      samples.EndChunkForTest();
      samples.BeginTick(time_ns);
      samples.Add({ThreadIndex::FromNumber(3), time_ns, INT64_MAX - 1}, {&frame, 1});
    }
    TestMarkerWriter markers;
    markers.PutText(&test.segment(), ThreadId::FromNumber(12), Mark(extreme, extreme), "text");
    ProcessProfile profile;
    ReadSegmentFile(test.path().c_str(), profile);
    CHECK(profile.threads.size() == 3);
    std::string json;
    JsonWriter writer(StringSink(&json));
    // A run of idle ticks to the end of time has more rows than there is paper.
    for (size_t i = 0; i < 2; ++i) profile.threads[i].samples = {profile.threads[i].samples.front()};
    for (ThreadRow& thread : profile.threads) {
      ChangeRows(thread.samples, [](SampleRow& sample) { sample.idle_ticks = std::min(sample.idle_ticks, 3u); });
    }
    WriteGeckoProfile(profile, writer);
    CHECK(writer.Finish());
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of what Fill writes: two threads with 200 ticks, and that of the last sign of life.
constexpr uint64_t kRows = 402;

// All rows that a Gecko profile has of the samples.
uint64_t Rows(const ProcessProfile& profile) {
  uint64_t rows = 0;
  for (const ThreadRow& thread : profile.threads) {
    int64_t previous_ns = std::min(profile.start_ns, thread.registered_ns) - 1;
    for (const SampleRow& sample : thread.samples) {
      rows += IdleRows(sample, previous_ns);
      previous_ns = std::max(previous_ns, sample.time_ns);
    }
  }
  return rows;
}

// The bytes of a segment with times such as a machine has that runs for days.
std::string WholeSegment(TestSegment& test) {
  Fill(test);
  SegmentHeader& header = test.segment().header();
  header.exec_ns = kStart - 5 * kMs;
  header.created_ns = header.constructor_ns = header.first_cycles_ns = kStart - kMs;
  WriteLatestPair(header, {3'000'000'000, kStart + 200 * kMs});
  return ReadFile(test.path()).substr(0, header.chunks_offset + 8 * uint64_t{header.chunk_bytes});
}

// A disk that fills up is worse than a profile that cannot be read.
TEST_CASE("whatever byte of a segment is wrong, its profile does not grow") {
  TestSegment test(1 << 20, 8);
  const std::string good = WholeSegment(test);
  const uint64_t chunks_offset = test.segment().header().chunks_offset;
  const uint32_t chunk_bytes = test.segment().header().chunk_bytes;
  const std::string path = test.directory() + "/mutated";
  std::ofstream(path, std::ios::binary) << good;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](size_t at, int byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte)).flush();
  };
  const auto rows_with = [&](size_t at, int flipped) {
    put(at, good[at] ^ flipped);
    ProcessProfile profile;
    ReadSegmentFile(path.c_str(), profile);
    put(at, good[at]);
    return Rows(profile);
  };
  CHECK(rows_with(0, 0) == kRows);
  std::vector<size_t> places;
  for (size_t at = 0; at < sizeof(SegmentHeader); ++at) {
    const size_t in_text = at - std::min(at, offsetof(SegmentHeader, command_line));
    if (in_text % 64 == 0) places.push_back(at);  // of a long text, some bytes suffice
  }
  for (size_t chunk = 0; chunk < 8; ++chunk) {
    for (size_t at = 0; at < sizeof(ChunkRow); ++at) places.push_back(4096 + chunk * sizeof(ChunkRow) + at);
    for (size_t at = 0; at < 300; ++at) places.push_back(chunks_offset + chunk * chunk_bytes + at);
  }
  uint64_t most_rows = 0;
  for (const size_t at : places) {
    for (const int flipped : {1, 0x80, 0xff}) {
      const uint64_t rows = rows_with(at, flipped);
      if (rows > 10 * kRows) FAIL_CHECK("byte " << at << " ^ " << flipped << ": " << rows << " rows");
      most_rows = std::max(most_rows, rows);
    }
  }
  CHECK(most_rows > 0);
}

TEST_CASE("times of the header that contradict the others are told, and do not count") {
  TestSegment test(1 << 20, 8);
  std::string good = WholeSegment(test);
  const std::string path = test.directory() + "/mutated";
  for (const size_t field : {offsetof(SegmentHeader, exec_ns), offsetof(SegmentHeader, constructor_ns),
                             offsetof(SegmentHeader, created_ns), offsetof(SegmentHeader, heartbeat_ns),
                             offsetof(SegmentHeader, latest_cycles_ns), offsetof(SegmentHeader, interval_ns)}) {
    INFO("field at " << field);
    std::string bytes = good;
    bytes[field + 7] ^= 1;
    std::ofstream(path, std::ios::binary) << bytes;
    ProcessProfile profile;
    CHECK(ReadSegmentFile(path.c_str(), profile).status == SegmentReadStatus::kDamaged);
    CHECK(Lost(profile, "damaged-field") >= 1);
    CHECK(profile.start_ns >= kStart - 5 * kMs);
    CHECK(profile.end_ns <= kStart + 201 * kMs);
    CHECK(Rows(profile) == kRows);
  }
}

TEST_CASE("a thread that ended in the far future ended with the recording") {
  TestSegment test(1 << 20, 8);
  WholeSegment(test);
  MetadataWriter metadata(&test.segment());
  metadata.ThreadEnd(ThreadIndex::FromNumber(2), kStart + (int64_t{1} << 56));
  ProcessProfile profile;
  CHECK(ReadSegmentFile(test.path().c_str(), profile).status == SegmentReadStatus::kDamaged);
  CHECK(Lost(profile, "damaged-field") == 1);
  CHECK(Rows(profile) == kRows);
  CHECK(profile.threads[1].unregistered_ns == kStart + 200 * kMs);
}

// Whatever a file holds, reading it ends, without a fault, with tables that a writer can use.
TEST_CASE("damaged segments are survived") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  const SegmentHeader& header = test.segment().header();
  const std::string good = ReadFile(test.path()).substr(0, header.chunks_offset + 8 * uint64_t{header.chunk_bytes});
  const std::string path = test.directory() + "/mutated";
  std::mt19937 random(12345);
  for (int round = 0; round < 400; ++round) {
    std::string bytes = good;
    const int kind = round % 4;
    if (kind == 0) bytes.resize(random() % bytes.size());
    const int changes = kind == 1 ? 1 : kind == 2 ? 50 : kind == 3 ? 2000 : 0;
    for (int i = 0; i < changes && !bytes.empty(); ++i) {
      // Header and directory, or the first bytes of the chunks, where the entries are.
      const size_t within = random() % 2 == 0 ? header.chunks_offset : header.chunk_bytes / 4;
      const size_t base = within == header.chunks_offset ? 0 : header.chunks_offset + random() % 8 * header.chunk_bytes;
      bytes[std::min(base + random() % within, bytes.size() - 1)] = static_cast<char>(random());
    }
    std::ofstream(path, std::ios::binary) << bytes;
    ProcessProfile profile;
    ReadSegmentFile(path.c_str(), profile);
    for (const ThreadRow& thread : profile.threads) {
      bool is_first = true;
      for (const SampleRow& sample : thread.samples) {
        const bool is_ahead = std::exchange(is_first, false) && sample.cpu_delta_ns == 0;
        REQUIRE(sample.stack >= (is_ahead || sample.state != SampleState::kRunning ? kNone : 0));
        REQUIRE(sample.ready_ns >= 0);
        REQUIRE(static_cast<size_t>(sample.cause) < kWaitCauseNames.size());
        REQUIRE(sample.stack < static_cast<int32_t>(profile.stacks.size()));
      }
    }
    for (const StackRow& stack : profile.stacks) REQUIRE(stack.frame < static_cast<int32_t>(profile.frames.size()));
  }
}

}  // namespace
}  // namespace geckoprof
