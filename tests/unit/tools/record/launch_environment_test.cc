#include "tools/record/launch_environment.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

std::vector<std::string> Lines(LaunchEnvironment& environment) {
  std::vector<std::string> lines;
  for (char* const* line = environment.Finish(); *line != nullptr; ++line) lines.emplace_back(*line);
  return lines;
}
using Expected = std::vector<std::string>;

TEST_CASE("variables are set, replaced and removed by whole name") {
  const char* const inherited[] = {"A=1", "AB=2", "A=3", "odd", nullptr};
  LaunchEnvironment environment(inherited);
  environment.Set("A", "x");
  environment.Remove("B");
  CHECK(Lines(environment) == Expected{"AB=2", "odd", "A=x", "GECKOPROF_EXEC_TIME="});
}

TEST_CASE("our library comes before those preloaded already") {
  LaunchEnvironment none(nullptr);
  none.PrependPreload("/l.so");
  CHECK(Lines(none).front() == "LD_PRELOAD=/l.so");
  const char* const empty_value[] = {"LD_PRELOAD=", nullptr};
  LaunchEnvironment empty(empty_value);
  empty.PrependPreload("/l.so");
  CHECK(Lines(empty).front() == "LD_PRELOAD=/l.so");
  const char* const other_value[] = {"LD_PRELOAD=/o.so /p.so", nullptr};
  LaunchEnvironment other(other_value);
  other.PrependPreload("/l.so");
  CHECK(Lines(other).front() == "LD_PRELOAD=/l.so:/o.so /p.so");
}

TEST_CASE("a choice of the user for the sanitizer comes last, and counts") {
  LaunchEnvironment none(nullptr);
  none.AllowPreloadBesideSanitizer();
  CHECK(Lines(none).front() == "ASAN_OPTIONS=verify_asan_link_order=0");
  const char* const options[] = {"ASAN_OPTIONS=verify_asan_link_order=1:verbosity=1", nullptr};
  LaunchEnvironment some(options);
  some.AllowPreloadBesideSanitizer();
  CHECK(Lines(some).front() == "ASAN_OPTIONS=verify_asan_link_order=0:verify_asan_link_order=1:verbosity=1");
}

TEST_CASE("the time of exec is written in place, an inherited one is dropped") {
  const char* const inherited[] = {"GECKOPROF_EXEC_TIME=9:9", nullptr};
  LaunchEnvironment environment(inherited);
  char* const* const lines = environment.Finish();
  environment.WriteExecTime(4711, 1234567890123456789);
  CHECK(std::string(lines[0]) == "GECKOPROF_EXEC_TIME=4711:1234567890123456789");
  CHECK(lines[1] == nullptr);
  environment.WriteExecTime(1, 0);
  CHECK(std::string(lines[0]) == "GECKOPROF_EXEC_TIME=1:0");
}

TEST_CASE("the library lies beside the command's folder") {
  const TemporaryFolder folder;
  const std::string bin = folder.path() + "/bin";
  REQUIRE(mkdir(bin.c_str(), 0755) == 0);
  REQUIRE(mkdir((folder.path() + "/lib").c_str(), 0755) == 0);
  REQUIRE(mkdir((folder.path() + "/lib/geckoprof").c_str(), 0755) == 0);
  CHECK_FALSE(FindLibraryFrom(bin, kBaseLibrary).ok());
  const std::string private_place = folder.Write("lib/geckoprof/libbaseprofiler.so", "");
  CHECK(FindLibraryFrom(bin, kBaseLibrary).value() == private_place);
  const std::string place = folder.Write("lib/libbaseprofiler.so", "");
  CHECK(FindLibraryFrom(bin, kBaseLibrary).value() == place);
}

TEST_CASE("a path that LD_PRELOAD cannot hold is refused") {
  const TemporaryFolder folder;
  const std::string root = folder.path() + "/a b";
  for (const char* part : {"", "/bin", "/lib"}) REQUIRE(mkdir((root + part).c_str(), 0755) == 0);
  folder.Write("a b/lib/libbaseprofiler.so", "");
  CHECK(FindLibraryFrom(root + "/bin", kBaseLibrary).status().code() == absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace geckoprof
