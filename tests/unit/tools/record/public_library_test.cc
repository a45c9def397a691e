#include "tools/record/public_library.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/record/started_sleep.h"

namespace geckoprof {
namespace {

TEST_CASE("readable by all means the file and every folder above it") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("library", "x", 0644);
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  CHECK(PublicLibrary::IsReadableByAll(file));
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  CHECK_FALSE(PublicLibrary::IsReadableByAll(file));
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  REQUIRE(chmod(folder.path().c_str(), 0754) == 0);
  CHECK_FALSE(PublicLibrary::IsReadableByAll(file));
  CHECK_FALSE(PublicLibrary::IsReadableByAll(folder.path() + "/none"));
}

TEST_CASE("a library that not all may read is copied for root, and the copy goes with the object") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("libbaseprofiler.so", "contents", 0600);
  std::string path;
  {
    const PublicLibrary library(file);
    path = library.path();
    CHECK((path == file) == (geteuid() != 0));
    if (path != file) CHECK(PublicLibrary::IsReadableByAll(path));
    CHECK(std::filesystem::file_size(path) == 8);
  }
  CHECK(std::filesystem::exists(path) == (path == file));
  CHECK((path == file || !std::filesystem::exists(std::filesystem::path(path).parent_path())));
}

TEST_CASE("a copy's folder is known by its name") {
  CHECK(PublicLibrary::IsFolderName("geckoprof-lib-a1B2c3"));
  for (const char* name : {"", "geckoprof-lib-", "geckoprof-lib-a1B2c", "geckoprof-lib-a1B2c34", "geckoprof-lib-a1B2c.",
                           "geckoprof-a1B2c3", "xgeckoprof-lib-a1B2c3"}) {
    INFO(name);
    CHECK_FALSE(PublicLibrary::IsFolderName(name));
  }
}

TEST_CASE("a copy is used by who has it in the environment, or mapped") {
  const int64_t now_s = time(nullptr);
  const pid_t pid = StartSleep("LD_PRELOAD=/nowhere/geckoprof-lib-en0000/libbaseprofiler.so");
  CHECK(PublicLibrary::IsUsed("geckoprof-lib-en0000", now_s));
  EndSleep(pid);
  CHECK_FALSE(PublicLibrary::IsUsed("geckoprof-lib-en0000", now_s));

  const TemporaryFolder folder;
  REQUIRE(mkdir((folder.path() + "/geckoprof-lib-ma0000").c_str(), 0700) == 0);
  const std::string file = folder.Write("geckoprof-lib-ma0000/libbaseprofiler.so", "contents", 0600);
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  REQUIRE(mapped != MAP_FAILED);
  close(fd);
  CHECK(PublicLibrary::IsUsed("geckoprof-lib-ma0000", now_s));
  munmap(mapped, 4096);
  CHECK_FALSE(PublicLibrary::IsUsed("geckoprof-lib-ma0000", now_s));
}

TEST_CASE("a copy that a process preloads stays as long as that lives") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("libbaseprofiler.so", "contents", 0600);
  pid_t user = 0;
  std::string path;
  {
    PublicLibrary library(file);
    path = library.path();
    CHECK(library.original() == file);
    user = StartSleep(("LD_PRELOAD=" + path).c_str());
    CHECK(library.Remove() == (path == file));
  }
  CHECK(std::filesystem::exists(path));
  EndSleep(user);
  if (path != file) std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

}  // namespace
}  // namespace geckoprof
