#include "tools/support/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("a regular file is opened to be read") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a", "text", 0600), link = folder.path() + "/link";
  std::filesystem::create_symlink(path, link);
  for (const std::string& name : {path, link}) {
    const Fd file = OpenRegularFile(name);
    REQUIRE(file.ok());
    char bytes[5] = {};
    CHECK(read(file.number(), bytes, sizeof(bytes)) == 4);
    CHECK(fcntl(file.number(), F_GETFD) == FD_CLOEXEC);
    CHECK((fcntl(file.number(), F_GETFL) & O_ACCMODE) == O_RDONLY);
  }
  CHECK_FALSE(OpenRegularFile(link, O_NOFOLLOW).ok());
  CHECK(OpenRegularFile(folder.path() + "/none").error() == ENOENT);
}

TEST_CASE("what is no regular file is not opened, nor a file of the kernel") {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& name : {fifo, folder.path(), std::string("/dev/null"), std::string("/proc/self/mem"),
                                  std::string("/proc/self/maps"), std::string("/sys/kernel/uevent_seqnum")}) {
    INFO(name);
    if (access(name.c_str(), F_OK) == 0) CHECK(OpenRegularFile(name).error() == EINVAL);
  }
  // A FIFO whose reading end was opened would have a reader.
  CHECK((open(fifo.c_str(), O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO));
}

TEST_CASE("a file without the right to read it gives the error of open") {
  if (geteuid() == 0) return;  // root may read all
  const TemporaryFolder folder;
  CHECK(OpenRegularFile(folder.Write("a", "text", 0)).error() == EACCES);
}

}  // namespace
}  // namespace geckoprof
