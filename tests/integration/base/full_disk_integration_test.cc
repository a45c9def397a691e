// A session directory on a file system that is full, or nearly.
#include <sys/mount.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

// A small file system of its own over a session directory, as long as the object lives.
// Where mounts are not permitted the test is skipped.
class SmallFileSystem {
 public:
  SmallFileSystem(const std::string& path, const std::string& size) : path_(path) {
    if (!UsePrivateSharedMemory() || mount("none", path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) {
      std::filesystem::remove(path);  // the test ends here, and its objects do not
      SkipAll("mounts are not permitted here");
    }
  }
  ~SmallFileSystem() { umount2(path_.c_str(), MNT_DETACH); }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

 private:
  const std::string path_;
};

TEST_CASE("a full file system is nothing to the program", "[full_disk]") {
  for (const char* size : {"4k", "64k", "256k", "1m", "3m"}) {
    INFO(size);
    const SessionFolder session;
    const SmallFileSystem file_system(session.path(), size);
    for (const Strings& command : {Strings{Scenario("thread_churn"), "60"}, Strings{Scenario("fork_tree")},
                                   Strings{Scenario("busy_mix"), "0.5"}}) {
      INFO(command[0]);
      const ProgramOutput bare = RunProgram(command, {});
      const ProgramOutput sampled = RunProgram(command, Recording({session.variable()}));
      CHECK(sampled.status == bare.status);
      CHECK(sampled.out == bare.out);
      CHECK(sampled.err == bare.err);
      CHECK_NOTHROW(session.Read());  // what little there is can be read
      for (const auto& entry : std::filesystem::directory_iterator(session.path())) std::filesystem::remove(entry);
    }
  }
}

TEST_CASE("a file system with little room holds the newest samples", "[full_disk]") {
  const SessionFolder session;
  const SmallFileSystem file_system(session.path(), "8m");
  const ProgramOutput output = RunProgram({Scenario("busy_mix"), "0.5"}, Recording({session.variable()}));
  CHECK(output.status == 0);
  CHECK(CountSamples(session.ReadOnly(output.pid)) > 50);
}

TEST_CASE("without a recorder a full /dev/shm costs nothing: there is /tmp", "[full_disk]") {
  const SessionFolder folder;
  const std::string target = folder.path() + "/out.json";
  if (!UsePrivateSharedMemory()) SkipAll("mounts are not permitted here");
  for (const char* size : {"64k", "256k"}) {
    INFO(size);
    const SmallFileSystem file_system("/dev/shm", size);
    const ProgramOutput output = RunProgram({Scenario("busy_mix"), "0.5"}, Recording({"GECKOPROF_SHUTDOWN=" + target}));
    CHECK(output.status == 0);
    CHECK(output.err.empty());
    CHECK(std::filesystem::exists(target));
    CHECK(std::filesystem::is_empty("/dev/shm"));
    CHECK_FALSE(std::filesystem::exists("/tmp/geckoprof-" + std::to_string(geteuid())));
    std::filesystem::remove(target);
  }
}

}  // namespace
}  // namespace geckoprof
