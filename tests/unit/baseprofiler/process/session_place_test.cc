#include "process/session_place.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "geckoprof/segment/segment_format.h"
#include "process/empty_folders.h"

namespace geckoprof {
namespace {

constexpr const char* kGiven = "/tmp/session";
constexpr uint64_t kCapacityBytes = 1 << 20;

void Enlarge(const char* parent) { mount("none", parent, nullptr, MS_REMOUNT, "size=64m"); }

TEST_CASE("a folder that was given is used as it is, and nothing is removed from it") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir(kGiven, 0700) == 0);
    SessionPlace place;
    place.Choose(kGiven);
    FORKED_REQUIRE(!place.is_own() && place.is_given());
    FORKED_REQUIRE(!place.IsFull(kDefaultCapacityBytes));
    Segment segment;
    // These folders are too small for a segment: the reason is left there.
    FORKED_REQUIRE(!place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/note-42") == kNoteNoSpace);
    place.Remove(segment);
    FORKED_REQUIRE(std::filesystem::exists(kGiven));
    close(open((std::string(kGiven) + "/" + kSessionFullName).c_str(), O_CREAT | O_WRONLY, 0600));
    FORKED_REQUIRE(place.IsFull(kDefaultCapacityBytes));
    return 0;
  });
}

TEST_CASE("without a recorder there is an end to the number of segments") {
  CHECK_IN_EMPTY_FOLDERS([] {
    Enlarge("/tmp");
    FORKED_REQUIRE(mkdir(kGiven, 0700) == 0);
    SessionPlace place;
    place.Choose(kGiven);
    for (int i = 0; i < 4170; ++i) {  // 4096, and one for 16 KiB each of 1 MiB
      FORKED_REQUIRE(i > 4150 || !place.IsFull(kCapacityBytes));
      close(open((std::string(kGiven) + "/" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600));
    }
    FORKED_REQUIRE(place.IsFull(kCapacityBytes));
    FORKED_REQUIRE(!place.IsFull(2 * kCapacityBytes));
    const int recorder = open(kGiven, O_RDONLY | O_DIRECTORY);
    FORKED_REQUIRE(flock(recorder, LOCK_EX) == 0);
    FORKED_REQUIRE(!place.IsFull(kCapacityBytes));
    return 0;
  });
}

std::string OwnIn(const char* parent) { return std::string(parent) + "/geckoprof-" + std::to_string(geteuid()); }

TEST_CASE("without one it is the user's own, where old files give way and ours are removed") {
  CHECK_IN_EMPTY_FOLDERS([] {
    Enlarge("/dev/shm");
    const std::string folder = OwnIn("/dev/shm");
    const std::string name = folder + "/42-0.segment";
    FORKED_REQUIRE(mkdir(folder.c_str(), 0700) == 0);
    const std::string full = folder + "/" + kSessionFullName;
    for (const std::string& file : {name, full}) close(open(file.c_str(), O_CREAT | O_WRONLY, 0600));
    SessionPlace place;
    place.Choose("");
    FORKED_REQUIRE(place.is_own() && !place.is_given());
    FORKED_REQUIRE(!place.IsFull(kDefaultCapacityBytes));  // nobody closes it
    FORKED_REQUIRE(unlink(full.c_str()) == 0);
    Segment segment;
    FORKED_REQUIRE(place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(std::filesystem::file_size(name) > 0);
    place.Remove(segment);
    FORKED_REQUIRE(!std::filesystem::exists(folder));
    return 0;
  });
}

TEST_CASE("where /dev/shm has no room, the user's own is in /tmp") {
  CHECK_IN_EMPTY_FOLDERS([] {
    Enlarge("/tmp");
    SessionPlace place;
    place.Choose("");
    Segment segment;
    FORKED_REQUIRE(place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(!std::filesystem::exists(OwnIn("/dev/shm")));
    FORKED_REQUIRE(std::filesystem::exists(OwnIn("/tmp") + "/42-0.segment"));
    place.Remove(segment);
    FORKED_REQUIRE(!std::filesystem::exists(OwnIn("/tmp")));
    return 0;
  });
}

TEST_CASE("a folder that was given and cannot be used is told of") {
  CHECK_IN_EMPTY_FOLDERS([] {
    SessionPlace place;
    place.Choose("/tmp/none");
    Segment segment;
    FORKED_REQUIRE(place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(segment.header().anonymous != 0);
    FORKED_REQUIRE(segment.header().separations == kHasNoSession);
    return 0;
  });
}

TEST_CASE("where nothing has room, the segment is anonymous memory") {
  CHECK_IN_EMPTY_FOLDERS([] {
    SessionPlace place;
    place.Choose("");
    Segment segment;
    FORKED_REQUIRE(place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(segment.header().anonymous != 0 && segment.header().separations == 0);
    FORKED_REQUIRE(!place.is_own() && !place.is_given());
    for (const char* parent : {"/dev/shm", "/tmp"}) FORKED_REQUIRE(std::filesystem::is_empty(parent));
    return 0;
  });
}

TEST_CASE("where neither can be had, the segment is anonymous memory") {
  CHECK_IN_EMPTY_FOLDERS([] {
    for (const char* parent : {"/dev/shm", "/tmp"}) close(open(OwnIn(parent).c_str(), O_CREAT | O_WRONLY, 0600));
    SessionPlace place;
    place.Choose("");
    FORKED_REQUIRE(!place.is_own());
    FORKED_REQUIRE(!place.IsFull(kDefaultCapacityBytes));
    Segment segment;
    FORKED_REQUIRE(place.Create(segment, kCapacityBytes, ProcessId::FromNumber(42), ProcessId::FromNumber(1)));
    FORKED_REQUIRE(segment.header().anonymous != 0);
    return 0;
  });
}

constexpr const char* kFolder = "/tmp/session";
const ProcessId kChild = ProcessId::FromNumber(42);
const ProcessId kParent = ProcessId::FromNumber(41);

TEST_CASE("a mark is there from the fork to the segment, or gets the end's time") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir(kFolder, 0700) == 0);
    prctl(PR_SET_NAME, "fifteen letters");
    ForkRecord mark;
    mark.End(1, {});
    mark.Remove();
    FORKED_REQUIRE(!mark.exists() && std::filesystem::is_empty(kFolder));
    mark.Create(kFolder, kChild, kParent, 5000);
    FORKED_REQUIRE(mark.exists());
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/child-42-5000") == "41 fifteen letters");
    mark.Remove();
    FORKED_REQUIRE(!mark.exists() && std::filesystem::is_empty(kFolder));
    mark.End(6000, {0x103, 700, 90, 4096, 20});
    FORKED_REQUIRE(std::filesystem::is_empty(kFolder));

    mark.Create(kFolder, kChild, kParent, 5000);
    mark.End(6000, {0x103, 700, 90, 4096, 20});
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/child-42-5000-6000-3-700-70-4096") ==
                   "41 fifteen letters");
    mark.Remove();
    FORKED_REQUIRE(std::filesystem::is_symlink("/tmp/session/child-42-5000-6000-3-700-70-4096"));
    return 0;
  });
}

TEST_CASE("no mark without a folder, nor of the last of many children") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir(kFolder, 0700) == 0);
    ForkRecord mark;
    mark.Create("", kChild, kParent, 5000);
    mark.Create("/tmp/none", kChild, kParent, 5000);
    FORKED_REQUIRE(!mark.exists());
    for (uint32_t i = 0; i < ForkRecord::kMax; ++i) FORKED_REQUIRE(mark.CountFork());
    FORKED_REQUIRE(!mark.CountFork());
    mark.Create(kFolder, kChild, kParent, 5000);
    FORKED_REQUIRE(!mark.exists() && std::filesystem::is_empty(kFolder));
    FORKED_REQUIRE(mark.CountFork());  // this is the child now
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
