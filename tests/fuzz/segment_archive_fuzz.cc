// Reading the archive of a session that another program made: a good archive with changes at places that the input
// chooses, in both files.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/support/test_segment.h"
#include "tools/record/segment_archive.h"

namespace {

using namespace geckoprof;

// An archive of two processes, and its folder.
struct GoodArchive {
  GoodArchive() {
    folder = (std::filesystem::temp_directory_path() / "segment_archive_fuzz-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) __builtin_trap();
    const auto archive = SegmentArchive::Create(folder);
    for (const int32_t pid : {100, 101}) {
      TestSegment test;
      const std::string_view arguments[] = {"server"};
      MetadataWriter(&test.segment()).Process("/usr/bin/server", arguments);
      std::filesystem::copy_file(test.path(), folder + "/segment");
      if (!(*archive)->Add("segment", pid, 0).ok()) __builtin_trap();
    }
    for (size_t i = 0; i < std::size(kNames); ++i) {
      std::ifstream file(folder + "/" + kNames[i], std::ios::binary);
      bytes[i].assign(std::istreambuf_iterator<char>(file), {});
    }
  }
  ~GoodArchive() { std::filesystem::remove_all(folder); }

  void Write(size_t file, const std::string& changed) const {
    std::ofstream(folder + "/" + kNames[file], std::ios::binary | std::ios::trunc) << changed;
  }

  static constexpr const char* kNames[] = {kArchiveName, "ended-data"};
  std::string folder;
  std::string bytes[2];
};

void ReadAll(const std::string& folder) {
  const auto archive = ArchivedSegments::Open(folder);
  if (!archive.ok()) return;
  for (const ArchivedSegments::Found& found : archive->List()) {
    const auto segment = archive->Unpack(found.offset);
    ProcessProfile process;
    if (segment.ok()) ReadSegmentFile(segment->number(), process);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const GoodArchive kGood;
  for (size_t file = 0; file < std::size(kGood.bytes); ++file) {
    std::string changed = kGood.bytes[file];
    for (size_t i = 0; i + 2 < size && i < 24; i += 3) {
      changed[(data[i] | size_t{data[i + 1]} << 8) % changed.size()] = static_cast<char>(data[i + 2]);
    }
    if (size > 24) changed.resize((data[0] | size_t{data[24]} << 8) % (changed.size() + 1));
    kGood.Write(file, changed);
    ReadAll(kGood.folder);
    kGood.Write(file, kGood.bytes[file]);
  }
  return 0;
}
