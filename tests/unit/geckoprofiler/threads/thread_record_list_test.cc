#include "thread_record_list.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

// What is in it is destroyed with the record.
ThreadRegistrationRecord* MakeRecord(int32_t tid, const std::shared_ptr<int>& content = nullptr) {
  auto* const record = new ThreadRegistrationRecord(
      ThreadRegistrationInfo("listed", ThreadId::FromNumber(tid), false, 0), nullptr, 1, false);
  record->SetRecordingData(content);
  return record;
}

std::vector<int32_t> Walk(ThreadRecordList& list) {
  std::vector<int32_t> tids;
  list.Enter();
  for (ThreadRecordList::Place place = list.First(); place.record != nullptr; place = list.Next(place)) {
    tids.push_back(place.record->Info().ThreadId().ToNumber());
  }
  list.Exit();
  return tids;
}

TEST_CASE("record list: the latest first, before and after tidying") {
  ThreadRecordList list;
  CHECK(Walk(list).empty());
  std::vector<ThreadRegistrationRecord*> records;
  for (int32_t tid = 0; tid < 6; ++tid) records.push_back(MakeRecord(tid));
  for (int i = 0; i < 4; ++i) list.Add(records[i]);
  CHECK(Walk(list) == std::vector<int32_t>{3, 2, 1, 0});
  list.Leave(records[1]);  // between others
  CHECK(Walk(list) == std::vector<int32_t>{3, 2, 0});
  list.Add(records[4]);
  list.Add(records[5]);
  CHECK(Walk(list) == std::vector<int32_t>{5, 4, 3, 2, 0});
  list.Leave(records[5]);  // at the head, just arrived
  list.Leave(records[0]);  // at the end
  CHECK(Walk(list) == std::vector<int32_t>{4, 3, 2});
  for (const int i : {2, 4, 3}) list.Leave(records[i]);
  CHECK(Walk(list).empty());
}

TEST_CASE("record list: nothing is freed under a reader, nobody waits for one") {
  ThreadRecordList list;
  const auto content = std::make_shared<int>();
  ThreadRegistrationRecord* const first = MakeRecord(1, content);
  ThreadRegistrationRecord* const second = MakeRecord(2);
  list.Add(first);
  list.Enter();
  list.Enter();  // they nest
  std::thread([&] {
    list.Add(second);
    list.Leave(first);
  }).join();
  CHECK(first->Info().ThreadId().ToNumber() == 1);
  list.Exit();
  CHECK(content.use_count() == 2);
  list.Exit();
  CHECK(content.use_count() == 1);  // the last reader has tidied
  CHECK(Walk(list) == std::vector<int32_t>{2});
  list.Leave(second);
}

TEST_CASE("record list: a forked child keeps its own record only") {
  ThreadRecordList list;
  ThreadRegistrationRecord* const mine = MakeRecord(1);
  const std::unique_ptr<ThreadRegistrationRecord> other(MakeRecord(2));
  list.Add(other.get());
  list.Add(mine);
  list.Enter();
  list.ResetInForkedChild(mine, 0);  // the reader was another thread
  CHECK(Walk(list) == std::vector<int32_t>{1});
  list.Leave(mine);
  CHECK(Walk(list).empty());
  list.ResetInForkedChild(nullptr, 0);
  CHECK(Walk(list).empty());
}

TEST_CASE("record list: threads that come, go and look at the same time") {
  ThreadRecordList list;
  const auto content = std::make_shared<int>();
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 3000; ++n) {
        ThreadRegistrationRecord* const record = MakeRecord(t, content);
        list.Add(record);
        list.Leave(record);
      }
    });
  }
  std::thread reader([&] {
    while (!stop) {
      for (const int32_t tid : Walk(list)) wrong += tid < 1 || tid > 4;
    }
  });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  reader.join();
  CHECK(wrong == 0);
  CHECK(Walk(list).empty());
  CHECK(content.use_count() == 1);
}

}  // namespace
}  // namespace geckoprof
