#include "geckoprof/streaming/segment_reader.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/streaming/gecko_writer.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 5'000 * kMs;

// A segment with two threads, libraries that replace one another, labels, markers and idle stretches.
void Fill(TestSegment& test) {
  MetadataWriter metadata(&test.segment());
  const std::string_view arguments[] = {"prog"};
  metadata.Process("/usr/bin/prog", arguments);
  metadata.Module(1, kStart, 0x1000, 0x9000, 0x1000, "/lib/first.so", "0123456789abcdef0123");
  metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, kStart, "prog");
  metadata.Thread(ThreadIndex::FromNumber(2), ThreadId::FromNumber(11), false, kStart, "worker");
  SampleWriter samples(&test.segment());
  MarkerWriter markers;
  markers.Begin(&test.segment());
  for (int64_t ms = 0; ms < 200; ++ms) {
    const int64_t now = kStart + ms * kMs;
    samples.BeginTick(now);
    if (ms % 10 > 5) continue;
    if (ms == 100) {
      samples.EndChunk();  // as the sampler does: addresses mean something else from here on
      metadata.ModuleEnd(1, now);
      metadata.Module(2, now, 0x1000, 0x9000, 0x1000, "/lib/second.so", "fedcba98765432100123");
    }
    const StackFrame frames[] = {{StackFrameKind::kNative, 0x2000, 0, {}},
                                 {StackFrameKind::kInlineLabel, 0, 0x100, "Work"},
                                 {StackFrameKind::kNative, 0x3000 + static_cast<uint64_t>(ms % 7) * 16, 0, {}}};
    samples.Add({ThreadIndex::FromNumber(1), now, ms == 0 ? -1 : 500'000, false}, frames);
    if (ms % 3 == 0) samples.Add({ThreadIndex::FromNumber(2), now + 1000, 400'000, true}, {frames, 1});
    markers.Put(ThreadId::FromNumber(11), {"Mark", 1 << 8, 1, now, now + kMs, true, "text"}, now);
  }
  test.segment().header().heartbeat_ns = kStart + 200 * kMs;
  test.segment().header().samples_asked = 150;
  test.segment().CountDrop(DropReason::kLateSignal, 3);
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
    CHECK(profile->losses[0].what == "late-signal");
    CHECK(profile->losses[0].count == 3);
    CHECK(profile->samples_asked == 150);
  }
}

TEST_CASE("an address means the library that was mapped at the time of the sample") {
  TestSegment test(1 << 20, 8);
  Fill(test);
  const ProcessProfile profile = ReadBack(test);
  for (const SampleRow& sample : profile.threads[0].samples) {
    const StackRow& stack = profile.stacks[static_cast<size_t>(sample.stack)];
    const FrameRow& frame = profile.frames[static_cast<size_t>(stack.frame)];
    REQUIRE(frame.library != kNone);
    const bool early = sample.time_ns < kStart + 100 * kMs;
    CHECK(profile.libraries[static_cast<size_t>(frame.library)].path == (early ? "/lib/first.so" : "/lib/second.so"));
  }
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
      const int64_t first_tick = sample.time_ns - (sample.idle_ticks - 1) * profile.interval_ns;
      CHECK(first_tick > last);
      last = sample.time_ns;
    }
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
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
      for (const SampleRow& sample : thread.samples) {
        REQUIRE(sample.stack >= 0);
        REQUIRE(sample.stack < static_cast<int32_t>(profile.stacks.size()));
      }
    }
    for (const StackRow& stack : profile.stacks) REQUIRE(stack.frame < static_cast<int32_t>(profile.frames.size()));
  }
}

}  // namespace
}  // namespace geckoprof
