#include "geckoprof/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("opening what is not there keeps the error") {
  const Fd fd = Fd::Open("/no/such/file", O_RDONLY);
  CHECK_FALSE(fd.ok());
  CHECK(fd.error() == ENOENT);
}

TEST_CASE("a descriptor is closed by its owner, once, and is not inherited by exec") {
  int number = -1;
  {
    Fd fd = Fd::Open("/proc/self/maps", O_RDONLY);
    REQUIRE(fd.ok());
    number = fd.number();
    CHECK((fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
    const Fd moved = std::move(fd);
    CHECK(moved.number() == number);
  }
  CHECK(fcntl(number, F_GETFD) == -1);
}

TEST_CASE("a forgotten descriptor stays open") {
  int number = -1;
  {
    Fd fd = Fd::Open("/dev/null", O_RDONLY);
    number = fd.number();
    fd.Forget();
  }
  CHECK(fcntl(number, F_GETFD) != -1);
  close(number);
}

TEST_CASE("every descriptor from one on is closed, and none below it") {
  CHECK(HoldsInChild([] {
    const int low = dup(0), high = fcntl(0, F_DUPFD, 200);
    CloseDescriptorsFrom(low + 1);
    return fcntl(low, F_GETFD) != -1 && fcntl(high, F_GETFD) == -1;
  }));
}

TEST_CASE("files of unknown size are read whole") {
  std::string text;
  CHECK(ReadWholeFile("/proc/self/maps", text) == 0);
  CHECK(text.find("[stack]") != std::string::npos);
  CHECK(text.back() == '\n');
}

TEST_CASE("a directory cannot be read as a file") {
  std::string text = "before";
  CHECK(ReadWholeFile("/", text) == -EISDIR);
  CHECK(text.empty());
}

TEST_CASE("reading past the end gives what there is") {
  const Fd fd = Fd::Open("/proc/self/comm", O_RDONLY);
  std::array<uint8_t, 64> bytes{};
  CHECK(fd.ReadAt(0, bytes) > 1);
  CHECK(fd.ReadAt(1000, bytes) == 0);
}

}  // namespace
}  // namespace geckoprof
