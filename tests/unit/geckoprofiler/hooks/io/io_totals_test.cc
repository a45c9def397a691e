#include "io/io_totals.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("a class and a path have one row") {
  const auto totals = std::make_unique<IoTotals>();
  const uint32_t row = totals->FindOrAdd(IoClass::kFile, "/a");
  CHECK(row > kIoClasses);
  CHECK(totals->FindOrAdd(IoClass::kFile, "/a") == row);
  CHECK(totals->FindOrAdd(IoClass::kPath, "/a") != row);
  CHECK(totals->ClassOf(row) == IoClass::kFile);
  CHECK(totals->PathOf(row) == "/a");
  CHECK(totals->FindOrAdd(IoClass::kPipe, "") == IoTotals::RestOf(IoClass::kPipe));
  CHECK(totals->ClassOf(IoTotals::RestOf(IoClass::kPipe)) == IoClass::kPipe);
}

TEST_CASE("figures are drained once") {
  const auto totals = std::make_unique<IoTotals>();
  const uint32_t row = totals->FindOrAdd(IoClass::kFile, "/a");
  totals->Add(row, {2, 10, 0, 100}, 1000);
  totals->Add(row, {1, 0, 5, 50}, 2000);
  IoFigures figures;
  uint64_t since = 0;
  REQUIRE(totals->Drain(row, figures, since));
  CHECK((figures.calls == 3 && figures.read_bytes == 10 && figures.written_bytes == 5 && figures.ns == 150));
  CHECK(since == 1000);
  CHECK_FALSE(totals->Drain(row, figures, since));
}

TEST_CASE("a long path keeps its end, and two of them have two rows") {
  const auto totals = std::make_unique<IoTotals>();
  const std::string end(4000, 'x');
  const uint32_t row = totals->FindOrAdd(IoClass::kFile, "a" + end);
  CHECK(totals->FindOrAdd(IoClass::kFile, "a" + end) == row);
  CHECK(totals->FindOrAdd(IoClass::kFile, "b" + end) != row);
  CHECK(totals->PathOf(row) == "..." + end.substr(0, IoTotals::kMostPathBytes - 3));
}

TEST_CASE("further paths of a class count in its rest, and other classes have room") {
  const auto totals = std::make_unique<IoTotals>();
  for (uint32_t i = 0; i < IoTotals::kMostRowsOfClass; ++i) {
    REQUIRE(totals->FindOrAdd(IoClass::kPath, std::to_string(i)) > kIoClasses);
  }
  CHECK(totals->FindOrAdd(IoClass::kPath, "one more") == IoTotals::RestOf(IoClass::kPath));
  CHECK(totals->FindOrAdd(IoClass::kPath, "7") > kIoClasses);
  CHECK(totals->FindOrAdd(IoClass::kFile, "one more") > kIoClasses);
  for (int i = 0; i < 10000; ++i) totals->FindOrAdd(static_cast<IoClass>(i % 6), "more" + std::to_string(i));
  CHECK(totals->RowsEnd() <= IoTotals::kRows);
}

TEST_CASE("threads that add at a time lose nothing") {
  const auto totals = std::make_unique<IoTotals>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&totals] {
      for (int call = 0; call < 20000; ++call) {
        totals->Add(totals->FindOrAdd(IoClass::kFile, std::to_string(call % 50)), {1, 1, 2, 3}, 1);
      }
    });
  }
  IoFigures sum;
  const auto drain = [&] {
    for (uint32_t row = 1; row < totals->RowsEnd(); ++row) {
      IoFigures figures;
      uint64_t since = 0;
      if (!totals->Drain(row, figures, since)) continue;
      sum.calls += figures.calls;
      sum.read_bytes += figures.read_bytes;
      sum.written_bytes += figures.written_bytes;
    }
  };
  for (int i = 0; i < 20; ++i) drain();
  for (std::thread& thread : threads) thread.join();
  // Bytes are added before their call, so the row that has bytes left has a call, or had one that was drained first.
  for (uint32_t row = 1; row < totals->RowsEnd(); ++row) totals->Add(row, {1, 0, 0, 0}, 1), ++sum.ns;
  drain();
  CHECK(sum.calls - sum.ns == 80000);
  CHECK(sum.read_bytes == 80000);
  CHECK(sum.written_bytes == 160000);
}

}  // namespace
}  // namespace geckoprof
