#include "children/children_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "children/followed_children.h"

namespace geckoprof {
namespace {

// A folder like /dev/shm, with the folder and the segment of a process in it.
struct Place {
  Place() {
    char name[] = "/tmp/children-folder-XXXXXX";
    root = mkdtemp(name);
    mkdir((root + "/own").c_str(), 0700);
    own_segment = root + "/own/" + std::to_string(getpid()) + "-0.segment";
    std::ofstream(own_segment) << "own";
  }
  ~Place() {
    unlink(own_segment.c_str());
    rmdir((root + "/own").c_str());
    CHECK(rmdir(root.c_str()) == 0);  // nothing else is left
  }
  std::string root, own_segment;
};

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST_CASE("the folder lies beside the own segment's, is private, and has that segment, too") {
  const Place place;
  const mode_t old = umask(0277);
  ChildrenFolder folder;
  REQUIRE(folder.Make(place.own_segment));
  umask(old);
  CHECK(folder.path().rfind(place.root + "/geckoprof-", 0) == 0);
  CHECK(ModeOf(folder.path()) == 0700);
  REQUIRE(folder.List().size() == 1);
  CHECK(folder.List()[0].pid == getpid());
  const std::string path = folder.path();
  folder.Close();
  CHECK_FALSE(folder.is_open());
  CHECK(ModeOf(path) == 0);
  CHECK(ModeOf(place.own_segment) != 0);
}

TEST_CASE("a file that is linked outlives its name, under the next free image") {
  const Place place;
  ChildrenFolder folder;
  REQUIRE(folder.Make(place.own_segment));
  std::ofstream(folder.PathOf({4711, 0})) << "another";
  const std::string elsewhere = place.root + "/own/4711-0.segment";
  std::ofstream(elsewhere) << "data";
  CHECK(folder.Link(elsewhere, 4711));
  unlink(elsewhere.c_str());
  std::string text;
  std::ifstream(folder.PathOf({4711, 1})) >> text;
  CHECK(text == "data");
  CHECK_FALSE(folder.Link("/proc/self/stat", 4712));  // of another file system
  CHECK_FALSE(folder.Link(place.root + "/none", 4712));
  CHECK(folder.Link(folder.PathOf({4711, 0}), 4711));  // it is there already
  CHECK(folder.List().size() == 3);
  folder.Remove({4711, 0});
  CHECK(folder.List().size() == 2);
  folder.Close();
}

TEST_CASE("only segments are listed, by pid and image") {
  const Place place;
  ChildrenFolder folder;
  REQUIRE(folder.Make(""));
  for (const char* name : {"20-0.segment", "3-1.segment", "3-0.segment", "note-3", "3-0.segment.old", "x"}) {
    std::ofstream(folder.path() + "/" + name) << "x";
  }
  std::vector<std::pair<int32_t, uint32_t>> found;
  for (const SegmentName& name : folder.List()) found.emplace_back(name.pid, name.image);
  CHECK(found == std::vector<std::pair<int32_t, uint32_t>>{{3, 0}, {3, 1}, {20, 0}});
  folder.Close();
}

TEST_CASE("nothing is removed from a shared folder, nor the folder") {
  const Place place;
  ChildrenFolder folder;
  folder.Share(place.root + "/own");
  CHECK(folder.is_shared());
  folder.Remove({getpid(), 0});
  folder.Close();
  CHECK(ModeOf(place.own_segment) != 0);
}

TEST_CASE("a child is told all parameters of its parent") {
  RecordingParameters parameters;
  parameters.capacity_bytes = 8 << 20;
  parameters.interval_ns = 1'500'000;
  parameters.duration_ns = 2'500'000'000;
  parameters.features = 0x4100;
  parameters.filters = {"GeckoMain", "Worker"};
  const std::vector<std::string> lines = SettingsOf(parameters, "/dev/shm/x");
  CHECK(lines == std::vector<std::string>{
                     "GECKOPROF_SESSION_DIR=/dev/shm/x", "GECKOPROF_STARTUP_ENTRIES=1048576",
                     "GECKOPROF_STARTUP_INTERVAL=1.500000", "GECKOPROF_STARTUP_FEATURES_BITFIELD=16640",
                     "GECKOPROF_STARTUP_DURATION=2.500000000", "GECKOPROF_STARTUP_FILTERS=GeckoMain,Worker"});
}

}  // namespace
}  // namespace geckoprof
