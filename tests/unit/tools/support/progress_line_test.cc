#include "tools/support/progress_line.h"

#include <unistd.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("nothing is written to what is no terminal") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  {
    ProgressLine line(ends[1]);
    line.Show("working", 0.5);
    line.Clear();
  }
  close(ends[1]);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

}  // namespace
}  // namespace geckoprof
