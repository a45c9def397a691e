#include "plausible_threads.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

ThreadRow Thread(int32_t tid, int64_t begin_ns, int64_t end_ns = 0, bool is_main = false) {
  ThreadRow thread;
  thread.tid = tid;
  thread.name = "t" + std::to_string(tid);
  thread.registered_ns = begin_ns;
  thread.unregistered_ns = end_ns;
  thread.is_main = is_main;
  return thread;
}

ProcessProfile Process(std::vector<ThreadRow> threads) {
  ProcessProfile process;
  process.pid = 7;
  process.executable = "/bin/prog";
  process.start_ns = 100;
  process.end_ns = 1000;
  process.threads = std::move(threads);
  MakeThreadsPlausible(process);
  return process;
}

std::vector<int32_t> Tids(const ProcessProfile& process) {
  std::vector<int32_t> tids;
  for (size_t i = 0; i < process.threads.size(); ++i) {
    CHECK(process.threads[i].is_main == (i == 0));
    tids.push_back(process.threads[i].tid);
  }
  return tids;
}

TEST_CASE("one thread is the main one, and the first") {
  CHECK(Tids(Process({Thread(9, 120), Thread(8, 110), Thread(7, 130, 0, true)})) == std::vector<int32_t>{7, 8, 9});
  CHECK(Tids(Process({Thread(9, 120), Thread(7, 130)})) == std::vector<int32_t>{7, 9});
  CHECK(Tids(Process({Thread(9, 120, 0, true), Thread(7, 130, 0, true)})) == std::vector<int32_t>{7, 9});
  CHECK(Tids(Process({Thread(9, 120, 0, true), Thread(8, 110, 0, true)})) == std::vector<int32_t>{9, 8});
  const ProcessProfile without = Process({Thread(9, 120)});
  CHECK(Tids(without) == std::vector<int32_t>{7, 9});
  CHECK(without.threads[0].name == "prog");
  CHECK(without.threads[0].registered_ns == 100);
  CHECK(Process({}).threads.empty());
}

TEST_CASE("the main thread began with the process, if that is recorded from its exec on") {
  CHECK(Process({Thread(7, 150, 0, true), Thread(8, 160)}).threads[0].registered_ns == 100);
  ProcessProfile later = Process({});
  later.recording_ns = 140;
  later.threads = {Thread(7, 150, 0, true)};
  MakeThreadsPlausible(later);
  CHECK(later.threads[0].registered_ns == 150);
}

TEST_CASE("no thread ends before it begins") {
  ThreadRow sampled = Thread(9, 900, 50);
  sampled.samples = {{200, 0, -1, 1}, {300, 0, -1, 1}};
  const ProcessProfile process = Process(
      {Thread(7, 100, 0, true), sampled, Thread(10, 500, 400), Thread(11, INT64_MAX / 2, 600), Thread(12, 700, 800)});
  for (const ThreadRow& thread : process.threads) {
    CHECK((thread.unregistered_ns == 0 || thread.unregistered_ns >= thread.registered_ns));
    if (thread.tid == 9) CHECK((thread.registered_ns == 200 && thread.unregistered_ns == 300));
    if (thread.tid == 10) CHECK((thread.registered_ns == 500 && thread.unregistered_ns == 500));
    if (thread.tid == 11) CHECK((thread.registered_ns == 600 && thread.unregistered_ns == 600));
    if (thread.tid == 12) CHECK((thread.registered_ns == 700 && thread.unregistered_ns == 800));
  }
}

TEST_CASE("of the threads of one id each ends before the next begins") {
  for (const int64_t first_ns : {int64_t{0}, int64_t{200}}) {
    const ProcessProfile process = Process(
        {Thread(7, 100, 0, true), Thread(9, first_ns), Thread(9, first_ns, 250), Thread(9, 400, 900), Thread(9, 600)});
    int64_t free_ns = 0;
    for (const ThreadRow& thread : process.threads) {
      if (thread.tid != 9) continue;
      CHECK(thread.registered_ns >= free_ns);
      free_ns = thread.unregistered_ns != 0 ? thread.unregistered_ns : INT64_MAX;
      CHECK(free_ns >= thread.registered_ns);
    }
  }
}

TEST_CASE("threads that the filters exclude are left out, but for those with something to show") {
  ProcessProfile process;
  process.pid = 7;
  process.filters = {"Work"};
  ThreadRow sampled = Thread(8, 10), marked = Thread(9, 10), wanted = Thread(11, 10);
  sampled.samples.push_back({});
  marked.markers.push_back({});
  wanted.name = "a worker";
  process.threads = {Thread(7, 5, 0, true), sampled, marked, Thread(10, 10), wanted};
  ProcessProfile by_pid = process;
  MakeThreadsPlausible(process);
  CHECK(Tids(process) == std::vector<int32_t>{7, 8, 9, 11});
  by_pid.filters = {"pid:7"};
  MakeThreadsPlausible(by_pid);
  CHECK(by_pid.threads.size() == 5);
}

TEST_CASE("pauses are in order and none ends before it begins") {
  ProcessProfile process;
  process.paused = {{300, 200, "c"}, {100, 0, "a"}, {200, 250, "b"}};
  MakePausesPlausible(process);
  CHECK(process.paused[0].end_ns == 0);
  CHECK(process.paused[1].reason == "b");
  CHECK(process.paused[2].end_ns == 300);
}

TEST_CASE("threads and pauses of one time stay in the order in which they were") {
  std::vector<ThreadRow> threads = {Thread(7, 5, 0, true)};
  std::vector<int32_t> tids = {7};
  ProcessProfile process;
  std::string reasons, ordered;
  for (int32_t i = 0; i < 100; ++i) {
    threads.push_back(Thread(199 - i, 50));
    tids.push_back(199 - i);
    process.paused.push_back({20, 30, std::to_string(i)});
    reasons += std::to_string(i);
  }
  CHECK(Tids(Process(std::move(threads))) == tids);
  MakePausesPlausible(process);
  for (const PausedRange& range : process.paused) ordered += range.reason;
  CHECK(ordered == reasons);
}

}  // namespace
}  // namespace geckoprof
