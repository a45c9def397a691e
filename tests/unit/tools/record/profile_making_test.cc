#include "tools/record/profile_making.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/base/fd.h"
#include "tests/support/temporary_folder.h"

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

TEST_CASE("nothing recorded of a program that a signal ended says so, and does not ask what the program did") {
  SessionContents contents;
  contents.known_ends[42] = {.how = "killed by signal 15"};
  ProfileRequest request;
  request.first_pid = 42;
  CHECK(std::string(MakeProfile(contents, request).message()) ==
        "nothing was recorded: the program was killed by signal 15 before any process started the profiler");
  contents.known_ends[42] = {.how = "exited"};
  CHECK(std::string(MakeProfile(contents, request).message()).find("Did the program") != std::string::npos);
  contents.unfinished = {42};
  CHECK(std::string(MakeProfile(contents, request).message()) == "nothing was recorded: the segment is empty");
  contents.known_ends[42] = {.how = "killed by signal 7"};
  CHECK(std::string(MakeProfile(contents, request).message()) ==
        "nothing was recorded: the segment is empty, and the program was killed by signal 7");
}

TEST_CASE("notes: what all programs of a process say is said once, and a process without a name has none") {
  SessionContents contents;
  contents.reasons = {"process 6: why"};
  const auto add = [&contents](int32_t pid, const char* executable, std::vector<std::string> problems) {
    ProcessProfile& process = contents.processes.emplace_back();
    process.pid = pid;
    process.executable = executable;
    process.problems = std::move(problems);
  };
  add(5, "", {"small"});
  add(5, "/bin/sh", {"small", "odd"});
  add(5, "/bin/ls", {"small"});
  add(7, "", {"small"});
  CHECK(ProfileNotes(contents) == std::vector<std::string>{"not recorded: process 6: why",
                                                           "process 5 (/bin/sh) and 1 other: small",
                                                           "process 5 (/bin/sh): odd"});
}

TEST_CASE("notes: what differs only by its figures is said once") {
  SessionContents contents;
  const auto add = [&contents](int32_t pid, std::vector<std::string> problems) {
    ProcessProfile& process = contents.processes.emplace_back();
    process.pid = pid;
    process.problems = std::move(problems);
  };
  add(5, {"holds 472 KiB of 8 MiB", "3 odd"});
  add(5, {"holds 9 KiB of 8 MiB"});
  add(6, {"holds 64 KiB of 8 MiB", "3 odd"});
  add(7, {"holds 64 MiB of 8 MiB"});
  CHECK(ProfileNotes(contents) ==
        std::vector<std::string>{"process 5 and 1 other: holds 472 KiB of 8 MiB (not all with the same figures)",
                                 "process 5 and 1 other: 3 odd", "process 7: holds 64 MiB of 8 MiB"});
}

TEST_CASE("notes: of many that were not recorded for one reason a line says how many they are") {
  SessionContents contents;
  contents.reasons = {"process 12: no room", "process 14 (late): it goes on", "process 345: no room",
                      "process 7: no room"};
  const std::vector<std::string> notes = ProfileNotes(contents);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "not recorded: process 12 and 2 others: no room");
  CHECK(notes[1] == "not recorded: process 14 (late): it goes on");
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

TEST_CASE("a title that a program wrote over its arguments is no path") {
  const TemporaryFolder folder;
  SessionContents contents;
  ProcessProfile process;
  process.pid = 5;
  process.executable = "/usr/bin/perl";
  process.arguments = {"worker: serving /var/run/sock"};
  process.categories.push_back({"Other", "grey", {"Other"}});
  process.frames.push_back({.kind = FrameKind::kRoot, .category = 0, .subcategory = 0});
  process.stacks.push_back({});
  contents.processes.push_back(process);
  contents.Finish();
  const ProfileRequest request = Request(folder);
  REQUIRE(MakeProfile(contents, request).ok());
  std::string text;
  REQUIRE(ReadWholeFile(request.output.c_str(), text) == 0);
  CHECK(text.find(R"("product":"worker: serving /var/run/sock")") != std::string::npos);
  CHECK(text.find(R"("processName":"worker: serving /var/run/sock")") != std::string::npos);
}

TEST_CASE("without a command line the profile is called by the first program that told what it is") {
  const TemporaryFolder folder;
  for (const OutputFormat format : {OutputFormat::kProcessed, OutputFormat::kGecko}) {
    SessionContents contents;
    for (uint32_t image = 0; image < 3; ++image) {  // a script that hands over by exec before it told anything
      ProcessProfile process;
      process.pid = 5;
      process.image = image;
      if (image != 0) process.executable = "/bin/name" + std::to_string(image) + ".0";
      if (image != 0) process.arguments = {"/bin/name" + std::to_string(image), "-x"};
      process.categories.push_back({"Other", "grey", {"Other"}});
      process.frames.push_back({.kind = FrameKind::kRoot, .category = 0, .subcategory = 0});
      process.stacks.push_back({});
      contents.processes.push_back(process);
    }
    contents.Finish();
    ProfileRequest request = Request(folder);
    request.format = format;
    REQUIRE(MakeProfile(contents, request).ok());
    std::string text;
    REQUIRE(ReadWholeFile(request.output.c_str(), text) == 0);
    CHECK(text.find(R"("product":"name1")") != std::string::npos);
    if (format == OutputFormat::kProcessed) CHECK(text.find(R"("arguments":"/bin/name1 -x")") != std::string::npos);
    contents.command = {"/opt/script", "y"};
    REQUIRE(MakeProfile(contents, request).ok());
    REQUIRE(ReadWholeFile(request.output.c_str(), text) == 0);
    CHECK(text.find(R"("product":"script")") != std::string::npos);
  }
}

}  // namespace
}  // namespace geckoprof
