#include "threads/current_thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/thread_name.h"
#include "geckoprofiler/c/geckoprof_threads.h"

namespace geckoprof {
namespace {

constexpr uint32_t kInactive = 0, kActive = 1, kPaused = 2, kSamplingPaused = 3;
constexpr uint32_t kCpu = GECKOPROF_THREAD_CPU, kSampling = GECKOPROF_THREAD_SAMPLING,
                   kMarkers = GECKOPROF_THREAD_MARKERS;
constexpr uint32_t kAny = kCpu | kSampling | kMarkers;

// A scope as the API's objects have it.
class Scope {
 public:
  explicit Scope(const char* name) : scope_(CurrentThread::BeginScope(name)) {}
  ~Scope() { CurrentThread::EndScope(scope_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const uint64_t scope_;
};

std::string NameNow() {
  return CurrentThread::record() != nullptr ? CurrentThread::record()->name() : "not registered";
}

// Every way to ask about the calling thread agrees, and so does another thread.
bool IsProfiled(uint32_t what) {
  const bool answer = CurrentThread::IsProfiled(what);
  const ThreadId tid = ThreadId::FromNumber(gettid());
  CHECK(CurrentThread::IsProfiled(ThreadId(), what) == answer);
  CHECK(CurrentThread::IsProfiled(tid, what) == answer);
  bool seen_from_elsewhere = !answer;
  OnNewThread([&] { seen_from_elsewhere = CurrentThread::IsProfiled(tid, what); });
  CHECK(seen_from_elsewhere == answer);
  return answer;
}

void CheckProfiledFor(uint32_t expected) {
  for (const uint32_t what : {0u, kCpu, kSampling, kMarkers, kAny}) CHECK(IsProfiled(what) == ((what & expected) != 0));
}

// Before the start, active, paused, resumed, stopped.
void CheckRun(BaseDouble& base, const char* filter, uint32_t while_active) {
  CheckProfiledFor(0);
  ThreadDirectory::StartProfiling(FilterFor(filter));
  base.state = kActive;
  CheckProfiledFor(while_active);
  base.state = kPaused;
  CheckProfiledFor(0);
  base.state = kActive;
  CheckProfiledFor(while_active);
  base.state = kInactive;
  ThreadDirectory::StopProfiling();
  CheckProfiledFor(0);
}

TEST_CASE("registration: not registered") {
  OnNewThread([] {
    CHECK(CurrentThread::record() == nullptr);
    CHECK(CurrentThread::registrations() == 0);
    CHECK(CurrentThread::Unregister() == ProfilerStatus::kUnchanged);
    CHECK(CurrentThread::Unregister() == ProfilerStatus::kUnchanged);
    CHECK(CurrentThread::record() == nullptr);
  });
}

TEST_CASE("registration: as an object") {
  BaseDouble base;
  OnNewThread([&] {
    {
      const Scope registration("scope");
      CHECK(NameNow() == "scope");
      CHECK(CurrentThread::record()->is_registered());
      CHECK(base.Registered() == std::vector<std::string>{"scope"});
      CHECK(base.unregistered == 0);
    }
    CHECK(NameNow() == "not registered");
    CHECK(base.unregistered == 1);
  });
  CHECK(base.unregistered == 1);
}

TEST_CASE("registration: on the heap") {
  BaseDouble base;
  OnNewThread([&] {
    CurrentThread::Register("heap");
    CHECK(NameNow() == "heap");
    CurrentThread::Unregister();
    CHECK(NameNow() == "not registered");
    CurrentThread::Register("heap again");
    CHECK(NameNow() == "heap again");
    CurrentThread::Unregister();
  });
  CHECK(base.Registered() == std::vector<std::string>{"heap", "heap again"});
  CHECK(base.unregistered == 2);
  CHECK(base.Markers().empty());
}

TEST_CASE("registration: the first name stays, whatever is nested in what") {
  BaseDouble base;
  OnNewThread([&] {
    {
      const Scope root("stack root");
      const Scope on_stack("nested on stack");
      CurrentThread::Register("nested on heap");
      CHECK(CurrentThread::registrations() == 3);
      CHECK(NameNow() == "stack root");
      CurrentThread::Unregister();
      CHECK(CurrentThread::registrations() == 2);
      CHECK(NameNow() == "stack root");
    }
    CHECK(NameNow() == "not registered");
    CurrentThread::Register("heap root");
    {
      const Scope on_stack("nested on stack");
      CurrentThread::Register("nested on heap");
      CHECK(NameNow() == "heap root");
      CurrentThread::Unregister();
    }
    CHECK(CurrentThread::registrations() == 1);
    CHECK(NameNow() == "heap root");
    CurrentThread::Unregister();
    CHECK(NameNow() == "not registered");
  });
  CHECK(base.Registered() == std::vector<std::string>{"stack root", "heap root"});
  CHECK(base.unregistered == 2);
  const auto markers = base.Markers();
  REQUIRE(markers.size() == 4);
  CHECK(markers[0].name == "profiler_register_thread again");
  CHECK(markers[0].text == "nested on stack");
  CHECK(markers[1].text == "nested on heap");
}

TEST_CASE("registration: too many ends of a stack registration are ignored") {
  BaseDouble base;
  OnNewThread([&] {
    {
      const Scope root("stays");
      CurrentThread::Unregister();
      CurrentThread::Unregister();
      CHECK(NameNow() == "stays");
      {
        const Scope nested("nested");
        CurrentThread::Unregister();  // in place of the nested object's
        CurrentThread::Unregister();
        CHECK(NameNow() == "stays");
      }
      CHECK(NameNow() == "stays");
      CHECK(CurrentThread::registrations() == 1);
    }
    CHECK(NameNow() == "not registered");
  });
  CHECK(base.unregistered == 1);
  CHECK(base.Markers().front().name == "profiler_unregister_thread again");
}

TEST_CASE("registration: a missing end of a nested one does not outlive the root's scope") {
  OnNewThread([] {
    {
      const Scope root("root");
      CurrentThread::Register("never ended");
    }
    CHECK(NameNow() == "not registered");
  });
}

TEST_CASE("registration: the heap root ends inside a nested scope") {
  BaseDouble base;
  OnNewThread([&] {
    CurrentThread::Register("root");
    {
      const Scope nested("nested");
      CurrentThread::Unregister();
      CHECK(NameNow() == "root");  // the scope still counts
    }
    CHECK(NameNow() == "not registered");

    CurrentThread::Register("root");
    {
      const Scope nested("nested");
      CurrentThread::Unregister();
      CurrentThread::Unregister();  // all are ended by now
      CHECK(NameNow() == "not registered");
      CurrentThread::Register("new root");
    }  // an object that was nested in another root
    CHECK(NameNow() == "new root");
    CHECK(CurrentThread::registrations() == 1);
    CurrentThread::Unregister();
    CHECK(NameNow() == "not registered");
  });
  CHECK(base.unregistered == 3);
}

TEST_CASE("registration: an object that ends on another thread ends nothing there") {
  BaseDouble base;
  std::optional<Scope> registration;
  std::thread([&] { registration.emplace("owner"); }).join();
  CHECK(base.unregistered == 1);  // at the thread's end
  OnNewThread([&] {
    const Scope mine("mine");
    registration.reset();
    CHECK(NameNow() == "mine");
  });
  CHECK(base.unregistered == 2);
}

TEST_CASE("registration: a thread that ends without unregistering is unregistered") {
  BaseDouble base;
  OnNewThread([] {
    CurrentThread::Register("forgotten");
    CurrentThread::Register("forgotten twice");
  });
  CHECK(base.unregistered == 1);
  ThreadDirectory::Walk walk;
  CHECK(walk.Next() == nullptr);
}

TEST_CASE("registration: inside its lock it neither waits for itself nor crashes") {
  OnNewThread([] {
    CurrentThread::Register("root");
    {
      const RegisteredThread::Lock lock(*CurrentThread::record());
      CurrentThread::Register("nested");
    }
    CHECK(CurrentThread::registrations() == 2);
    CurrentThread::Unregister();
    CurrentThread::Unregister();
  });
}

TEST_CASE("registration: its end inside its lock is refused, and it stays") {
  OnNewThread([] {
    CurrentThread::Register("root");
    {
      const RegisteredThread::Lock lock(*CurrentThread::record());
      CHECK(CurrentThread::Unregister() == ProfilerStatus::kWrongThread);
    }
    CHECK(NameNow() == "root");
    CHECK(CurrentThread::Unregister() == ProfilerStatus::kDone);
  });
}

TEST_CASE("registration: base's time and its name for filters, if it had the thread earlier") {
  BaseDouble base;
  base.state = kActive;
  ThreadDirectory::StartProfiling(FilterFor("in base"));
  const auto check = [](auto has_time, const char* name_for_filters, bool is_selected) {
    const Scope registration("timed");
    const RegisteredThread& record = *CurrentThread::record();
    CHECK(std::string(record.name()) == "timed");
    CHECK(has_time(record.facts().register_time_ns));
    CHECK(std::string(record.name_for_filters()) == name_for_filters);
    CHECK(CurrentThread::IsProfiled(kSampling) == is_selected);
  };
  OnNewThread([&] { check([](int64_t time_ns) { return time_ns > 1'000'000; }, "timed", false); });
  base.register_time_ns = 1234;
  OnNewThread([&] { check([](int64_t time_ns) { return time_ns == 1234; }, "in base", true); });
}

TEST_CASE("registration: a forked child knows the thread by its new id") {
  const Scope registration("forker");
  std::thread([] {
    const Scope on_thread("forking thread");
    const pid_t child = fork();
    if (child == 0) {
      const RegisteredThread* const record = CurrentThread::record();
      _exit(record != nullptr && record->facts().tid.ToNumber() == getpid() && record->facts().is_main ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }).join();
}

TEST_CASE("profiled: a selected thread") {
  BaseDouble base;
  OnNewThread([&] {
    const Scope registration("Worker");
    CheckRun(base, "Worker", kAny);
    CheckRun(base, "", kAny);
  });
}

TEST_CASE("profiled: a thread that is filtered out has its markers") {
  BaseDouble base;
  OnNewThread([&] {
    const Scope registration("Worker");
    CheckRun(base, "GeckoMain", kMarkers);
  });
}

TEST_CASE("profiled: a thread that is not registered has its markers") {
  BaseDouble base;
  OnNewThread([&] { CheckRun(base, "*", kMarkers); });
}

TEST_CASE("profiled: the main thread, asked for by another") {
  BaseDouble base;
  const Scope registration("GeckoMain");
  ThreadDirectory::StartProfiling(FilterFor("GeckoMain"));
  base.state = kActive;
  OnNewThread([] {
    CHECK(CurrentThread::IsProfiled(ThreadId::FromNumber(getpid()), kAny));
    CHECK(CurrentThread::IsProfiled(ThreadId::FromNumber(getpid()), kMarkers));
    CHECK_FALSE(CurrentThread::IsProfiled(kSampling));
    CHECK(CurrentThread::IsProfiled(kAny));
    CHECK_FALSE(CurrentThread::IsProfiled(ThreadId::FromNumber(-5), kAny));
  });
}

TEST_CASE("sleep: nothing on a thread that is not registered") {
  BaseDouble base;
  base.state = kActive;
  OnNewThread([] {
    CurrentThread::Sleep();
    CurrentThread::Wake();
    CurrentThread::MarkAsleep();
    CurrentThread::MarkAwake();
    CHECK(CurrentThread::record() == nullptr);
  });
  CHECK(base.Markers().empty());
}

TEST_CASE("sleep: the times awake are markers, with the CPU, the priority and the CPU time") {
  BaseDouble base;
  base.state = kActive;
  OnNewThread([] {
    const Scope registration("sleeper");
    CurrentThread::Sleep();
    CHECK(CurrentThread::record()->is_sleeping());
    CurrentThread::Wake();
    CHECK_FALSE(CurrentThread::record()->is_sleeping());
    CurrentThread::Sleep();
  });
  const auto markers = base.Markers();
  REQUIRE(markers.size() == 3);
  for (const auto& marker : markers) CHECK(marker.name == "Awake");
  CHECK(markers[0].phase == 3);  // the end of the time before
  CHECK_THAT(markers[0].text, Catch::Matches("[0-9]+ \\? \\?"));
  CHECK(markers[1].phase == 2);
  CHECK_THAT(markers[1].text, Catch::Matches("\\? [0-9]+ -?[0-9]+"));
  CHECK(markers[2].phase == 3);
  CHECK_THAT(markers[2].text, Catch::Matches("[0-9]+ \\? \\?"));
}

TEST_CASE("sleep: no CPU time where the last sleep was not marked") {
  BaseDouble base;
  OnNewThread([&base] {
    const Scope registration("sleeper");
    CurrentThread::Sleep();
    CurrentThread::Wake();
    base.state = kActive;
    CurrentThread::Sleep();
    base.state = kPaused;
    CurrentThread::Wake();  // paused: no marker
  });
  const auto markers = base.Markers();
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].phase == 3);
  CHECK(markers[0].text == "? ? ?");
}

TEST_CASE("sleep: markers alone leave the state, and no filter keeps them out") {
  BaseDouble base;
  base.state = kActive;
  ThreadDirectory::StartProfiling(FilterFor("marked"));
  OnNewThread([] {
    const Scope registration("other");
    CurrentThread::MarkAsleep();
    CHECK_FALSE(CurrentThread::record()->is_sleeping());
    CurrentThread::MarkAwake();
  });
  CHECK(base.Markers().size() == 2);
}

TEST_CASE("profiled, sleep: a pause of sampling alone ends neither") {
  BaseDouble base;
  base.state = kSamplingPaused;
  OnNewThread([] {
    const Scope registration("sleeper");
    ThreadDirectory::StartProfiling(FilterFor("sleeper"));
    CheckProfiledFor(kAny);
    CurrentThread::Sleep();
    CurrentThread::Wake();
  });
  CHECK(base.Markers().size() == 2);
}

TEST_CASE("sleep: the CPU time in a forked child does not count from a sleep of the parent") {
  BaseDouble base;
  base.state = kActive;
  const Scope registration("forker");
  while (ThreadCpuNs(ThreadId::FromNumber(gettid())) < 20 * kNsPerMs) {
  }
  CurrentThread::Sleep();
  const pid_t child = fork();
  if (child == 0) {
    CurrentThread::Sleep();
    _exit(base.Markers().back().text.find('-') == std::string::npos ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace geckoprof
