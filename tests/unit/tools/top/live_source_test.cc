#include "tools/top/live_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("what is no target is one line") {
  for (const char* target : {"/nonexistent", "/dev/null", "0", "-4", "2147483647", "99999999999999"}) {
    INFO(target);
    const auto source = LiveSource::Find(target);
    REQUIRE_FALSE(source.ok());
    CHECK(std::string(source.status().message()).find('\n') == std::string::npos);
  }
}

TEST_CASE("a segment that is being written is read; other files are passed over") {
  TestSegment segment;
  const auto of_directory = LiveSource::Find(segment.directory());
  REQUIRE(of_directory.ok());
  const auto of_file = LiveSource::Find(segment.path());
  REQUIRE(of_file.ok());
  CHECK(of_file->Read().processes.size() == 1);
  CHECK_FALSE(of_file->Read().any_damaged);
  const std::string fifo = segment.directory() + "/1-0.segment";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);  // opening it would wait for ever
  CHECK(of_directory->Read().processes.size() <= 1);
  unlink(fifo.c_str());
}

}  // namespace
}  // namespace geckoprof
