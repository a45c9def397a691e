#include "process/fork_record.h"

#include <sys/prctl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "process/empty_folders.h"

namespace geckoprof {
namespace {

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
