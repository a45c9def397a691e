#include "sampler/status_field.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

// A status file with this many groups.
std::string StatusWith(int groups) {
  std::string text = "Name:\tSigBlk:\nGroups:\t";
  for (int i = 0; i < groups; ++i) text += "10" + std::to_string(1000 + i) + " ";
  return text + "\nSigBlk:\t8000000000000002\nSeccomp:\t2\nSeccomp_filters:\t11\n";
}

TEST_CASE("a field of a status file is found however many groups the process has") {
  const TestSegment segment;
  const std::string path = segment.directory() + "/status";
  char room[16];
  // Some of these fields lie across the boundary of a 4096-byte block.
  for (int groups = 550; groups < 600; ++groups) {
    std::ofstream(path) << StatusWith(groups);
    REQUIRE(ReadStatusField(path.c_str(), "\nSigBlk:\t", room) == "8000000000000002");
    REQUIRE(ReadStatusField(path.c_str(), "\nSeccomp_filters:\t", room) == "11");
  }
  std::ofstream(path) << StatusWith(65536);  // NGROUPS_MAX
  CHECK(ReadStatusField(path.c_str(), "\nSeccomp:\t", std::span(room, 1)) == "2");
  CHECK(ReadStatusField(path.c_str(), "\nSigBlk:\t", std::span(room, 4)) == "8000");
  CHECK(ReadStatusField(path.c_str(), "\nShdPnd:\t", room).empty());
  CHECK(ReadStatusField((path + "-not").c_str(), "\nSigBlk:\t", room).empty());
}

}  // namespace
}  // namespace geckoprof
