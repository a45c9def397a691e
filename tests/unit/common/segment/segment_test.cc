#include "geckoprof/segment/segment.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "geckoprof/segment/segment_copy.h"
#include "geckoprof/segment/segment_counts.h"
#include "geckoprof/segment/segment_view.h"
#include "geckoprof/segment/stream_writer.h"
#include "tests/support/forked_check.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

ProcessId Me() { return ProcessId::FromNumber(getpid()); }

uint64_t AllocatedBytes(const std::string& path) {
  struct stat info = {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

TEST_CASE("a segment is a private file that says what it is") {
  TestSegment test;
  struct stat info = {};
  REQUIRE(stat(test.path().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const SegmentHeader& header = test.segment().header();
  CHECK(static_cast<uint64_t>(info.st_size) == header.segment_bytes);
  CHECK(std::memcmp(header.magic, kSegmentMagic, 8) == 0);
  CHECK(header.version == kSegmentVersion);
  CHECK(header.pid == getpid());
  CHECK(header.image == 0);
  CHECK(header.chunks_offset + uint64_t{header.chunk_count} * header.chunk_bytes == header.segment_bytes);
}

TEST_CASE("a segment whose file is removed is known to have lost its name, while the file is open") {
  TestSegment test;
  CHECK(!test.segment().IsUnlinked());
  test.segment().ReopenFile();
  CHECK(!test.segment().IsUnlinked());
  REQUIRE(unlink(test.path().c_str()) == 0);
  CHECK(test.segment().IsUnlinked());
  test.segment().CloseFile();
  CHECK(!test.segment().IsUnlinked());
}

TEST_CASE("pages are taken only as chunks are prepared") {
  TestSegment test(uint64_t{16} << 20, 0);
  struct stat before = {};
  stat(test.path().c_str(), &before);
  CHECK(before.st_blocks * 512 <= 8192);
  REQUIRE(test.segment().PrepareChunk());
  struct stat after = {};
  stat(test.path().c_str(), &after);
  CHECK(after.st_blocks * 512 >= before.st_blocks * 512 + static_cast<int64_t>(test.segment().chunk_bytes()));
  CHECK(test.segment().header().prepared_chunks.load() == 1);
  // Without a look at the memory, too: the file system has given them.
  REQUIRE(test.segment().PrepareChunk(Segment::Pages::kAllocate));
  struct stat allocated = {};
  stat(test.path().c_str(), &allocated);
  CHECK(allocated.st_blocks * 512 >= after.st_blocks * 512 + static_cast<int64_t>(test.segment().chunk_bytes()));
}

// /dev/shm may be all the shared memory that the program itself has.
TEST_CASE("of a file system that others have nearly filled an eighth stays free") {
  TestSegment folder;
  const bool is_kept = HoldsInChild([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return true;
    const std::string directory = folder.directory();
    if (mount("none", directory.c_str(), "tmpfs", 0, "size=16m") != 0) return true;  // not permitted here
    const int others = open((directory + "/others").c_str(), O_CREAT | O_WRONLY, 0600);
    if (posix_fallocate(others, 0, 13 << 20) != 0) return false;
    Segment segment;
    if (segment.Create({uint64_t{64} << 20, directory.c_str()}, Me(), Me()) != Segment::CreateResult::kCreated)
      return false;
    while (segment.PrepareChunk()) {
    }
    struct statfs info = {};
    return segment.header().prepared_chunks.load() > 0 && statfs(directory.c_str(), &info) == 0 &&
           info.f_bavail >= info.f_blocks / 8;
  });
  CHECK(is_kept);
}

TEST_CASE("the first chunk is whoever's who needs it first") {
  TestSegment test(uint64_t{16} << 20, 0);
  const Segment& segment = test.segment();
  StreamWriter early(&segment, StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
  const uint8_t entry[] = {1, 2, 3};
  REQUIRE(early.Append(entry, 1));
  CHECK(segment.header().prepared_chunks.load() == 1);
  // The sampler's next one is another.
  REQUIRE(test.segment().PrepareChunk());
  CHECK(segment.header().prepared_chunks.load() == 2);
}

TEST_CASE("where more begin to write at once than chunks were kept ahead, each finds one") {
  TestSegment test(uint64_t{16} << 20, 1);
  std::vector<StreamWriter> writers;
  for (uint16_t i = 0; i < 20; ++i) {
    writers.emplace_back(&test.segment(), StreamId::FromNumber(i + 1), StreamWriter::Supply::kOrdinary);
  }
  const uint8_t entry[] = {1, 2, 3};
  for (StreamWriter& writer : writers) CHECK(writer.Append(entry, 1));
  CHECK(test.segment().header().prepared_chunks.load() == 20);
  CHECK(test.drops(DropReason::kNoChunk) == 0);
}

TEST_CASE("a thread about to make the first chunk finds its addresses, whatever becomes of the segment") {
  const uint8_t entry[] = {1, 2, 3};
  TestSegment test(uint64_t{16} << 20, 0);
  StreamWriter early(&test.segment(), StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
  SECTION("the program limits its address space") {
    test.segment().FitAddressSpace(0);
    CHECK(early.Append(entry, 1));
  }
  SECTION("it is retired") {
    test.segment().Retire();
    CHECK_FALSE(early.Append(entry, 1));
    std::memset(test.segment().chunk(ChunkId::FromNumber(0)), 1, test.segment().chunk_bytes());
  }
}

TEST_CASE("an anonymous segment needs no leave for its first chunk") {
  Segment segment;
  REQUIRE(segment.Create({1 << 20, nullptr}, Me(), Me()) == Segment::CreateResult::kAnonymous);
  CHECK(segment.PrepareByMapping());
  CHECK(segment.header().prepared_chunks.load() == 1);
}

// As threads that mark do, by their own preparing where none is free.
void ReadBlock(const Segment& segment, uint32_t chunks) {
  for (uint32_t i = 0; i < chunks; ++i) {
    if (!segment.directory().HasFree()) REQUIRE(segment.PrepareByMapping());
    REQUIRE(
        segment.directory().Acquire(StreamId{}, ChunkDirectory::Partial::kIgnore, 0, ChunkDirectory::Reuse::kFreeOnly));
  }
}

TEST_CASE("threads that had to prepare chunks themselves find more the next time") {
  TestSegment test(uint64_t{64} << 20, 0);
  Segment& segment = test.segment();
  const auto free_after_ticks = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) segment.PrepareAhead();
    return segment.directory().CountFreeAtEnd(1000);
  };
  CHECK(free_after_ticks(10) == 1);
  ReadBlock(segment, 2);  // one of its own may be chance
  CHECK(free_after_ticks(10) == 1);
  ReadBlock(segment, 1);  // the third one
  CHECK(free_after_ticks(10) == Segment::kAhead);
  ReadBlock(segment, Segment::kAhead + 1);
  CHECK(free_after_ticks(10) == Segment::kAhead);
  ReadBlock(segment, Segment::kAhead + 2);
  CHECK(free_after_ticks(1) == Segment::kAhead);  // no more at one tick
  CHECK(free_after_ticks(10) == 2 * Segment::kAhead);
  for (int i = 0; i < 8; ++i) {
    ReadBlock(segment, segment.directory().CountFreeAtEnd(1000) + 2);
    free_after_ticks(20);
  }
  CHECK(free_after_ticks(20) == Segment::kMaxAhead);
}

TEST_CASE("no chunk is prepared in the middle of a burst that has half of them left") {
  TestSegment test(uint64_t{64} << 20, 0);
  Segment& segment = test.segment();
  const auto free_after_tick = [&] {
    segment.PrepareAhead();
    return segment.directory().CountFreeAtEnd(1000);
  };
  ReadBlock(segment, 2);
  REQUIRE(free_after_tick() == 3);
  REQUIRE(free_after_tick() == 6);
  ReadBlock(segment, 3);
  CHECK(free_after_tick() == 3);
  CHECK(free_after_tick() == 6);
  ReadBlock(segment, 4);  // less than half left: 12 from now on
  CHECK(free_after_tick() == 5);
  CHECK(free_after_tick() == 8);
  CHECK(free_after_tick() == 11);
  CHECK(free_after_tick() == 12);
  CHECK(free_after_tick() == 12);
}

TEST_CASE("a directory of the user's own that has just gone is made anew, another one is not") {
  const std::string folder = (std::filesystem::temp_directory_path() / "geckoprof-gone-XXXXXX").string();
  std::string name = folder;
  REQUIRE(mkdtemp(name.data()) != nullptr);
  std::filesystem::remove(name);
  Segment given, own;
  CHECK(given.Create({1 << 20, name.c_str()}, Me(), Me()) == Segment::CreateResult::kAnonymous);
  CHECK(own.Create({1 << 20, name.c_str(), true}, Me(), Me()) == Segment::CreateResult::kCreated);
  std::filesystem::remove_all(name);
}

TEST_CASE("a second program of the same process gets the next image, or replaces what is stale") {
  TestSegment test;
  Segment second;
  REQUIRE(second.Create({1 << 20, test.directory().c_str(), false}, Me(), Me()) == Segment::CreateResult::kCreated);
  CHECK(second.header().image == 1);
  Segment third;
  REQUIRE(third.Create({1 << 20, test.directory().c_str(), true}, Me(), Me()) == Segment::CreateResult::kCreated);
  CHECK(third.header().image == 0);
  CHECK(third.path() == test.path());
  CHECK(std::filesystem::file_size(test.path()) == third.header().segment_bytes);
  second.ForgetAfterFork();
  third.ForgetAfterFork();
}

TEST_CASE("small capacities have small chunks, so that recycling has a choice") {
  TestSegment test(1 << 20, 0);
  CHECK(test.segment().header().chunk_count >= 32);
  TestSegment large(uint64_t{64} << 20, 0);
  CHECK(large.segment().chunk_bytes() == 64 * 1024);
}

TEST_CASE("without a directory the segment is memory of this process") {
  Segment segment;
  REQUIRE(segment.Create({1 << 20, nullptr}, Me(), Me()) == Segment::CreateResult::kAnonymous);
  CHECK(segment.header().anonymous == 1);
  CHECK(segment.PrepareChunk());
  segment.ForgetAfterFork();
  CHECK_FALSE(segment.IsMapped());
}

TEST_CASE("a file size limit makes the segment smaller, and never sends a signal") {
  TestSegment test;
  const std::string directory = test.directory();
  CHECK(HoldsInChild([&] {
    const rlimit limit = {2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    Segment segment;
    if (segment.Create({64 << 20, directory.c_str()}, Me(), Me()) != Segment::CreateResult::kCreated) return false;
    while (segment.PrepareChunk()) {
    }
    std::memset(segment.chunk(ChunkId::FromNumber(segment.header().chunk_count - 1)), 1, segment.chunk_bytes());
    return segment.header().segment_bytes <= (2 << 20) &&
           segment.header().prepared_chunks.load() == segment.header().chunk_count;
  }));
  CHECK(HoldsInChild([&] {
    const rlimit limit = {0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
    Segment segment;
    return segment.Create({64 << 20, directory.c_str()}, Me(), Me()) == Segment::CreateResult::kNoSpace;
  }));
}

TEST_CASE("of a limited address space only a share is taken") {
  if (kIsSanitized) return;
  TestSegment test;
  const std::string directory = test.directory();
  CHECK(HoldsInChild([&] {
    const rlimit limit = {rlim_t{512} << 20, rlim_t{512} << 20};
    setrlimit(RLIMIT_AS, &limit);
    Segment segment;
    return segment.Create({512 << 20, directory.c_str()}, Me(), Me()) == Segment::CreateResult::kCreated &&
           segment.header().segment_bytes <= (512 << 20) / 16;
  }));
}

TEST_CASE("a program that limits its address space gets back what no chunk uses yet") {
  TestSegment test(uint64_t{64} << 20, 0);
  Segment& segment = test.segment();
  REQUIRE(segment.PrepareChunk());
  const auto is_mapped = [&](uint64_t offset) {
    unsigned char resident = 0;
    auto* const page = reinterpret_cast<uint8_t*>(&segment.header()) + offset;
    return mincore(page, 1, &resident) == 0;
  };
  CHECK(is_mapped(segment.header().segment_bytes - 4096));
  segment.FitAddressSpace(uint64_t{64} << 20);
  CHECK_FALSE(is_mapped(segment.header().segment_bytes - 4096));
  CHECK(is_mapped((uint64_t{4} << 20) - 4096));
  CHECK_FALSE(is_mapped(uint64_t{4} << 20));
  uint32_t prepared = 1;
  while (segment.PrepareChunk()) ++prepared;
  CHECK(prepared == ((4 << 20) - segment.header().chunks_offset) / segment.chunk_bytes());
  segment.FitAddressSpace(1);  // what is in use stays
  std::memset(segment.chunk(ChunkId::FromNumber(prepared - 1)), 1, segment.chunk_bytes());
  segment.Retire();
  CHECK_FALSE(is_mapped(uint64_t{4} << 20));  // retiring takes no address that may be the program's by now
}

TEST_CASE("in a forked child the parent's segment stays addressable and is not touched") {
  TestSegment test;
  uint8_t* const chunk = test.segment().chunk(ChunkId::FromNumber(0));
  chunk[0] = 1;
  CHECK(HoldsInChild([&] {
    test.segment().ForgetAfterFork();
    const bool zero = chunk[0] == 0;
    chunk[0] = 2;
    return zero && !test.segment().IsMapped();
  }));
  CHECK(chunk[0] == 1);
}

TEST_CASE("what no chunk was prepared in is unmapped when a segment is retired or the parent's") {
  for (const bool in_child : {false, true}) {
    TestSegment test(uint64_t{64} << 20, 2);
    Segment& segment = test.segment();
    // One more than were prepared stays: a thread may be about to prepare it.
    uint8_t* const last = segment.chunk(ChunkId::FromNumber(2)) + segment.chunk_bytes() - 1;
    unsigned char resident = 0;
    REQUIRE(mincore(last + 1, 1, &resident) == 0);
    in_child ? segment.ForgetAfterFork() : segment.Retire();
    CHECK_FALSE(segment.IsMapped());
    *last = 3;
    CHECK(mincore(last + 1, 1, &resident) != 0);
    segment.Retire();  // a second time: nothing
    *last = 4;
  }
}

TEST_CASE("start and stop again and again take no address space") {
  if (kIsSanitized) return;
  TestSegment test;
  const std::string directory = test.directory();
  CHECK(HoldsInChild([&] {
    const rlimit limit = {rlim_t{512} << 20, rlim_t{512} << 20};
    setrlimit(RLIMIT_AS, &limit);
    for (int i = 0; i < 100; ++i) {
      Segment segment;
      if (segment.Create({64 << 20, directory.c_str(), true}, Me(), Me()) != Segment::CreateResult::kCreated) {
        return false;
      }
      segment.PrepareChunk();
      segment.Retire();
      segment.CloseFile();
    }
    return true;
  }));
}

TEST_CASE("a process of another namespace with the same number keeps its file") {
  TestSegment test;
  Segment mine, other;
  // Both are in the making at the same time, and a file of such a name is no segment at all.
  REQUIRE(mine.Create({1 << 20, test.directory().c_str(), false}, Me(), Me()) == Segment::CreateResult::kCreated);
  const std::string taken = test.directory() + "/" + std::to_string(getpid()) + "-2.segment";
  std::ofstream(taken) << "theirs";
  REQUIRE(other.Create({1 << 20, test.directory().c_str(), false}, Me(), Me()) == Segment::CreateResult::kCreated);
  CHECK((mine.header().image == 1 && other.header().image == 3));
  CHECK(std::string(mine.path()) != other.path());
  for (const Segment* const segment : {&mine, &other}) {
    CHECK(std::filesystem::file_size(segment->path()) == segment->header().segment_bytes);
  }
  CHECK(std::filesystem::file_size(taken) == 6);
  for (Segment* const segment : {&mine, &other}) segment->Retire();
}

TEST_CASE("what is not published is no segment to a reader, what is published is one") {
  TestSegment test;
  Segment segment;
  REQUIRE(segment.Create({1 << 20, test.directory().c_str(), false}, Me(), Me()) == Segment::CreateResult::kCreated);
  SegmentView view;
  CHECK(view.OpenFile(segment.path()) == SegmentView::OpenResult::kNotASegment);
  segment.Publish();
  CHECK(view.OpenFile(segment.path()) == SegmentView::OpenResult::kOk);
  segment.Retire();
}

TEST_CASE("a file that took the name of ours is not written to") {
  TestSegment test(1 << 20, 1);
  Segment& segment = test.segment();
  segment.CloseFile();
  std::filesystem::remove(segment.path());
  std::ofstream(segment.path()) << "theirs";
  segment.ReopenFile();
  CHECK(segment.PrepareChunk());
  CHECK(std::filesystem::file_size(segment.path()) == 6);
}

TEST_CASE("stray stores to the counts of the header do not lead out of the mapping") {
  for (const uint32_t wild : {0u, 1u, 100u, kMaxChunks, UINT32_MAX - 1, UINT32_MAX}) {
    INFO(wild);
    TestSegment test(uint64_t{4} << 20, 3);
    Segment& segment = test.segment();
    SegmentHeader& header = segment.header();
    StreamWriter writer(&segment, StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
    const uint8_t entry[] = {1, 2, 3};
    REQUIRE(writer.Append(entry, 1));
    const ChunkUse use = writer.chunk_use();
    header.prepared_chunks = header.chunk_count = header.clock_hand = header.metadata_chunks = wild;
    header.segment_bytes = header.chunk_bytes = wild;
    for (int i = 0; i < 3; ++i) segment.PrepareAhead();
    segment.PrepareChunk();
    segment.PrepareByMapping();
    const ChunkDirectory directory = segment.directory();
    CHECK(directory.prepared() <= segment.mapped_chunks());
    CHECK(directory.CountFreeAtEnd(UINT32_MAX) <= segment.mapped_chunks());
    CHECK(directory.IsCurrent(use));
    CHECK_FALSE(directory.IsCurrent({ChunkId::FromNumber(segment.mapped_chunks()), use.block}));
    for (int i = 0; i < 200; ++i) {
      const auto chunk = segment.directory().Acquire(StreamId::FromNumber(2), ChunkDirectory::Partial::kContinue, 1);
      if (chunk) CHECK(chunk->ToNumber() < segment.mapped_chunks());
    }
    static_cast<void>(segment.directory().AcquirePinned(StreamId::FromNumber(3), 1));
    CHECK(SegmentCopy(segment).size_bytes() <= segment.mapped_bytes());
    static_cast<void>(CountSegment(&header, segment.mapped_bytes()));
    static_cast<void>(segment.Grow(uint64_t{16} << 20));
    writer.Finish();
    static_cast<void>(writer.Append(entry, 2));
  }
}

TEST_CASE("a segment grows where it is") {
  TestSegment test(uint64_t{4} << 20, 1);
  Segment& segment = test.segment();
  StreamWriter writer(&segment, StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
  const uint8_t entry[] = {1, 2, 3};
  REQUIRE(writer.Append(entry, 1));
  const uint32_t before = segment.header().chunk_count;
  CHECK(before <= 64);
  CHECK_FALSE(segment.Grow(uint64_t{4} << 20));
  CHECK(segment.header().chunk_count == before);
  while (segment.PrepareChunk()) {
  }
  REQUIRE(segment.Grow(uint64_t{16} << 20));
  CHECK(segment.header().chunk_count == 256);
  CHECK(segment.header().capacity_bytes == uint64_t{16} << 20);
  CHECK(std::filesystem::file_size(test.path()) == segment.header().segment_bytes);
  uint32_t more = 0;
  while (segment.PrepareChunk()) ++more;
  CHECK(more == 256 - before);
  std::memset(segment.chunk(ChunkId::FromNumber(255)), 1, segment.chunk_bytes());
  CHECK(writer.Append(entry, 2));
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  CHECK(view.chunk_count() == 256);
}

TEST_CASE("a segment grows within limits, and again when its file was closed") {
  TestSegment test(uint64_t{4} << 20, 1);
  CHECK(HoldsInChild([&] {
    const rlimit limit = {8 << 20, 8 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    test.segment().CloseFile();
    const bool grown = test.segment().Grow(uint64_t{2} << 30);
    while (test.segment().PrepareChunk()) {
    }
    const SegmentHeader& header = test.segment().header();
    return grown && header.segment_bytes <= (8 << 20) && header.prepared_chunks == header.chunk_count;
  }));
  std::filesystem::remove(test.path());  // and then it cannot be opened any more
  test.segment().CloseFile();
  CHECK_FALSE(test.segment().Grow(uint64_t{2} << 30));
}

TEST_CASE("without a file a segment grows too, once it had room") {
  Segment segment;
  REQUIRE(segment.Create({4 << 20, nullptr}, Me(), Me()) == Segment::CreateResult::kAnonymous);
  REQUIRE(segment.Grow(uint64_t{64} << 20));
  while (segment.PrepareChunk()) {
  }
  std::memset(segment.chunk(ChunkId::FromNumber(segment.header().chunk_count - 1)), 1, segment.chunk_bytes());
  CHECK(segment.header().chunk_count == 1024);
}

TEST_CASE("released chunks take no memory until they are needed again") {
  TestSegment test(1 << 20, 64);
  Segment& segment = test.segment();
  const uint64_t before_bytes = AllocatedBytes(test.path());
  for (int i = 0; i < 64; ++i) {
    const auto chunk = segment.directory().Acquire(StreamId::FromNumber(1), ChunkDirectory::Partial::kIgnore, 100 + i);
    REQUIRE(chunk);
    std::memset(segment.chunk(*chunk), 7, segment.chunk_bytes());
    segment.directory().Finish(*chunk);
  }
  CHECK(segment.ReleaseBefore(100 + 32, 20) == 20);
  CHECK(segment.ReleaseBefore(100 + 32, 20) == 12);
  const uint64_t half_bytes = AllocatedBytes(test.path());
  constexpr uint64_t kTables = 2 * 4096;  // blocks of the file system count, too
  CHECK(before_bytes - half_bytes >= uint64_t{32} * segment.chunk_bytes() - kTables);
  CHECK(segment.header().released_until_ns == 131);
  CHECK(segment.ReleaseBefore(0, 20) == 0);
  CHECK(segment.header().released_until_ns == 131);

  // One chunk at a time, at the clock's hand.
  segment.header().clock_hand.store(0);
  segment.PrepareAhead();
  const uint64_t again_bytes = AllocatedBytes(test.path()) - half_bytes;
  CHECK((again_bytes >= segment.chunk_bytes() - kTables && again_bytes <= segment.chunk_bytes() + kTables));
  const auto again = segment.directory().Acquire(StreamId::FromNumber(1), ChunkDirectory::Partial::kIgnore, 500);
  REQUIRE(again);
  CHECK(again->ToNumber() == 0);
  CHECK(segment.chunk(*again)[0] == 0);
  // A chunk that has pages again, and no entries, takes no part in the range.
  segment.PrepareAhead();
  const auto counts = CountSegment(&segment.header(), segment.mapped_bytes());
  REQUIRE(counts.has_value());
  CHECK(counts->range_start > 1);
}

TEST_CASE("retired memory stays addressable") {
  TestSegment test;
  uint8_t* const chunk = test.segment().chunk(ChunkId::FromNumber(0));
  chunk[0] = 1;
  test.segment().Retire();
  CHECK(chunk[0] == 0);
  chunk[0] = 2;
}

}  // namespace
}  // namespace geckoprof
