#include "tools/record/session_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"
#include "geckoprof/segment/stream_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tools/record/session_directory.h"
#include "tools/record/session_limit.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int32_t kNoPid = 1 << 23;  // above every pid

bool Exists(const TemporaryFolder& folder, const std::string& name) {
  return std::filesystem::exists(folder.path() + "/" + name);
}

void CopySegment(TestSegment& test, const TemporaryFolder& folder, const std::string& name) {
  std::filesystem::copy_file(test.path(), folder.path() + "/" + name);
}

TEST_CASE("the segments of ended processes go to the archive, and those of live ones stay") {
  const TemporaryFolder folder;
  TestSegment test;
  CopySegment(test, folder, Concat(kNoPid, "-0.segment"));
  CopySegment(test, folder, Concat(getpid(), "-0.segment"));
  SessionWatch watch(folder.path(), 64 << 20);
  CHECK(watch.Look() > 0);
  CHECK(Exists(folder, kArchiveName));
  CHECK_FALSE(Exists(folder, Concat(kNoPid, "-0.segment")));
  CHECK(Exists(folder, Concat(getpid(), "-0.segment")));
  REQUIRE(ArchivedSegments::Open(folder.path()).ok());
  CHECK(ArchivedSegments::Open(folder.path())->List().size() == 1);
}

TEST_CASE("all programs of a live process stay, so that no number of an image is used again") {
  const TemporaryFolder folder;
  TestSegment test;
  const std::string first = Concat(getpid(), "-0.segment"), second = Concat(getpid(), "-1.segment");
  CopySegment(test, folder, first);
  CopySegment(test, folder, second);
  SessionWatch watch(folder.path(), 64 << 20);
  CHECK(watch.Look() > 0);
  CHECK(Exists(folder, first));
  CHECK(Exists(folder, second));
}

