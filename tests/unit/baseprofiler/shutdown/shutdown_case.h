// A segment with what it takes to have its profile written, or not, by a command that the test makes up.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SHUTDOWN_SHUTDOWN_CASE_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SHUTDOWN_SHUTDOWN_CASE_H_

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "process/process_control.h"
#include "sampler/raw_thread.h"
#include "shutdown/shutdown_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {

inline std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A segment that says which process it is about, with a folder beside it for profiles and commands.
class Recorded {
 public:
  Recorded() {
    MetadataWriter metadata(&test_.segment());
    const char* const environment[] = {"GECKOPROF_STARTUP=1", "GECKOPROF_STARTUP_FILTERS=Renderer", nullptr};
    ParseStartParameters(environment, parameters_);
    DescribeProcess(parameters_, metadata);
    folder_ = test_.directory() + "/out";
    std::filesystem::create_directory(folder_);
    SetFile(path());
  }

  Segment& segment() { return test_.segment(); }
  const std::string& folder() const { return folder_; }
  std::string path() const { return folder_ + "/profile.json"; }
  std::string copy_path() const { return path() + ".segment"; }

  void SetFile(const std::string& file) {
    snprintf(parameters_.shutdown_path, sizeof(parameters_.shutdown_path), "%s", file.c_str());
  }
  // The command is a shell script, in which $out is a file beside it. A script that does not exit itself has written
  // the profile.
  void SetCommand(const std::string& script, mode_t mode = 0700) {
    const std::string command = folder_ + "/command";
    std::ofstream(command) << "#!/bin/sh\nout=" << folder_ << "/told\n" << script << "\nexit 4\n";
    REQUIRE(chmod(command.c_str(), mode) == 0);
    SetCommandPath(command);
  }
  void SetCommandPath(const std::string& path) {
    snprintf(parameters_.command_path, sizeof(parameters_.command_path), "%s", path.c_str());
  }
  std::string told() const { return Contents(folder_ + "/told"); }

  // Whether there is a copy.
  bool Write(int64_t patience_ns = 10 * kNsPerSecond) {
    RawThread thread;
    const bool has_copy = WriteShutdownProfile(
        &thread, {segment(), parameters_, ProcessId::FromNumber(getpid()), /*is_own_place=*/true, patience_ns});
    REQUIRE_FALSE(thread.IsRunning());
    return has_copy;
  }
  ShutdownFailure failure() {
    return static_cast<ShutdownFailure>(segment().header().shutdown_failure.load(std::memory_order_relaxed));
  }
  int detail() { return segment().header().shutdown_detail.load(std::memory_order_relaxed); }

 private:
  TestSegment test_;
  StartParameters parameters_;
  std::string folder_;
};

inline ProcessProfile Read(const std::string& path) {
  ProcessProfile profile;
  CHECK(ReadSegmentFile(path.c_str(), profile).status == SegmentReadStatus::kOk);
  return profile;
}

inline bool IsOfRecorded(const ProcessProfile& profile) {
  return profile.filters.size() == 1 && profile.filters[0] == "Renderer";
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SHUTDOWN_SHUTDOWN_CASE_H_
