#include "tools/merge/merge_input.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/merge/small_profile.h"

namespace geckoprof {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("labels are names without folder and ending") {
  CHECK(LabelsOfFiles(Names{"run/node1.json.gz", "-", "/b.json", ".json", "x.gz"}) ==
        Names{"node1", "stdin", "b", ".json", "x"});
  CHECK(LabelsOfFiles(Names{"node1/profile.json", "a/node2/profile.json.gz", "profile.json"}) ==
        Names{"node1/profile", "node2/profile", "profile"});
  CHECK(LabelsOfFiles(Names{"a.json", "a.json.gz"}) == Names{"a-1", "a-2"});
  CHECK(LabelsOfFiles(Names{std::string(5000, 'x')})[0].size() <= 255);
}

TEST_CASE("clocks, threads and pids are read") {
  const TemporaryFolder folder;
  SmallProfile profile;
  profile.boot_id = "boot";
  const auto input = ReadMergeInput(folder.Write("a.json", profile.Text()), size_t{1} << 30);
  REQUIRE(input.ok());
  CHECK(input->clock.wall_ms == profile.start_ms);
  CHECK(input->clock.monotonic_ns == profile.monotonic_ns);
  CHECK(input->clock.boot_id == "boot");
  CHECK(input->pids == Names{"100", "100.1"});
  REQUIRE(input->threads.size() == 2);
  CHECK(input->threads[0].cpu_ns == 2'000'000);
  CHECK(input->threads[0].samples == 3);
  CHECK(input->threads[1].is_main);
  CHECK(input->threads[1].image == 1);
}

TEST_CASE("what has no time line, or is too large, is refused") {
  const TemporaryFolder folder;
  SmallProfile profile;
  const std::string good = folder.Write("good.json", profile.Text());
  CHECK(ReadMergeInput(good, 1000).status().message().find("larger than") != std::string_view::npos);
  profile.time_unit = "bytes";
  const std::string sizes = folder.Write("sizes.json", profile.Text());
  CHECK(ReadMergeInput(sizes, size_t{1} << 30).status().message().find("sizes") != std::string_view::npos);
  CHECK_FALSE(ReadMergeInput(folder.path() + "/none.json", size_t{1} << 30).ok());
  CHECK_FALSE(ReadMergeInput(folder.Write("list.json", "[1]"), size_t{1} << 30).ok());
}

}  // namespace
}  // namespace geckoprof
