#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "marker_reader.h"

namespace geckoprof {
namespace {

std::vector<ThreadRow> Threads(std::initializer_list<std::pair<int32_t, int64_t>> tid_and_end) {
  std::vector<ThreadRow> threads;
  for (const auto& [tid, ended_ns] : tid_and_end) {
    ThreadRow thread;
    thread.tid = tid;
    thread.unregistered_ns = ended_ns;
    threads.push_back(thread);
  }
  return threads;
}

TEST_CASE("a tid is the thread that had it at the time") {
  const ThreadsByTid threads(Threads({{10, 100}, {11, 0}, {10, 200}, {10, 300}}));
  CHECK(threads.At(10, 50) == 0);
  CHECK(threads.At(10, 100) == 0);
  CHECK(threads.At(10, 101) == 2);
  CHECK(threads.At(10, 201) == 3);
  CHECK(threads.At(10, 1'000) == 3);  // after the end of the last
  CHECK(threads.At(11, INT64_MAX) == 1);
  CHECK(threads.At(9, 0) == kNone);
  CHECK(threads.At(12, 0) == kNone);
  CHECK(ThreadsByTid({}).At(0, 0) == kNone);
}

TEST_CASE("a thread that lives on takes all later times of its tid") {
  const ThreadsByTid threads(Threads({{10, 100}, {10, 0}, {10, 500}, {10, 50}}));
  CHECK(threads.At(10, 400) == 1);
  CHECK(threads.At(10, 600) == 1);
}

TEST_CASE("the same answers as looking at each thread in turn") {
  std::mt19937 random(7);
  std::vector<ThreadRow> rows(300);
  for (ThreadRow& row : rows) {
    row.tid = static_cast<int32_t>(random() % 40) - 20;
    row.unregistered_ns = random() % 8 == 0 ? 0 : static_cast<int64_t>(random() % 1000);
  }
  const ThreadsByTid threads(rows);
  for (int i = 0; i < 3000; ++i) {
    const int32_t tid = static_cast<int32_t>(random() % 44) - 22;
    const int64_t time_ns = static_cast<int64_t>(random() % 1100);
    int32_t expected = kNone;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (rows[k].tid != tid) continue;
      expected = static_cast<int32_t>(k);
      if (rows[k].unregistered_ns == 0 || time_ns <= rows[k].unregistered_ns) break;
    }
    REQUIRE(threads.At(tid, time_ns) == expected);
  }
}

}  // namespace
}  // namespace geckoprof
