#include "geckoprof/config/thread_filter.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

namespace geckoprof {
namespace {

constexpr ProcessId kOwnPid = ProcessId::FromNumber(123);

ThreadFilter MakeFilter(std::initializer_list<std::string_view> items) {
  ThreadFilter filter;
  for (const std::string_view item : items) REQUIRE(filter.Add(item) == FilterAddResult::kAdded);
  return filter;
}

struct MatchCase {
  std::initializer_list<std::string_view> items;
  std::string_view thread;
  bool expected;
};

TEST_CASE("threads are selected by name") {
  const MatchCase cases[] = {{{}, "anything", true},
                             {{"*"}, "anything", true},
                             {{""}, "anything", true},
                             {{"*"}, "", true},
                             {{"worker"}, "DOM Worker 3", true},
                             {{"WORKER"}, "worker", true},
                             {{"worker"}, "work", false},
                             {{"worker"}, "", false},
                             {{"a", "b"}, "xby", true},
                             {{"a", "b"}, "xyz", false},
                             {{"**"}, "anything", false},
                             {{"wor*"}, "worker", false},
                             {{"@"}, "`", false},
                             {{"pid:123"}, "anything", true},
                             {{"pid:124"}, "anything", false},
                             {{"pid:0123"}, "anything", false},
                             {{"pid:"}, "anything", false},
                             {{"pid:123x"}, "anything", false},
                             {{"pid:12399999999999999999999"}, "anything", false},
                             {{"PID:123"}, "anything", false},
                             {{"pid:124", "thing"}, "anything", true}};
  for (const MatchCase& c : cases) {
    INFO(c.thread << " against " << (c.items.size() != 0 ? *c.items.begin() : "(nothing)"));
    CHECK(MakeFilter(c.items).Matches(c.thread, kOwnPid) == c.expected);
  }
}

TEST_CASE("the main thread is selected by each of its names") {
  const ProcessId pid = ProcessId::FromNumber(getpid());
  char before[16];
  REQUIRE(prctl(PR_GET_NAME, before) == 0);
  REQUIRE(prctl(PR_SET_NAME, "demo") == 0);
  CHECK(MakeFilter({}).MatchesMain("", pid));
  for (const char* item : {"Boss", "demo", "gecko", "GeckoMain", "*"}) {
    INFO(item);
    CHECK(MakeFilter({item}).MatchesMain("Boss", pid));
  }
  CHECK(MakeFilter({"pid:" + std::to_string(getpid())}).MatchesMain("Boss", pid));
  CHECK_FALSE(MakeFilter({"worker"}).MatchesMain("Boss", pid));
  prctl(PR_SET_NAME, before);
  CHECK_FALSE(MakeFilter({"GeckoMain"}).Matches("Boss", kOwnPid));
}

TEST_CASE("a list of other processes only excludes this one") {
  CHECK_FALSE(MakeFilter({}).ExcludesProcess(kOwnPid));
  CHECK_FALSE(MakeFilter({"pid:123"}).ExcludesProcess(kOwnPid));
  CHECK_FALSE(MakeFilter({"pid:9", "pid:123"}).ExcludesProcess(kOwnPid));
  CHECK_FALSE(MakeFilter({"pid:9", "worker"}).ExcludesProcess(kOwnPid));
  CHECK(MakeFilter({"pid:9"}).ExcludesProcess(kOwnPid));
  CHECK(MakeFilter({"pid:9", "pid:10"}).ExcludesProcess(kOwnPid));
  CHECK(MakeFilter({"pid:abc"}).ExcludesProcess(kOwnPid));
}

TEST_CASE("items are bounded in number and length") {
  ThreadFilter filter;
  const std::string long_item(ThreadFilter::kItemBytes, 'a');
  CHECK(filter.Add(long_item) == FilterAddResult::kShortened);
  CHECK(filter.item(0) == long_item.substr(1));
  CHECK(filter.Add(long_item.substr(1)) == FilterAddResult::kAdded);
  while (filter.size() < ThreadFilter::kMaxItems) REQUIRE(filter.Add("x") == FilterAddResult::kAdded);
  CHECK(filter.Add("y") == FilterAddResult::kFull);
  CHECK(filter.size() == ThreadFilter::kMaxItems);
  CHECK_FALSE(filter.Matches("y", kOwnPid));
  filter.Clear();
  CHECK(filter.Matches("y", kOwnPid));
}

}  // namespace
}  // namespace geckoprof
