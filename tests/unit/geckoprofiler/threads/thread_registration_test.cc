#include "geckoprofiler/thread_registration.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/profiler_thread_state.h"

namespace geckoprof {
namespace {

std::string NameNow() {
  return ThreadRegistration::WithOnThreadRefOr(
      [](const ThreadRegistration::OnThreadRef& ref) { return std::string(ref.UnlockedConstReader().Info().Name()); },
      std::string("not registered"));
}

TEST_CASE("registration: not registered") {
  OnNewThread([] {
    CHECK_FALSE(ThreadRegistration::IsRegistered());
    CHECK_FALSE(ThreadRegistration::GetOnThreadPtr());
    CHECK(ThreadRegistration::RegistrationCount() == 0);
    bool called = false;
    ThreadRegistration::WithOnThreadRef([&](const auto&) { called = true; });
    CHECK_FALSE(called);
    CHECK(NameNow() == "not registered");
    ThreadRegistration::UnregisterThread();
    ThreadRegistration::UnregisterThread();
    CHECK_FALSE(ThreadRegistration::IsRegistered());
  });
}

TEST_CASE("registration: as an object") {
  BaseDouble base;
  OnNewThread([&] {
    {
      const ThreadRegistration registration("scope");
      CHECK(NameNow() == "scope");
      CHECK(ThreadRegistration::GetOnThreadPtr()->UnlockedConstReaderAndAtomicRW().IsRegistered());
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
    ThreadRegistration::RegisterThread("heap");
    CHECK(NameNow() == "heap");
    ThreadRegistration::UnregisterThread();
    CHECK(NameNow() == "not registered");
    ThreadRegistration::RegisterThread("heap again");
    CHECK(NameNow() == "heap again");
    ThreadRegistration::UnregisterThread();
  });
  CHECK(base.Registered() == std::vector<std::string>{"heap", "heap again"});
  CHECK(base.unregistered == 2);
  CHECK(base.Markers().empty());
}

TEST_CASE("registration: the first name stays, whatever is nested in what") {
  BaseDouble base;
  OnNewThread([&] {
    {
      const ThreadRegistration root("stack root");
      const ThreadRegistration on_stack("nested on stack");
      ThreadRegistration::RegisterThread("nested on heap");
      CHECK(ThreadRegistration::RegistrationCount() == 3);
      CHECK(NameNow() == "stack root");
      ThreadRegistration::UnregisterThread();
      CHECK(ThreadRegistration::RegistrationCount() == 2);
      CHECK(NameNow() == "stack root");
    }
    CHECK(NameNow() == "not registered");
    ThreadRegistration::RegisterThread("heap root");
    {
      const ThreadRegistration on_stack("nested on stack");
      ThreadRegistration::RegisterThread("nested on heap");
      CHECK(NameNow() == "heap root");
      ThreadRegistration::UnregisterThread();
    }
    CHECK(ThreadRegistration::RegistrationCount() == 1);
    CHECK(NameNow() == "heap root");
    ThreadRegistration::UnregisterThread();
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
      const ThreadRegistration root("stays");
      ThreadRegistration::UnregisterThread();
      ThreadRegistration::UnregisterThread();
      CHECK(NameNow() == "stays");
      {
        const ThreadRegistration nested("nested");
        ThreadRegistration::UnregisterThread();  // in place of the nested object's
        ThreadRegistration::UnregisterThread();
        CHECK(NameNow() == "stays");
      }
      CHECK(NameNow() == "stays");
      CHECK(ThreadRegistration::RegistrationCount() == 1);
    }
    CHECK(NameNow() == "not registered");
  });
  CHECK(base.unregistered == 1);
  CHECK(base.Markers().front().name == "profiler_unregister_thread again");
}

TEST_CASE("registration: a missing end of a nested one does not outlive the root's scope") {
  OnNewThread([] {
    {
      const ThreadRegistration root("root");
      ThreadRegistration::RegisterThread("never ended");
    }
    CHECK(NameNow() == "not registered");
  });
}

TEST_CASE("registration: the heap root ends inside a nested scope") {
  BaseDouble base;
  OnNewThread([&] {
    ThreadRegistration::RegisterThread("root");
    {
      const ThreadRegistration nested("nested");
      ThreadRegistration::UnregisterThread();
      CHECK(NameNow() == "root");  // the scope still counts
    }
    CHECK(NameNow() == "not registered");

    ThreadRegistration::RegisterThread("root");
    {
      const ThreadRegistration nested("nested");
      ThreadRegistration::UnregisterThread();
      ThreadRegistration::UnregisterThread();  // all are ended by now
      CHECK(NameNow() == "not registered");
      ThreadRegistration::RegisterThread("new root");
    }  // an object that was nested in another root
    CHECK(NameNow() == "new root");
    CHECK(ThreadRegistration::RegistrationCount() == 1);
    ThreadRegistration::UnregisterThread();
    CHECK(NameNow() == "not registered");
  });
  CHECK(base.unregistered == 3);
}

TEST_CASE("registration: an object that ends on another thread ends nothing there") {
  BaseDouble base;
  std::optional<ThreadRegistration> registration;
  std::thread([&] { registration.emplace("owner"); }).join();
  CHECK(base.unregistered == 1);  // at the thread's end
  OnNewThread([&] {
    const ThreadRegistration mine("mine");
    registration.reset();
    CHECK(NameNow() == "mine");
  });
  CHECK(base.unregistered == 2);
}

TEST_CASE("registration: a thread that ends without unregistering is unregistered") {
  BaseDouble base;
  OnNewThread([] {
    ThreadRegistration::RegisterThread("forgotten");
    ThreadRegistration::RegisterThread("forgotten twice");
  });
  CHECK(base.unregistered == 1);
  int count = 0;
  for ([[maybe_unused]] const auto ref : ProfilerThreadRegistry::LockedRegistry()) ++count;
  CHECK(count == 0);
}

TEST_CASE("registration: inside the data lock it neither waits for itself nor crashes") {
  OnNewThread([] {
    ThreadRegistration::RegisterThread("root");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    ref.WithLockedRWOnThread([](auto&) { ThreadRegistration::RegisterThread("nested"); });
    CHECK(ThreadRegistration::RegistrationCount() == 2);
    ThreadRegistration::UnregisterThread();
    ThreadRegistration::UnregisterThread();
  });
}

TEST_CASE("registration: its end inside the data lock is refused, and it stays") {
  OnNewThread([] {
    ThreadRegistration::RegisterThread("root");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    ProfilerStatus inside = ProfilerStatus::kDone;
    ref.WithLockedRWOnThread([&](auto&) { inside = ThreadRegistration::UnregisterThread(); });
    CHECK(inside == ProfilerStatus::kWrongThread);
    CHECK(NameNow() == "root");
    CHECK(ThreadRegistration::UnregisterThread() == ProfilerStatus::kDone);
  });
}

TEST_CASE("registration: the base tier's time and its name for filters, if it had the thread earlier") {
  BaseDouble base;
  base.state = 1;
  ProfilerThreadRegistry::StartProfiling(PolicyFor("in base"));
  const auto check = [](auto has_time, const char* name_for_filters, bool is_selected) {
    const ThreadRegistration registration("timed");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    const ThreadRegistrationInfo& info = ref.UnlockedConstReader().Info();
    CHECK(std::string(info.Name()) == "timed");
    CHECK(has_time(info.RegisterTimeNs()));
    CHECK(std::string(info.NameForFilters()) == name_for_filters);
    CHECK(std::string(info.Copy().NameForFilters()) == name_for_filters);
    CHECK(profiler_thread_is_being_profiled(ThreadProfilingFeatures::Sampling) == is_selected);
  };
  OnNewThread([&] { check([](int64_t time_ns) { return time_ns > 1'000'000; }, "timed", false); });
  base.register_time_ns = 1234;
  OnNewThread([&] { check([](int64_t time_ns) { return time_ns == 1234; }, "in base", true); });
  ProfilerThreadRegistry::StopProfiling();
}

}  // namespace
}  // namespace geckoprof
