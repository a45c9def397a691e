#include "tools/report/allocation_sums.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("allocations and frees are counted apart, and rows without a weight are neither") {
  ProfileThread thread;
  thread.samples = {{1, 100, -1, kNoRow}, {2, 0, -1, kNoRow}, {3, 28, -1, kNoRow}, {4, 0, -1, kNoRow}};
  thread.frees = {{2, 40, -1, kNoRow}};
  AllocationSums sums;
  sums.Add(thread);  // samples
  CHECK(sums.empty());
  thread.weight_unit = ProfileWeightUnit::kBytes;
  sums.Add(thread);
  CHECK(sums.count == 2);
  CHECK(sums.bytes == 128);
  CHECK(sums.frees == 1);
  CHECK(sums.freed_bytes == 40);
  CHECK(sums.Text() == "128 bytes in 2 allocations, 40 bytes in 1 free");
  CHECK(RowsWithoutWeight(thread) == 1);
}

TEST_CASE("a row that only says when the first one's CPU time begins is not left out of anything") {
  ProfileThread thread;
  thread.samples = {{0, 0, 0, kNoRow}, {1, 1, 1'000'000, 0}, {2, 0, 0, 0}, {3, 0, 5, kNoRow}};
  CHECK(RowsWithoutWeight(thread) == 2);
  thread.has_states = true;  // the last one is a gap
  CHECK(RowsWithoutWeight(thread) == 1);
}

}  // namespace
}  // namespace geckoprof
