#include "handover/library_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// The exit status of a child that returns what `body` says.
template <typename Body>
int InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_CASE("a child is another process, until it is adopted") {
  CHECK(InChild([] {
          LibraryProcess::Adopt();
          if (!LibraryProcess::IsThis()) return 1;
          if (InChild([] { return LibraryProcess::IsThis() ? 1 : 0; }) != 0) return 2;
          return InChild([] {
            LibraryProcess::Adopt();
            return LibraryProcess::IsThis() ? 0 : 3;
          });
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
