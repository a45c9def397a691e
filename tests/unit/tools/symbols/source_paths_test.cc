#include "tools/symbols/source_paths.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace geckoprof {
namespace {

struct Sources {
  Sources() {
    char name[] = "/tmp/geckoprof-sources.XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    folder = name;
  }
  ~Sources() { std::filesystem::remove_all(folder); }
  std::string Add(const std::string& name) const {
    const std::filesystem::path path = folder + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "int x;\n";
    return path;
  }
  std::string folder;
};

TEST_CASE("without folders and rules each name stays as it is") {
  SourcePaths paths;
  CHECK(paths.empty());
  CHECK(paths.Find("/build/a.cc") == "/build/a.cc");
  CHECK(paths.Find("").empty());
}

TEST_CASE("the rule with the longest prefix changes a name, and only at whole folders") {
  SourcePaths paths;
  REQUIRE(paths.Add({}, {"/build=/home"}).ok());
  REQUIRE(paths.Add({}, {"/build/app/=/home/app-1.2/"}).ok());
  REQUIRE(paths.Add({}, {"./src=/elsewhere"}).ok());
  CHECK(paths.Find("/build/app/src/a.cc") == "/home/app-1.2/src/a.cc");
  CHECK(paths.Find("/build/application/a.cc") == "/home/application/a.cc");
  CHECK(paths.Find("/builder/a.cc") == "/builder/a.cc");
  CHECK(paths.Find("./src/a.cc") == "/elsewhere/a.cc");
  CHECK(paths.Find("/build") == "/home");
}

TEST_CASE("a rule for the root fits every absolute name") {
  SourcePaths paths;
  REQUIRE(paths.Add({}, {"/=/image"}).ok());
  CHECK(paths.Find("/usr/src/a.cc") == "/image/usr/src/a.cc");
  CHECK(paths.Find("a.cc") == "a.cc");
}

TEST_CASE("a rule without both sides is refused") {
  const std::string rule = GENERATE("", "=", "/a", "/a=", "=/b");
  SourcePaths paths;
  const absl::Status status = paths.Add({}, {rule});
  CHECK(status.message() == "--source-map: \"" + rule + "\" is not FROM=TO");
  CHECK(paths.empty());
}

TEST_CASE("a file is found below a folder by as much of its name as there is") {
  const Sources sources;
  const std::string file = sources.Add("src/a.cc"), same_name = sources.Add("a.cc");
  SourcePaths paths;
  REQUIRE(paths.Add({sources.folder + "/"}, {}).ok());
  CHECK(paths.Find("/build/app/src/a.cc") == file);
  CHECK(paths.Find("src/a.cc") == file);
  CHECK(paths.Find("/build/other/a.cc") == same_name);
  CHECK(paths.Find("/build/app/src/b.cc") == "/build/app/src/b.cc");
  CHECK(paths.Find("/build/app/src") == "/build/app/src");  // a folder
}

TEST_CASE("a relative folder gives paths that hold in every folder") {
  const Sources sources;
  const std::string file = sources.Add("src/a.cc");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(sources.folder);
  SourcePaths paths;
  const bool is_added = paths.Add({"./src/"}, {}).ok();
  std::filesystem::current_path(before);
  REQUIRE(is_added);
  CHECK(paths.Find("/build/src/a.cc") == file);
}

TEST_CASE("the first folder that has as much of the name counts, and a file that is there is not searched for") {
  const Sources one, two;
  const std::string first = one.Add("a.cc"), second = two.Add("src/a.cc");
  SourcePaths paths;
  REQUIRE(paths.Add({one.folder}, {}).ok());
  REQUIRE(paths.Add({two.folder}, {}).ok());
  CHECK(paths.Find("/build/src/a.cc") == second);
  CHECK(paths.Find("/build/a.cc") == first);
  CHECK(paths.Find(second) == second);
  REQUIRE(paths.Add({}, {"/lost=" + one.folder}).ok());
  CHECK(paths.Find("/lost/a.cc") == first);
}

TEST_CASE("a name does not lead out of the folder") {
  const Sources sources;
  sources.Add("outside.cc");
  sources.Add("in/a.cc");
  SourcePaths paths;
  REQUIRE(paths.Add({sources.folder + "/in"}, {}).ok());
  for (const char* const name : {"../outside.cc", "/build/../../outside.cc", "/build/..", ".."}) {
    CHECK(paths.Find(name) == name);
  }
  CHECK(paths.Add({sources.folder + "/outside.cc"}, {}).message() ==
        "--source-dir: " + sources.folder + "/outside.cc is no folder");
}

}  // namespace
}  // namespace geckoprof
