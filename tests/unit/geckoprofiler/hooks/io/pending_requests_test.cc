#include "io/pending_requests.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "io/io_requests.h"

namespace geckoprof {
namespace {

TEST_CASE("a request is known until it is complete") {
  const auto pending = std::make_unique<PendingRequests>();
  CHECK(pending->Complete(5, false) == 0);
  pending->Add(5, 100);
  CHECK(pending->Complete(6, false) == 0);
  CHECK(pending->Complete(5, true) == 100);
  CHECK(pending->Complete(5, false) == 100);
  CHECK(pending->Complete(5, false) == 0);
}

TEST_CASE("the kind of requests with the same user data is known if it is the same") {
  const auto pending = std::make_unique<PendingRequests>();
  pending->Add(0, 100);
  pending->Add(0, 100);
  CHECK(pending->Complete(0, false) == 100);
  pending->Add(0, 200);
  CHECK(pending->Complete(0, false) == 0);
  CHECK(pending->Complete(0, false) == 0);
  pending->Add(0, 200);
  CHECK(pending->Complete(0, false) == 200);
}

TEST_CASE("pending requests are found again in any order") {
  const auto pending = std::make_unique<PendingRequests>();
  std::minstd_rand random(7);
  std::map<uint64_t, uint32_t> known;
  std::vector<uint64_t> order;
  for (int round = 0; round < 50'000; ++round) {
    if (order.size() < PendingRequests::kMostUsed && (order.empty() || random() % 100 < 55)) {
      const uint64_t user_data = uint64_t{random()} * 64;
      if (!known.emplace(user_data, 2 + random() % 1000).second) continue;
      pending->Add(user_data, known[user_data]);
      order.push_back(user_data);
      continue;
    }
    std::swap(order[random() % order.size()], order.back());
    REQUIRE(pending->Complete(order.back(), false) == known[order.back()]);
    known.erase(order.back());
    order.pop_back();
  }
  for (const uint64_t user_data : order) REQUIRE(pending->Complete(user_data, false) == known[user_data]);
}

TEST_CASE("requests without room are not known, and others stay") {
  const auto pending = std::make_unique<PendingRequests>();
  for (uint64_t i = 0; i < 2 * PendingRequests::kRows; ++i) pending->Add(i, 100);
  CHECK(pending->Complete(0, false) == 100);
  CHECK(pending->Complete(PendingRequests::kMostUsed, false) == 0);
  pending->Clear();
  CHECK(pending->Complete(1, false) == 0);
  pending->Add(1, 100);
  CHECK(pending->Complete(1, false) == 100);
}

// The completions of a ring of four.
struct MadeCompletions {
  MadeCompletions(const MadeCompletions&) = delete;
  MadeCompletions& operator=(const MadeCompletions&) = delete;
  MadeCompletions() {
    ring.completions.mask = &mask;
    ring.completions.size = &size;
    ring.completions.head = &seen;
    ring.completions.kernel_tail = &end;
    ring.completions.entries = reinterpret_cast<const io_uring_cqe*>(entries);
  }
  void Complete(uint64_t user_data, int32_t result, uint32_t flags = 0) {
    entries[end % 4] = {user_data, result, flags};
    ++end;
  }
  RingCompletion entries[4] = {};
  unsigned mask = 3, size = 4, seen = 0, end = 0;
  Ring ring = {};
};

std::vector<int32_t> Collect(RingTable::Locked& locked, const MadeCompletions& made) {
  std::vector<int32_t> results;
  locked.Collect(made.ring, [&](uint32_t, int32_t result, bool) { results.push_back(result); });
  return results;
}

TEST_CASE("the completions of a ring are collected once, also those that the program has seen") {
  const auto table = std::make_unique<RingTable>();
  MadeCompletions made;
  made.Complete(1, 10);
  made.seen = 1;  // before the ring was known
  RingTable::Locked locked(*table, made.ring, 2);
  REQUIRE(locked);
  CHECK(Collect(locked, made).empty());
  for (uint64_t i = 1; i <= 3; ++i) locked.Add(i, 100);
  made.Complete(2, 20);
  made.seen = 2;
  made.Complete(9, 90);
  CHECK(Collect(locked, made) == std::vector<int32_t>{20});
  made.Complete(1, 11, IORING_CQE_F_MORE);
  made.Complete(1, 12);
  CHECK(Collect(locked, made) == std::vector<int32_t>{11, 12});
  CHECK(Collect(locked, made).empty());
}

TEST_CASE("a ring that has moved too far, or back, starts anew") {
  const auto table = std::make_unique<RingTable>();
  MadeCompletions made;
  RingTable::Locked locked(*table, made.ring, 2);
  CHECK(Collect(locked, made).empty());
  locked.Add(1, 100);
  const unsigned end = GENERATE(5u, ~0u);
  made.end = end;
  CHECK(Collect(locked, made).empty());
  made.Complete(1, 10);  // of another request with the same user data
  CHECK(Collect(locked, made).empty());
  locked.Add(2, 100);
  made.Complete(2, 20);
  CHECK(Collect(locked, made) == std::vector<int32_t>{20});
}

TEST_CASE("a ring that another thread has is left alone, and a ring that ends frees its row") {
  const auto table = std::make_unique<RingTable>();
  std::vector<MadeCompletions> made(RingTable::kMostRings + 1);
  {
    RingTable::Locked first(*table, made[0].ring, 2);
    REQUIRE(first);
    CHECK_FALSE(RingTable::Locked(*table, made[0].ring, 2));
    CHECK(RingTable::Locked(*table, made[1].ring, 2));
  }
  const auto fresh = std::make_unique<RingTable>();
  for (size_t i = 0; i < RingTable::kMostRings; ++i) REQUIRE(RingTable::Locked(*fresh, made[i].ring, 2));
  CHECK_FALSE(RingTable::Locked(*fresh, made.back().ring, 2));
  RingTable::Locked(*fresh, made[3].ring, 2).Free();
  CHECK(RingTable::Locked(*fresh, made.back().ring, 2));
}

using Key = std::pair<uint32_t, int>;

std::map<Key, uint64_t> Drain(IoRequests& requests) {
  std::map<Key, uint64_t> sums;
  requests.Drain([&](uint32_t row, uint8_t opcode, const IoRequests::Sum& sum) {
    sums[{row, opcode}] += sum.requests * 1'000'000 + sum.completed * 1'000 + sum.bytes;
  });
  return sums;
}

TEST_CASE("requests add up by row and opcode, until they are drained") {
  const auto requests = std::make_unique<IoRequests>();
  CHECK(Drain(*requests).empty());
  requests->Add(9, IoClass::kFile, IORING_OP_READ, {1, 0, 0});
  requests->Add(9, IoClass::kFile, IORING_OP_READ, {1, 1, 30});
  requests->Add(9, IoClass::kFile, IORING_OP_WRITE, {1, 0, 0});
  requests->Add(IoTotals::RestOf(IoClass::kSocket), IoClass::kSocket, IORING_OP_SEND, {1, 0, 0});
  const std::map<Key, uint64_t> expected = {
      {{9, IORING_OP_READ}, 2'001'030}, {{9, IORING_OP_WRITE}, 1'000'000}, {{2, IORING_OP_SEND}, 1'000'000}};
  CHECK(Drain(*requests) == expected);
  CHECK(Drain(*requests).empty());
  requests->Add(9, IoClass::kFile, IORING_OP_WRITE, {0, 1, 5});
  CHECK(Drain(*requests) == std::map<Key, uint64_t>{{{9, IORING_OP_WRITE}, 1'005}});
}

TEST_CASE("requests beyond the table's room count for the rest of their class") {
  const auto requests = std::make_unique<IoRequests>();
  for (uint32_t row = 10; row < 4000; ++row) requests->Add(row, IoClass::kFile, IORING_OP_READ, {1, 0, 0});
  const std::map<Key, uint64_t> sums = Drain(*requests);
  uint64_t sum = 0;
  for (const auto& [key, requests_of_key] : sums) sum += requests_of_key;
  CHECK(sum == 3990 * uint64_t{1'000'000});
  CHECK(sums.at({IoTotals::RestOf(IoClass::kFile), IORING_OP_READ}) > 1'000'000);
}

}  // namespace
}  // namespace geckoprof
