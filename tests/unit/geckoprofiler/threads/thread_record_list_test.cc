#include "threads/thread_record_list.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

RegisteredThread* MakeRecord(int32_t tid) {
  RegisteredThread::Facts facts;
  facts.tid = ThreadId::FromNumber(tid);
  return RegisteredThread::Make("listed", facts, 1, false);
}

// Tells whether a record that a test watches has been freed.
std::atomic<const void*> g_watched{nullptr};
std::atomic<bool> g_is_freed{false};

}  // namespace
}  // namespace geckoprof

void operator delete(void* memory) noexcept {
  if (memory != nullptr && memory == geckoprof::g_watched) geckoprof::g_is_freed = true;
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
void* operator new(size_t bytes) {
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }

namespace geckoprof {
namespace {

std::vector<int32_t> Walk(ThreadRecordList& list) {
  std::vector<int32_t> tids;
  list.Enter();
  for (ThreadRecordList::Position position = list.First(); position.record != nullptr; position = list.Next(position)) {
    tids.push_back(position.record->facts().tid.ToNumber());
  }
  list.Exit();
  return tids;
}

TEST_CASE("record list: the latest first, before and after tidying") {
  ThreadRecordList list;
  CHECK(Walk(list).empty());
  std::vector<RegisteredThread*> records;
  for (int32_t tid = 0; tid < 6; ++tid) records.push_back(MakeRecord(tid));
  for (int i = 0; i < 4; ++i) list.Add(records[i]);
  CHECK(Walk(list) == std::vector<int32_t>{3, 2, 1, 0});
  list.Remove(records[1]);  // between others
  CHECK(Walk(list) == std::vector<int32_t>{3, 2, 0});
  list.Add(records[4]);
  list.Add(records[5]);
  CHECK(Walk(list) == std::vector<int32_t>{5, 4, 3, 2, 0});
  list.Remove(records[5]);  // at the head, just arrived
  list.Remove(records[0]);  // at the end
  CHECK(Walk(list) == std::vector<int32_t>{4, 3, 2});
  for (const int i : {2, 4, 3}) list.Remove(records[i]);
  CHECK(Walk(list).empty());
}

TEST_CASE("record list: nothing is freed under a reader, nobody waits for one") {
  ThreadRecordList list;
  RegisteredThread* const first = MakeRecord(1);
  g_watched = first;
  RegisteredThread* const second = MakeRecord(2);
  list.Add(first);
  list.Enter();
  list.Enter();  // they nest
  std::thread([&] {
    list.Add(second);
    list.Remove(first);
  }).join();
  CHECK(first->facts().tid.ToNumber() == 1);
  list.Exit();
  CHECK_FALSE(g_is_freed);
  list.Exit();
  CHECK(g_is_freed);  // the last reader has tidied
  CHECK(Walk(list) == std::vector<int32_t>{2});
  list.Remove(second);
}

TEST_CASE("record list: a forked child keeps its own record only") {
  ThreadRecordList list;
  RegisteredThread* const mine = MakeRecord(1);
  const std::unique_ptr<RegisteredThread> other(MakeRecord(2));
  list.Add(other.get());
  list.Add(mine);
  list.Enter();
  list.ResetInForkedChild(mine, 0);  // the reader was another thread
  CHECK(Walk(list) == std::vector<int32_t>{1});
  list.Remove(mine);
  CHECK(Walk(list).empty());
  list.ResetInForkedChild(nullptr, 0);
  CHECK(Walk(list).empty());
}

TEST_CASE("record list: threads that come, go and look at the same time") {
  ThreadRecordList list;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 3000; ++n) {
        RegisteredThread* const record = MakeRecord(t);
        list.Add(record);
        list.Remove(record);
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
}

}  // namespace
}  // namespace geckoprof
