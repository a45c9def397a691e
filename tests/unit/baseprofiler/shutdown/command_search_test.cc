#include "shutdown/command_search.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

std::vector<std::string> Found(const CommandSearch::Sources& sources) {
  CommandSearch search(sources);
  std::vector<std::string> paths;
  char path[256];
  while (search.Next(path)) paths.emplace_back(path);
  return paths;
}

// A prefix with these rights, which goes with its object.
class Prefix {
 public:
  explicit Prefix(mode_t mode) {
    char name[] = "/tmp/geckoprof-prefix-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = std::string(name) + "/p";
    std::filesystem::create_directories(path_ + "/lib/some-linux-gnu");
    REQUIRE(chmod((path_ + "/lib").c_str(), 0755) == 0);
    REQUIRE(chmod(path_.c_str(), mode) == 0);
  }
  ~Prefix() { std::filesystem::remove_all(std::filesystem::path(path_).parent_path()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("a path that is given is the only one") {
  CHECK(Found({"/opt/g", "/usr/lib/libbaseprofiler.so.0", "/usr/bin"}) == std::vector<std::string>{"/opt/g"});
}

TEST_CASE("the command lies beside the library's folder, or beside the one above") {
  const Prefix prefix(0755);
  const std::string library = prefix.path() + "/lib/some-linux-gnu/libbaseprofiler.so.0.1.0";
  CHECK(Found({"", library, ""}) ==
        std::vector<std::string>{prefix.path() + "/lib/bin/geckoprof", prefix.path() + "/bin/geckoprof"});
  CHECK(Found({"", "/lib/libbaseprofiler.so", ""}) == std::vector<std::string>{"/bin/geckoprof", "/bin/geckoprof"});
}

TEST_CASE("no folder that others may write to is looked in") {
  const Prefix prefix(0777);
  CHECK(Found({"", prefix.path() + "/lib/libbaseprofiler.so", ""}) ==
        std::vector<std::string>{std::filesystem::path(prefix.path()).parent_path().string() + "/bin/geckoprof"});
  // As root's copy of the library.
  CHECK(Found({"", "/tmp/geckoprof-lib-a1B2c3/libbaseprofiler.so", ""}) == std::vector<std::string>{"/bin/geckoprof"});
}

TEST_CASE("nothing lies beside a program that base is linked into") {
  CHECK(Found({"", "/usr/bin/program", ""}).empty());
  CHECK(Found({"", "lib/libbaseprofiler.so", ""}).empty());
  CHECK(Found({"", "", ""}).empty());
}

TEST_CASE("of PATH the absolute folders count") {
  CHECK(Found({"", "", "/a:.::b:/c/d"}) == std::vector<std::string>{"/a/geckoprof", "/c/d/geckoprof"});
  CHECK(Found({"", "", std::string(300, '/') + ":/a"}) == std::vector<std::string>{"/a/geckoprof"});
}

TEST_CASE("the kernel knows which file code is of") {
  char room[8192], path[4096];
  const std::string_view found = PathOfCode(reinterpret_cast<const void*>(&Found), room, path);
  CHECK(found == std::filesystem::read_symlink("/proc/self/exe").string());
  // A sanitizer stands in front of many functions of libc, but not of this one.
  CHECK(PathOfCode(reinterpret_cast<const void*>(&sysconf), room, path).find("/libc") != std::string_view::npos);
  CHECK(PathOfCode(&room, room, path) == "[stack]");
  CHECK(PathOfCode(nullptr, room, path).empty());
}

}  // namespace
}  // namespace geckoprof
