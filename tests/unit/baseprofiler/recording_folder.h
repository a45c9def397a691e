// What tests of the whole library in one process share: a session directory, and a start in a forked child.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_RECORDING_FOLDER_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_RECORDING_FOLDER_H_

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/support/await.h"
#include "tests/unit/baseprofiler/await_ticks.h"

namespace geckoprof {

// A session directory that goes with its object. In a child: end with _exit, or the parent's is gone.
class RecordingFolder {
 public:
  RecordingFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "geckoprof-core-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) abort();
    path_ = name;
  }
  ~RecordingFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  RecordingFolder(const RecordingFolder&) = delete;
  RecordingFolder& operator=(const RecordingFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string Segment(pid_t pid, int image = 0) const {
    return path_ + "/" + std::to_string(pid) + "-" + std::to_string(image) + ".segment";
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(path_ + "/" + name); }

  // Asks for a recording here, a sample each 10 ms.
  StartParameters Asked() const {
    StartParameters parameters;
    parameters.capacity_bytes = kMinCapacityBytes;
    parameters.interval_ns = 10 * kNsPerMs;
    snprintf(parameters.session_dir, sizeof(parameters.session_dir), "%s", path_.c_str());
    return parameters;
  }

  // The same with a profile at the end, which is called `name`; "%p" is the process id.
  StartParameters AskedWithProfile(const char* name) const {
    StartParameters parameters = Asked();
    snprintf(parameters.shutdown_path, sizeof(parameters.shutdown_path), "%s/%s", path_.c_str(), name);
    snprintf(parameters.command_path, sizeof(parameters.command_path), "%s", Command().c_str());
    return parameters;
  }

  // A program that stands for the command at the end: it makes the file that is asked for, with its arguments.
  std::string Command() const {
    const std::string command = path_ + "/command.sh";
    std::ofstream(command) << "#!/bin/sh\nfor file; do :; done\necho \"$@\" >\"$file\"\n";
    std::filesystem::permissions(command, std::filesystem::perms::owner_all);
    return command;
  }

  // What the loading of the library would do first in this process. `stack_high`: where the main thread's stack ends,
  // 0: nobody knows.
  static ProfilerCore& Load(uintptr_t stack_high = 0) {
    ProfilerCore::Get().OnConstructor({stack_high, MonotonicNs()}, nullptr);
    return ProfilerCore::Get();
  }
  // For a forked child: whether it records now.
  bool Start(uintptr_t stack_high = 0) const {
    return Load(stack_high).Start(Asked()) == ProfilerCore::StartResult::kStarted;
  }

  // Whether this process's first segment is there, complete.
  bool HasOwn() const {
    ProcessProfile profile;
    return ReadSegmentFile(Segment(getpid()).c_str(), profile).status == SegmentReadStatus::kOk;
  }
  ProcessProfile Read(pid_t pid, int image = 0) const {
    ProcessProfile profile;
    ReadSegmentFile(Segment(pid, image).c_str(), profile);
    return profile;
  }

 private:
  std::string path_;
};

// Threads of this process, the sampler's among them.
inline int CountThreads() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* const entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

// Returns true once the recording of this process has had its first tick.
inline bool HasTicked() {
  const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
  return header.heartbeat_ns.load() != header.created_ns;
}

// The only other thread of this process: the sampler's.
inline std::string SamplerThread() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    if (entry.path().filename() != std::to_string(getpid())) return entry.path().filename();
  }
  return "";
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_RECORDING_FOLDER_H_
