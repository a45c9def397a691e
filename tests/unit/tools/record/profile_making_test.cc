#include "tools/record/profile_making.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "temporary_folder.h"

namespace geckoprof {
namespace {

ProfileRequest Request(const TemporaryFolder& folder) {
  ProfileRequest request;
  request.output = folder.path() + "/p.json";
  request.quiet = true;
  return request;
}

TEST_CASE("nothing recorded is an error that says why") {
  const TemporaryFolder folder;
  SessionContents contents;
  CHECK(std::string(MakeProfile(contents, Request(folder)).message()).find("LD_PRELOAD") != std::string::npos);
  contents.reasons = {"process 6: no-space"};
  const absl::Status status = MakeProfile(contents, Request(folder));
  CHECK(status.code() == absl::StatusCode::kNotFound);
  CHECK(std::string(status.message()).find("process 6: no-space") != std::string::npos);
  CHECK(access((folder.path() + "/p.json").c_str(), F_OK) != 0);
}

TEST_CASE("what was recorded is written, or it is an error") {
  const TemporaryFolder folder;
  SessionContents contents;
  ProcessProfile process;
  process.pid = 5;
  process.executable = "/bin/name";
  process.categories.push_back({"Other", "grey", {"Other"}});
  process.frames.push_back({.kind = FrameKind::kRoot, .category = 0, .subcategory = 0});
  process.stacks.push_back({});
  contents.processes.push_back(process);
  contents.Finish();
  ProfileRequest request = Request(folder);
  CHECK(MakeProfile(contents, request).ok());
  CHECK(access(request.output.c_str(), R_OK) == 0);
  request.output = folder.path() + "/no/such/p.json";
  CHECK_FALSE(MakeProfile(contents, request).ok());
}

}  // namespace
}  // namespace geckoprof
