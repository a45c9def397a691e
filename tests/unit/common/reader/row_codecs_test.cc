#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {
namespace {

bool IsSame(const SampleRow& a, const SampleRow& b) {
  return a.time_ns == b.time_ns && a.stack == b.stack && a.cpu_delta_ns == b.cpu_delta_ns &&
         a.idle_ticks == b.idle_ticks && a.apart_ns == b.apart_ns && a.ready_ns == b.ready_ns && a.state == b.state &&
         a.cause == b.cause && a.lock_address == b.lock_address && a.holder_tid == b.holder_tid;
}

bool IsSame(const MarkerField& a, const MarkerField& b) {
  return a.key == b.key && a.kind == b.kind && a.text == b.text && a.number == b.number && a.integer == b.integer;
}

bool IsSame(const MarkerRow& a, const MarkerRow& b) {
  if (a.fields.size() != b.fields.size()) return false;
  for (size_t i = 0; i < a.fields.size(); ++i) {
    if (!IsSame(a.fields[i], b.fields[i])) return false;
  }
  return a.name == b.name && a.phase == b.phase && a.start_ns == b.start_ns && a.end_ns == b.end_ns &&
         a.category == b.category && a.type == b.type && a.stack == b.stack && a.stack_tid == b.stack_tid &&
         a.stack_time_ns == b.stack_time_ns;
}

template <typename List, typename Row>
void CheckComesBack(const List& list, const std::vector<Row>& rows) {
  REQUIRE(list.size() == rows.size());
  size_t next = 0;
  for (const Row& row : list) {
    if (!IsSame(row, rows[next])) FAIL("row " << next);
    ++next;
  }
  CHECK(next == rows.size());
}

// Numbers of all sizes, the ends of their range among them.
class Numbers {
 public:
  int64_t Wide() {
    const auto bits = static_cast<int64_t>(random_() >> (random_() % 64));
    return random_() % 2 == 0 ? bits : static_cast<int64_t>(~static_cast<uint64_t>(bits));
  }
  int32_t Narrow() { return static_cast<int32_t>(Wide()); }

 private:
  std::mt19937_64 random_{20240229};
};

TEST_CASE("rows: samples with any numbers come back") {
  Numbers numbers;
  std::vector<SampleRow> rows = {{INT64_MIN, kNone, -1, 1, 0},
                                 {INT64_MAX, INT32_MAX, INT64_MAX, UINT32_MAX, INT64_MAX}};
  for (int i = 0; i < 20'000; ++i) {
    SampleRow row{numbers.Wide(), numbers.Narrow(), numbers.Wide()};
    if (i % 3 == 0) {
      row.idle_ticks = static_cast<uint32_t>(numbers.Narrow());
      row.apart_ns = numbers.Wide();
    }
    if (i % 5 == 0) row.state = static_cast<SampleState>(i % 3);
    if (i % 7 == 0) row.ready_ns = numbers.Wide();
    if (i % 11 == 0) {
      row.state = SampleState::kWaiting;
      row.cause = static_cast<WaitCause>(static_cast<size_t>(i) % kWaitCauseNames.size());
      if (row.cause == WaitCause::kLock) row.lock_address = static_cast<uint64_t>(numbers.Wide());
      if (row.cause == WaitCause::kLock) row.holder_tid = numbers.Narrow();
    }
    rows.push_back(row);
  }
  SampleList list;
  for (const SampleRow& row : rows) {
    list.push_back(row);
    if (!IsSame(list.back(), row)) FAIL("last");
  }
  CheckComesBack(list, rows);
  CHECK(IsSame(list.front(), rows.front()));
  CHECK(IsSame(list[777], rows[777]));
}

TEST_CASE("rows: markers with any numbers and every kind of field come back") {
  Numbers numbers;
  std::vector<MarkerRow> rows(1);
  for (int i = 0; i < 20'000; ++i) {
    MarkerRow row;
    row.name = numbers.Narrow();
    row.phase = static_cast<MarkerPhase>(i % 4);
    row.start_ns = numbers.Wide();
    row.end_ns = i % 3 == 0 ? row.start_ns : numbers.Wide();
    row.category = numbers.Narrow();
    if (i % 5 != 0) row.type = numbers.Narrow();
    if (i % 7 == 0) row.stack = numbers.Narrow();
    if (i % 11 == 0) row.stack_tid = numbers.Narrow();
    if (i % 13 == 0) row.stack_time_ns = numbers.Wide();
    for (int field = 0; field < i % 10; ++field) {
      MarkerField made;
      made.key = numbers.Narrow();
      made.kind = static_cast<MarkerFieldKind>(field);
      if (field > static_cast<int>(MarkerFieldKind::kTagged)) made.kind = MarkerFieldKind::kText;
      const bool is_text = made.kind == MarkerFieldKind::kText || made.kind == MarkerFieldKind::kTagged;
      if (is_text) made.text = numbers.Narrow();
      if (made.kind == MarkerFieldKind::kNumber) made.number = static_cast<double>(numbers.Wide()) / 3;
      if (!is_text && made.kind != MarkerFieldKind::kNumber && made.kind != MarkerFieldKind::kNull) {
        made.integer = numbers.Wide();
      }
      row.fields.push_back(made);
    }
    rows.push_back(row);
  }
  MarkerList list;
  for (const MarkerRow& row : rows) list.push_back(row);
  CheckComesBack(list, rows);
  const MarkerList copy = list;
  list.push_back(rows[5]);
  CHECK(list.size() == rows.size() + 1);
  CheckComesBack(copy, rows);
}

TEST_CASE("rows: a list without rows is empty, and has no first step") {
  const SampleList list;
  CHECK(list.empty());
  CHECK(list.begin() == list.end());
}

TEST_CASE("rows: a copy of a list goes on by itself") {
  SampleList list = {{5, 1, 2}, {6, 1, 2}};
  SampleList copy = list;
  copy.push_back({9, 7, 3});
  CHECK(list.size() == 2);
  CHECK(copy[2].time_ns == 9);
  CHECK(copy[2].stack == 7);
  CHECK(list.back().time_ns == 6);
}

}  // namespace
}  // namespace geckoprof