TEST_CASE("a program that another one followed in its process keeps its entries and little memory") {
  const TemporaryFolder folder;
  TestSegment test, next;
  StreamWriter writer(&test.segment(), StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
  const std::vector<uint8_t> entry(5000, 7);
  REQUIRE(writer.Append(entry, 1));
  const std::string first = Concat(folder.path(), "/", getpid(), "-0.segment");
  const std::string second = Concat(folder.path(), "/", getpid(), "-1.segment");
  std::filesystem::create_hard_link(test.path(), first);  // copies would have holes
  std::filesystem::create_hard_link(next.path(), second);
  const auto taken = [](const std::string& path) {
    struct stat info = {};
    stat(path.c_str(), &info);
    return AllocatedBytes(info);
  };
  const uint64_t before = taken(first), unchanged = taken(second);
  SessionWatch watch(folder.path(), 64 << 20);
  CHECK(watch.Look() > 0);
  CHECK(taken(first) <= 6 * 4096);  // two of them for the entry, two for the tables, and those of the file system
  CHECK(taken(first) < before);
  CHECK(taken(second) == unchanged);
  SegmentView view;
  REQUIRE(view.OpenFile(first.c_str()) == SegmentView::OpenResult::kOk);
  SegmentView::ChunkCopy chunk;
  REQUIRE(view.CopyChunk(0, chunk) == SegmentView::CopyResult::kCopied);
  CHECK(std::equal(entry.begin(), entry.end(), chunk.bytes.end() - 5000));
}

TEST_CASE("a process of another pid namespace has ended if it says so") {
  const TemporaryFolder folder;
  TestSegment test;
  const std::string name = Concat(kNoPid, "-0.segment");
  test.segment().header().pid_namespace = 1;
  CopySegment(test, folder, name);
  SessionWatch watch(folder.path(), 64 << 20);
  CHECK(watch.Look() > 0);
  CHECK(Exists(folder, name));
  std::filesystem::remove(folder.path() + "/" + name);
  test.segment().header().exit_word = kExitKnown;
  CopySegment(test, folder, name);
  CHECK(watch.Look() > 0);
  CHECK_FALSE(Exists(folder, name));
}

TEST_CASE("at the limit a live process is asked for its oldest chunks, and no more") {
  const TemporaryFolder folder;
  constexpr uint32_t kChunks = 64;
  TestSegment test(uint64_t{2} << 20, kChunks);
  for (uint32_t i = 0; i < kChunks; ++i) {
    ChunkRow& row = test.segment().directory().row(ChunkId::FromNumber(i));
    row.word = MakeChunkWord(1, 1, ChunkState::kDone);
    row.tail = 100;
    row.last_ns = 1000 + i;
  }
  const std::string name = Concat(getpid(), "-0.segment"), path = folder.path() + "/" + name;
  std::filesystem::create_hard_link(test.path(), path);  // a copy would have no holes
  const auto asked = [&path] {
    int64_t before_ns = 0;
    const Fd file = Fd::Open(path.c_str(), O_RDONLY);
    pread(file.number(), &before_ns, sizeof(before_ns), offsetof(SegmentHeader, release_before_ns));
    return before_ns;
  };
  SessionWatch roomy(folder.path(), 64 << 20);
  CHECK(roomy.Look() > 0);
  CHECK(asked() == 0);
  SessionWatch tight(folder.path(), 1 << 20);
  CHECK(tight.Look() <= 20'000'000);  // it looks more often now
  const int64_t before_ns = asked();
  CHECK(before_ns > 1000 + kChunks / 3);
  CHECK(before_ns < 1000 + kChunks * 3 / 4);
  CHECK(tight.Look() > 0);
  CHECK(asked() == before_ns);
  CHECK_FALSE(Exists(folder, kSessionFullName));
}

// Returns how many of the archived segments have data.
size_t WithData(const TemporaryFolder& folder) {
  const absl::StatusOr<ArchivedSegments> archive = ArchivedSegments::Open(folder.path());
  REQUIRE(archive.ok());
  const std::vector<ArchivedSegments::Found> found = archive->List();
  return static_cast<size_t>(std::ranges::count_if(found, &ArchivedSegments::Found::has_data));
}

TEST_CASE("data of ended processes that fits stays, however much the live ones cannot give up") {
  const TemporaryFolder folder;
  constexpr uint32_t kChunks = 16;
  TestSegment live(uint64_t{2} << 20, kChunks), ended;
  StreamWriter writer(&ended.segment(), StreamId::FromNumber(1), StreamWriter::Supply::kOrdinary);
  REQUIRE(writer.Append(std::vector<uint8_t>(500, 7), 1));
  const auto set = [&live](uint32_t chunk, ChunkState state) {
    ChunkRow& row = live.segment().directory().row(ChunkId::FromNumber(chunk));
    row.word = MakeChunkWord(1, 1, state);
    row.tail = 100;
    row.last_ns = 1000 + chunk;
  };
  const std::string path = Concat(folder.path(), "/", getpid(), "-0.segment");
  std::filesystem::create_hard_link(live.path(), path);  // a copy would have no holes
  for (int i = 0; i < 3; ++i) CopySegment(ended, folder, Concat(kNoPid + i, "-0.segment"));
  SessionWatch watch(folder.path(), 256 << 10);
  set(0, ChunkState::kPinned);
  for (uint32_t i = 1; i < kChunks - 3; ++i) set(i, ChunkState::kInUse);  // the last three are ready
  for (int i = 0; i < 3; ++i) CHECK(watch.Look() > 0);
  CHECK(WithData(folder) == 3);
  CHECK(live.segment().header().release_before_ns == 0);
  // Finished chunks count. The archive has the older data.
  for (uint32_t i = 1; i < kChunks - 3; ++i) set(i, ChunkState::kDone);
  CHECK(watch.Look() > 0);
  CHECK(WithData(folder) == 0);
  CHECK(live.segment().header().release_before_ns > 1000);
  CHECK(live.segment().header().release_before_ns < 1000 + kChunks);
}

TEST_CASE("metadata and chunks that are ready count beyond the first ones") {
  const TemporaryFolder folder;
  constexpr uint32_t kChunks = 16;
  TestSegment live(uint64_t{2} << 20, kChunks), ended;
  const auto pin = [&live](uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      live.segment().directory().row(ChunkId::FromNumber(i)).word = MakeChunkWord(1, 1, ChunkState::kPinned);
    }
  };
  const uint64_t chunk_bytes = live.segment().chunk_bytes(), allocated_bytes = kChunks * chunk_bytes + (8 << 10);
  const auto counted = [&] {
    SegmentView view;
    REQUIRE(view.OpenFile(live.path().c_str()) == SegmentView::OpenResult::kOk);
    return LiveSegmentUse(view, allocated_bytes).counted_bytes();
  };
  CHECK(counted() == (kChunks - 3) * chunk_bytes);
  pin(kChunks - 3);
  CHECK(counted() == (kChunks - 4) * chunk_bytes);
}

TEST_CASE("the session is closed when its files have several times the limit, not before") {
  const TemporaryFolder folder;
  SessionWatch watch(folder.path(), 128 << 10);
  folder.Write("1-0.segment", std::string(900 << 10, 'x'));
  CHECK(watch.Look() > 0);
  CHECK_FALSE(Exists(folder, kSessionFullName));
  folder.Write("2-0.segment", std::string(600 << 10, 'x'));
  CHECK(watch.Look() > 0);
  CHECK(Exists(folder, kSessionFullName));
  CHECK(watch.Look() > 0);
}

