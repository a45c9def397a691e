#include "tests/support/test_segment.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace geckoprof {

TestSegment::TestSegment(uint64_t capacity_bytes, uint32_t prepared_chunks, Size size) {
  std::string name = (std::filesystem::temp_directory_path() / "geckoprof-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = name;
  const SegmentLayout layout{capacity_bytes, directory_.c_str()};
  if (segment_.Create(layout, ProcessId::FromNumber(getpid()), ProcessId::FromNumber(getppid())) !=
      Segment::CreateResult::kCreated) {
    throw std::runtime_error("no segment");
  }
  SegmentHeader& header = segment_.header();
  header.interval_ns = 1'000'000;
  header.created_ns = header.constructor_ns = 1'000'000'000;
  header.created_epoch_ns = 1'700'000'000'000'000'000;
  header.features = 1u << 14;  // cpu
  segment_.Publish();
  for (uint32_t i = 0; i < prepared_chunks; ++i) segment_.PrepareChunk();
  if (size == Size::kPreparedOnly) header.chunk_count = prepared_chunks;
}

TestSegment::~TestSegment() {
  segment_.CloseFile();
  segment_.ForgetAfterFork();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace geckoprof
