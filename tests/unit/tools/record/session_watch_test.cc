#include "tools/record/session_watch.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("the session is closed when its files have reached the limit, not before") {
  const TemporaryFolder folder;
  const std::string closed = folder.path() + "/full";
  SessionWatch watch(folder.path(), 1 << 20);
  folder.Write("1-0.segment", std::string(512 << 10, 'x'));
  CHECK(watch.Look() > 0);
  CHECK_FALSE(std::filesystem::exists(closed));
  folder.Write("2-0.segment", std::string(600 << 10, 'x'));
  CHECK(watch.Look() > 0);
  CHECK(std::filesystem::exists(closed));
  CHECK(watch.Look() > 0);
}

TEST_CASE("a file counts with what it takes, not with its length") {
  const TemporaryFolder folder;
  const std::string sparse = folder.Write("1-0.segment", "x");
  std::filesystem::resize_file(sparse, 1 << 30);
  SessionWatch watch(folder.path(), 1 << 20);
  CHECK(watch.Look() > 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/full"));
}

TEST_CASE("a folder that is gone is no reason to stop") {
  SessionWatch watch("/no/such/folder", 1 << 20);
  CHECK(watch.Look() > 0);
}

}  // namespace
}  // namespace geckoprof