TEST_CASE("a file counts with what it takes, not with its length") {
  const TemporaryFolder folder;
  const std::string sparse = folder.Write("1-0.segment", "x");
  std::filesystem::resize_file(sparse, 1 << 30);
  SessionWatch watch(folder.path(), 1 << 20);
  CHECK(watch.Look() > 0);
  CHECK_FALSE(Exists(folder, kSessionFullName));
}

// A window that is over at once, and one that never is.
constexpr int64_t kNoTimeNs = 1, kLongNs = int64_t{1} << 60;

TEST_CASE("with a window, ended processes leave the session after it") {
  const TemporaryFolder folder;
  TestSegment test;
  CopySegment(test, folder, Concat(kNoPid, "-0.segment"));
  folder.Write(Concat(kNoPid, "-1.segment"), "no segment");
  SessionWatch patient(folder.path(), 64 << 20, kLongNs);
  CHECK(patient.Look() > 0);
  CHECK(Exists(folder, kArchiveName));
  CHECK(Exists(folder, Concat(kNoPid, "-1.segment")));
  CHECK(patient.Look() > 0);
  CHECK(Exists(folder, kArchiveName));
  const TemporaryFolder other;
  CopySegment(test, other, Concat(kNoPid, "-0.segment"));
  other.Write(Concat(kNoPid, "-1.segment"), "no segment");
  SessionWatch watch(other.path(), 64 << 20, kNoTimeNs);
  for (int i = 0; i < 3; ++i) CHECK(watch.Look() > 0);
  CHECK(std::filesystem::is_empty(other.path()));
}

TEST_CASE("with a window, a live process is asked for chunks that are older, and no one else") {
  for (const bool is_old : {false, true}) {
    const TemporaryFolder folder;
    TestSegment test;
    ChunkRow& row = test.segment().directory().row(ChunkId::FromNumber(0));
    row.word = MakeChunkWord(1, 1, ChunkState::kDone);
    row.tail = 100;
    row.last_ns = is_old ? 1000 : INT64_MAX / 2;
    const std::string path = folder.path() + "/" + Concat(getpid(), "-0.segment");
    std::filesystem::create_hard_link(test.path(), path);
    SessionWatch watch(folder.path(), 64 << 20, kNoTimeNs);
    CHECK(watch.Look() > 0);
    CHECK((test.segment().header().release_before_ns != 0) == is_old);
  }
}

TEST_CASE("with a window, marks and notes go, unless their process may live") {
  const TemporaryFolder folder;
  const auto add = [&folder](const std::string& name) {
    REQUIRE(symlink("1 word", (folder.path() + "/" + name).c_str()) == 0);
  };
  add(Concat("child-", kNoPid, "-5"));
  add(Concat("child-", getpid(), "-5"));
  add(Concat("child-", getpid(), "-5-6-0-1-1-1"));
  add(Concat("note-", kNoPid));
  add(Concat("note-", getpid()));
  folder.Write("command", "x");
  SessionWatch patient(folder.path(), 64 << 20, kLongNs);
  CHECK(patient.Look() > 0);
  CHECK(Exists(folder, "command"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 6);
  SessionWatch watch(folder.path(), 64 << 20, kNoTimeNs);
  CHECK(watch.Look() > 0);
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.insert(entry.path().filename());
  CHECK(left == std::set<std::string>{"command", Concat("child-", getpid(), "-5"), Concat("note-", getpid())});
}

TEST_CASE("with a window, a session that was closed is opened again") {
  const TemporaryFolder folder;
  SessionWatch watch(folder.path(), 128 << 10, kLongNs);
  const std::string large = folder.Write("large", std::string(2 << 20, 'x'));
  CHECK(watch.Look() > 0);
  CHECK(Exists(folder, kSessionFullName));
  std::filesystem::remove(large);
  CHECK(watch.Look() > 0);
  CHECK_FALSE(Exists(folder, kSessionFullName));
}

TEST_CASE("a segment is looked at before it goes to the archive") {
  const TemporaryFolder folder;
  TestSegment test;
  CopySegment(test, folder, Concat(kNoPid, "-0.segment"));
  SessionWatch watch(folder.path(), 64 << 20);
  int looks = 0;
  watch.BeforeArchiving([&](const std::string& segment) { looks += Exists(folder, segment) ? 1 : 100; });
  CHECK(watch.Look() > 0);
  CHECK(watch.Look() > 0);
  CHECK(looks == 1);
}

TEST_CASE("a folder that is gone is no reason to stop") {
  SessionWatch watch("/no/such/folder", 1 << 20);
  CHECK(watch.Look() > 0);
}

}  // namespace
}  // namespace geckoprof
