#include "process/session_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "geckoprof/segment/session_format.h"
#include "process/empty_folders.h"

namespace geckoprof {
namespace {

constexpr const char* kGiven = "/tmp/session";
constexpr uint64_t kCapacityBytes = 1 << 20;

TEST_CASE("a folder that was given is used as it is, and nothing is removed from it") {
  CHECK_IN_EMPTY_FOLDERS([] {
    FORKED_REQUIRE(mkdir(kGiven, 0700) == 0);
    SessionPlace place;
    place.Choose(kGiven);
    FORKED_REQUIRE(!place.is_own());
    FORKED_REQUIRE(!place.IsFull());
    const SegmentLayout layout = place.Layout(kCapacityBytes);
    FORKED_REQUIRE(layout.capacity_bytes == kCapacityBytes);
    FORKED_REQUIRE(layout.directory == kGiven);
    FORKED_REQUIRE(!layout.replace_stale);
    Segment segment;
    // These folders are too small for a segment: the reason is left there.
    const Segment::CreateResult result = segment.Create(layout, ProcessId::FromNumber(42), ProcessId::FromNumber(1));
    FORKED_REQUIRE(result == Segment::CreateResult::kNoSpace);
    place.NoteFailure(ProcessId::FromNumber(42), result);
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/note-42") == kNoteNoSpace);
    place.NoteFailure(ProcessId::FromNumber(43), Segment::CreateResult::kFailed);
    FORKED_REQUIRE(std::filesystem::read_symlink("/tmp/session/note-43") == kNoteNoMemory);
    place.Remove(segment);
    FORKED_REQUIRE(std::filesystem::exists(kGiven));
    close(open((std::string(kGiven) + "/" + kSessionFullName).c_str(), O_CREAT | O_WRONLY, 0600));
    FORKED_REQUIRE(place.IsFull());
    return 0;
  });
}

TEST_CASE("without one it is the user's own, where old files give way and ours are removed") {
  CHECK_IN_EMPTY_FOLDERS([] {
    SessionPlace place;
    place.Choose("");
    FORKED_REQUIRE(place.is_own());
    const SegmentLayout layout = place.Layout(kCapacityBytes);
    FORKED_REQUIRE(layout.replace_stale);
    const std::string folder = layout.directory;
    FORKED_REQUIRE(folder == "/dev/shm/geckoprof-" + std::to_string(geteuid()));
    place.NoteFailure(ProcessId::FromNumber(42), Segment::CreateResult::kNoSpace);
    FORKED_REQUIRE(std::filesystem::is_empty(folder));
    close(open((folder + "/" + kSessionFullName).c_str(), O_CREAT | O_WRONLY, 0600));
    FORKED_REQUIRE(!place.IsFull());  // nobody closes it
    FORKED_REQUIRE(unlink((folder + "/" + kSessionFullName).c_str()) == 0);
    place.Remove(Segment());
    FORKED_REQUIRE(!std::filesystem::exists(folder));
    return 0;
  });
}

TEST_CASE("where neither can be had, the segment is anonymous memory") {
  CHECK_IN_EMPTY_FOLDERS([] {
    for (const char* parent : {"/dev/shm", "/tmp"}) {
      close(open((std::string(parent) + "/geckoprof-" + std::to_string(geteuid())).c_str(), O_CREAT | O_WRONLY, 0600));
    }
    SessionPlace place;
    place.Choose("");
    FORKED_REQUIRE(!place.is_own());
    FORKED_REQUIRE(place.Layout(kCapacityBytes).directory == nullptr);
    FORKED_REQUIRE(!place.IsFull());
    return 0;
  });
}

}  // namespace
}  // namespace geckoprof
