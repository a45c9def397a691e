#include "tools/merge/merged_pids.h"

#include <catch2/catch.hpp>

#include "tools/profile/system_pid.h"

namespace geckoprof {
namespace {

TEST_CASE("processes keep their pids until another one has it") {
  MergedPids pids;
  pids.StartProfile(std::vector<std::string>{"1000", "1000.1", "7"});
  CHECK(pids.Of("1000") == "1000");
  CHECK(pids.Of("1000.1") == "1000.1");
  pids.StartProfile(std::vector<std::string>{"1000", "1000.1", "1000@1", "8"});
  CHECK(pids.Of("1000") == "1000@2");
  CHECK(pids.Of("1000.1") == "1000@2.1");
  CHECK(pids.Of("1000@1") == "1000@1");
  CHECK(pids.Of("8") == "8");
  pids.StartProfile(std::vector<std::string>{"1000@1.3"});
  CHECK(pids.Of("1000@1.3") == "1000@3.3");
  CHECK(SystemPid(pids.Of("1000@1.3")) == "1000@3");
}

TEST_CASE("a pid that the profile does not have stays, and may be that of another profile") {
  MergedPids pids;
  pids.StartProfile(std::vector<std::string>{"1000", "1001"});
  CHECK_FALSE(pids.IsTaken("1000"));
  pids.StartProfile(std::vector<std::string>{"1001"});
  CHECK(pids.Of("1000") == "1000");
  CHECK_FALSE(pids.Has("1000"));
  CHECK(pids.IsTaken("1000"));
  CHECK(pids.Has("1001.5"));
  CHECK_FALSE(pids.IsTaken("5"));
}

TEST_CASE("texts that are no pids are told apart, too") {
  MergedPids pids;
  pids.StartProfile(std::vector<std::string>{"", "0 (GPU)", "a@b"});
  pids.StartProfile(std::vector<std::string>{"", "0 (GPU)", "a@b"});
  CHECK(pids.Of("") == "@1");
  CHECK(pids.Of("0 (GPU)") == "0 (GPU)@1");
  CHECK(pids.Of("a@b") == "a@1");
}

}  // namespace
}  // namespace geckoprof
