#include "tools/support/output_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

namespace geckoprof {
namespace {

struct Folder {
  Folder() { REQUIRE(mkdtemp(path) != nullptr); }
  ~Folder() {
    unlink(File("a").c_str());
    rmdir(path);
  }
  std::string File(const std::string& name) const { return std::string(path) + "/" + name; }
  int Files() const {
    int count = -2;  // . and ..
    DIR* folder = opendir(path);
    while (readdir(folder) != nullptr) ++count;
    closedir(folder);
    return count;
  }
  char path[32] = "/tmp/output_file_test.XXXXXX";
};

TEST_CASE("the file appears when committed, and not before") {
  Folder folder;
  {
    auto file = OutputFile::Create(folder.File("a"));
    REQUIRE(file.ok());
    REQUIRE(file->Write("hello").ok());
    CHECK(access(folder.File("a").c_str(), F_OK) != 0);
    REQUIRE(file->Commit().ok());
  }
  std::string text;
  std::ifstream(folder.File("a")) >> text;
  CHECK(text == "hello");
  CHECK(folder.Files() == 1);
}

TEST_CASE("without commit nothing stays, and an older file is kept") {
  Folder folder;
  std::ofstream(folder.File("a")) << "old";
  {
    auto file = OutputFile::Create(folder.File("a"));
    REQUIRE(file.ok());
    REQUIRE(file->Write("new").ok());
  }
  std::string text;
  std::ifstream(folder.File("a")) >> text;
  CHECK(text == "old");
  CHECK(folder.Files() == 1);
}

TEST_CASE("places that cannot be written are found out early") {
  Folder folder;
  CHECK(OutputFile::CheckWritable(folder.File("a")).ok());
  CHECK(folder.Files() == 0);
  CHECK_FALSE(OutputFile::CheckWritable(folder.File("none/a")).ok());
  CHECK_FALSE(OutputFile::CheckWritable(folder.path).ok());
  CHECK_FALSE(OutputFile::CheckWritable("").ok());
  CHECK_FALSE(OutputFile::CheckWritable("/proc/x").ok());
  CHECK(OutputFile::CheckWritable("/dev/null").ok());
}

TEST_CASE("a full device is reported") {
  auto file = OutputFile::Create("/dev/full");
  REQUIRE(file.ok());
  CHECK_FALSE(file->Write("x").ok());
}

}  // namespace
}  // namespace geckoprof
