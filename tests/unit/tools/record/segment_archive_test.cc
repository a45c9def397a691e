#include "tools/record/segment_archive.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"
#include "tools/record/session_contents.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// A session folder with the segments of ended processes that ran "server" and wrote markers.
struct EndedProcesses {
  std::string Add(int32_t pid, int markers) const {
    TestSegment test;
    const std::string_view arguments[] = {"server"};
    REQUIRE(MetadataWriter(&test.segment()).Process("/usr/bin/server", arguments));
    TestMarkerWriter::WriteSites(test.segment());
    TestMarkerWriter writer;
    for (int i = 0; i < markers; ++i) {
      const auto time = 2'000'000'000 + static_cast<uint64_t>(i);
      const TimedMarker marker = TestMarkerWriter::Named("m", 0, time, time);
      REQUIRE(writer.Append(&test.segment(), ThreadId::FromNumber(pid), marker));
    }
    const std::string name = Concat(pid, "-0", kSegmentSuffix);
    std::filesystem::copy_file(test.path(), folder.path() + "/" + name);
    return name;
  }
  absl::StatusOr<ProcessProfile> Read(size_t row) const {
    const absl::StatusOr<ArchivedSegments> archive = ArchivedSegments::Open(folder.path());
    REQUIRE(archive.ok());
    const std::vector<ArchivedSegments::Found> found = archive->List();
    REQUIRE(found.size() > row);
    const absl::StatusOr<Fd> file = archive->Unpack(found[row].offset);
    if (!file.ok()) return file.status();
    ProcessProfile process;
    CHECK(ReadSegmentFile(file->number(), process).status == SegmentReadStatus::kOk);
    return process;
  }

  TemporaryFolder folder;
};

size_t MarkerCount(const ProcessProfile& process) {
  size_t count = 0;
  for (const ThreadRow& thread : process.threads) count += thread.markers.size();
  return count;
}

TEST_CASE("a segment comes out of the archive as it went in, and takes little there") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  constexpr int kProcesses = 20;
  for (int i = 0; i < kProcesses; ++i) {
    const std::string name = ended.Add(100 + i, i);
    REQUIRE((*archive)->Add(name, 100 + i, 0).ok());
    CHECK_FALSE(std::filesystem::exists(ended.folder.path() + "/" + name));
  }
  for (int i = 0; i < kProcesses; ++i) {
    const auto process = ended.Read(static_cast<size_t>(i));
    REQUIRE(process.ok());
    CHECK(process->pid == 100 + i);
    CHECK(process->arguments == std::vector<std::string>{"server"});
    CHECK(MarkerCount(*process) == static_cast<size_t>(i));
    CHECK(process->problems.empty());
  }
  CHECK((*archive)->SizeBytes() < kProcesses * 2048);
}

TEST_CASE("dropped data leaves the facts of its process") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  CHECK((*archive)->OldestNs() == INT64_MAX);
  for (const int32_t pid : {100, 101}) REQUIRE((*archive)->Add(ended.Add(pid, 500), pid, 0).ok());
  CHECK((*archive)->OldestNs() != INT64_MAX);
  (*archive)->DropOldest(DroppedFor::kCapacity);
  const auto first = ended.Read(0), second = ended.Read(1);
  REQUIRE((first.ok() && second.ok()));
  CHECK(first->pid == 100);
  CHECK(MarkerCount(*first) == 0);
  CHECK(MarkerCount(*second) == 500);
  REQUIRE(first->problems.size() == 1);
  CHECK(first->problems[0].starts_with(kDroppedDataProblem));
  CHECK(first->problems[0].ends_with("the recording had reached its capacity"));
  (*archive)->DropOldest(DroppedFor::kLiveProcesses);
  CHECK((*archive)->OldestNs() == INT64_MAX);
  CHECK(MarkerCount(*ended.Read(1)) == 0);

  SessionContents contents;
  contents.ReadDirectory(ended.folder.path());
  contents.Finish();
  CHECK(contents.processes.size() == 2);
  REQUIRE(contents.warnings.size() == 1);
  CHECK(contents.warnings[0].find("of 2 processes") != std::string::npos);
  CHECK(contents.warnings[0].ends_with("its capacity, and later 64 KiB for each live process, which is more"));
}

