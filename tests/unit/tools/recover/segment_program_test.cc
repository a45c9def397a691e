#include "tools/recover/segment_program.h"

#include <catch2/catch.hpp>
#include <filesystem>
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

}  // namespace
}  // namespace geckoprof
