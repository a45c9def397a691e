#include "tools/recover/left_session_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/entries/metadata_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("the program's name is that of its file, else that of its first argument") {
  {
    TestSegment test;
    MetadataWriter metadata(&test.segment());
    REQUIRE(metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(10), true, 1, "not the program"));
    CHECK(SegmentProgram(test.path()).empty());
    const std::string_view arguments[] = {"/odd/name", "--fast"};
    REQUIRE(metadata.Process("", arguments));
    CHECK(SegmentProgram(test.path()) == "name");
  }
  TestSegment test;
  REQUIRE(MetadataWriter(&test.segment()).Process("/usr/bin/server", {}));
  CHECK(SegmentProgram(test.path()) == "server");
}

TEST_CASE("it is found behind other metadata and other chunks") {
  TestSegment test(uint64_t{1} << 20, 20);
  StreamWriter samples(&test.segment(), StreamId::FromNumber(kSamplerStream), StreamWriter::Supply::kOrdinary);
  const uint8_t lie[] = {static_cast<uint8_t>(EntryType::kProcess), 3, 'l', 'i', 'e', 0};
  REQUIRE(samples.Append(lie, 1));
  MetadataWriter metadata(&test.segment());
  const std::string path = "/" + std::string(1000, 'l');
  for (uint32_t i = 0; i < 20; ++i) REQUIRE(metadata.Module(i, 1, 0x1000, 0x2000, 0, path, ""));
  REQUIRE(metadata.Process("/usr/bin/server", {}));
  REQUIRE(test.segment().header().metadata_chunks.load() > 1);
  CHECK(SegmentProgram(test.path()) == "server");
}

TEST_CASE("entries that make no sense say nothing") {
  const auto kind = static_cast<uint8_t>(EntryType::kProcess);
  const std::vector<std::vector<uint8_t>> entries = {
      {kind}, {kind, 200, 'a'}, {kind, 0, 0}, {kind, 1, 'a', 1, 200}, {kind, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
  for (const std::vector<uint8_t>& entry : entries) {
    TestSegment test;
    StreamWriter metadata(&test.segment(), StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    REQUIRE(metadata.Append(entry, 1));
    CHECK(SegmentProgram(test.path()).empty());
  }
}

TEST_CASE("a file that is no segment, is cut or claims more than it has says nothing") {
  const TemporaryFolder folder;
  CHECK(SegmentProgram(folder.path() + "/none").empty());
  CHECK(SegmentProgram(folder.path()).empty());
  CHECK(SegmentProgram(folder.Write("1-0.segment", "no segment")).empty());
  TestSegment test;
  REQUIRE(MetadataWriter(&test.segment()).Process("/usr/bin/server", {}));
  ChunkRow& row = test.segment().directory().row(ChunkId::FromNumber(0));
  const uint32_t tail = row.tail.load();
  row.tail.store(UINT32_MAX);
  CHECK(SegmentProgram(test.path()).empty());
  row.tail.store(tail);
  test.segment().header().prepared_chunks.store(UINT32_MAX);
  CHECK(SegmentProgram(test.path()) == "server");
  const std::string cut = folder.Write("2-0.segment", "");
  for (const uint64_t bytes : {uint64_t{100}, uint64_t{4096}, test.segment().header().chunks_offset}) {
    std::filesystem::copy_file(test.path(), cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, bytes);
    CHECK(SegmentProgram(cut).empty());
  }
}

TEST_CASE("listing changes nothing; removing takes what nobody uses") {
  const TemporaryFolder parent;
  const std::string gone = std::to_string(1 << 23);  // above every pid
  for (const std::string& pid : {gone, std::to_string(getpid())}) {
    const std::string name = pid == gone ? "geckoprof-a1B2c3" : "geckoprof-a1B2c4";
    REQUIRE(mkdir((parent.path() + "/" + name).c_str(), 0700) == 0);
    parent.Write(name + "/" + pid + "-0.segment", "no segment");
  }
  CHECK(ListLeftSessions({parent.path()}, true) == 0);
  CHECK(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c3"));
  CHECK(RemoveLeftSessions({parent.path()}, true) == 0);
  CHECK_FALSE(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c3"));
  CHECK(std::filesystem::exists(parent.path() + "/geckoprof-a1B2c4"));
  CHECK(RemoveLeftSessions({parent.path()}, true) == 0);
}

TEST_CASE("a folder of the user's own that is called like a session is neither listed nor removed") {
  const TemporaryFolder parent;
  const std::string folder = parent.path() + "/geckoprof-master";
  REQUIRE(mkdir(folder.c_str(), 0700) == 0);
  std::filesystem::create_directories(folder + "/command/my-thesis");
  parent.Write("geckoprof-master/command/my-thesis/a", "years of work");
  parent.Write("geckoprof-master/full", "");
  CHECK(ListLeftSessions({parent.path()}, true) == 0);
  CHECK(RemoveLeftSessions({parent.path()}, true) == 0);
  CHECK(std::filesystem::exists(folder + "/command/my-thesis/a"));
  CHECK(std::filesystem::exists(folder + "/full"));
}

// Of rchar in proc(5), all that was read so far; 0 where the kernel does not count.
uint64_t BytesRead() {
  std::ifstream io("/proc/self/io");
  std::string word;
  uint64_t bytes = 0;
  io >> word >> bytes;
  return word == "rchar:" ? bytes : 0;
}

TEST_CASE("for the program's name the samples are not read") {
  TestSegment test(uint64_t{16} << 20, 1000);  // all chunks
  const std::string_view arguments[] = {"server"};
  REQUIRE(MetadataWriter(&test.segment()).Process("/usr/bin/server", arguments));
  const uint32_t prepared = test.segment().header().prepared_chunks.load();
  const uint64_t sample_bytes = uint64_t{prepared} * test.segment().chunk_bytes();
  REQUIRE(sample_bytes > uint64_t{8} << 20);
  for (uint32_t i = 0; i < prepared; ++i) {
    ChunkRow& row = test.segment().directory().row(ChunkId::FromNumber(i));
    if (ChunkStateIn(row.word.load()) != ChunkState::kFree) continue;
    row.tail.store(test.segment().chunk_bytes());
    row.word.store(MakeChunkWord(1, kSamplerStream, ChunkState::kDone));
  }
  const TemporaryFolder parent;
  REQUIRE(mkdir((parent.path() + "/geckoprof-a1B2c3").c_str(), 0700) == 0);
  std::filesystem::copy_file(test.path(), parent.path() + "/geckoprof-a1B2c3/8388608-0.segment");
  const uint64_t before = BytesRead();
  CHECK(ListLeftSessions({parent.path()}, true) == 0);
  CHECK(BytesRead() - before < sample_bytes / 8);
}

}  // namespace
}  // namespace geckoprof