TEST_CASE("a session may have several archives, and one is removed as a whole") {
  const EndedProcesses ended;
  const auto first = SegmentArchive::Create(ended.folder.path(), 1);
  const auto second = SegmentArchive::Create(ended.folder.path(), 2);
  REQUIRE((first.ok() && second.ok()));
  REQUIRE((*first)->Add(ended.Add(100, 1), 100, 0).ok());
  for (const int32_t pid : {101, 102}) REQUIRE((*second)->Add(ended.Add(pid, 2), pid, 0).ok());
  const auto count = [&ended] {
    SessionContents contents;
    contents.ReadDirectory(ended.folder.path());
    CHECK(contents.warnings.empty());
    return contents.processes.size();
  };
  CHECK(count() == 3);
  (*first)->Remove();
  CHECK(count() == 2);
  CHECK(std::filesystem::exists(ended.folder.path() + "/ended-2-data"));
  CHECK_FALSE(std::filesystem::exists(ended.folder.path() + "/ended-1-data"));
}

TEST_CASE("the names of archives are told from other names") {
  for (const char* const name : {"ended", "ended-1", "ended-12"}) CHECK(IsArchiveName(name));
  for (const char* const name : {"ended-", "ended-data", "ended-1-data", "ended-x", "end", "endedx"}) {
    INFO(name);
    CHECK_FALSE(IsArchiveName(name));
  }
  for (const char* const name : {"ended", "ended-data", "ended-3", "ended-3-data"}) CHECK(IsArchiveFile(name));
  for (const char* const name : {"ended-", "ended-3-dat", "-data", "1-0.segment"}) CHECK_FALSE(IsArchiveFile(name));
}

TEST_CASE("the memory of dropped data is free again") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  constexpr int kProcesses = 300;
  for (int i = 0; i < kProcesses; ++i) REQUIRE((*archive)->Add(ended.Add(100 + i, i), 100 + i, 0).ok());
  struct stat before = {}, after = {};
  const std::string data = ended.folder.path() + "/" + kArchiveName + kArchiveDataSuffix;
  REQUIRE(stat(data.c_str(), &before) == 0);
  while ((*archive)->OldestNs() != INT64_MAX) (*archive)->DropOldest(DroppedFor::kCapacity);
  REQUIRE(stat(data.c_str(), &after) == 0);
  CHECK(after.st_blocks * 512 <= 3 * 4096);  // the last page, and tables of the file system
  CHECK(after.st_blocks < before.st_blocks);
}

TEST_CASE("a file that is no segment stays, and the archive goes on") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  ended.folder.Write("7-0.segment", "no segment");
  CHECK_FALSE((*archive)->Add("7-0.segment", 7, 0).ok());
  CHECK(std::filesystem::exists(ended.folder.path() + "/7-0.segment"));
  CHECK((*archive)->Add(ended.Add(100, 1), 100, 0).ok());
  CHECK(ended.Read(0).ok());
  CHECK_FALSE(SegmentArchive::Create(ended.folder.path()).ok());  // another recorder's
}

TEST_CASE("a process that is in a file and in the archive is one process") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  const std::string name = ended.Add(100, 1), path = ended.folder.path() + "/" + name;
  std::filesystem::copy_file(path, ended.folder.path() + "/kept");
  REQUIRE((*archive)->Add(name, 100, 0).ok());
  std::filesystem::rename(ended.folder.path() + "/kept", path);
  SessionContents contents;
  contents.ReadDirectory(ended.folder.path());
  CHECK(contents.processes.size() == 1);
}

TEST_CASE("an archive that was cut has the processes before the cut") {
  const EndedProcesses ended;
  const auto archive = SegmentArchive::Create(ended.folder.path());
  REQUIRE(archive.ok());
  for (const int32_t pid : {100, 101, 102}) REQUIRE((*archive)->Add(ended.Add(pid, 3), pid, 0).ok());
  const std::string path = ended.folder.path() + "/" + kArchiveName;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  SessionContents contents;
  contents.ReadDirectory(ended.folder.path());
  CHECK(contents.processes.size() == 2);
  CHECK(contents.warnings.empty());
  std::filesystem::resize_file(path, 100);
  SessionContents cut;
  cut.ReadDirectory(ended.folder.path());
  CHECK(cut.processes.empty());
  CHECK(cut.warnings.size() == 1);
}

}  // namespace
}  // namespace geckoprof
