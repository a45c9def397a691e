#include "geckoprofiler/profiler_thread_registration.h"

#include <pthread.h>

#include <string>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprof/base/main_thread_name.h"

namespace geckoprof {
namespace {

std::string KernelName() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

TEST_CASE("register: the main thread is GeckoMain, and its name in the kernel stays") {
  BaseDouble base;
  const std::string before = KernelName();
  profiler_register_thread(kMainThreadName.data(), __builtin_frame_address(0));
  ThreadRegistration::WithOnThreadRef([](const ThreadRegistration::OnThreadRef& ref) {
    const ThreadRegistrationInfo& info = ref.UnlockedConstReader().Info();
    CHECK(std::string(info.Name()) == "GeckoMain");
    CHECK(info.IsMainThread());
    CHECK(info.ThreadId() == profiler_main_thread_id());
    CHECK(ref.UnlockedConstReader().StackTop() > __builtin_frame_address(0));
  });
  CHECK(KernelName() == before);
  CHECK(base.Registered() == std::vector<std::string>{"GeckoMain"});
  profiler_unregister_thread();
  CHECK_FALSE(ThreadRegistration::IsRegistered());
}

TEST_CASE("register: functions and macros, matched and unmatched") {
  BaseDouble base;
  OnNewThread([] {
    const std::string kernel_name = KernelName();
    PROFILER_UNREGISTER_THREAD();
    PROFILER_REGISTER_THREAD("by macro");
    CHECK(ThreadRegistration::IsRegistered());
    CHECK(KernelName() == kernel_name);
    PROFILER_REGISTER_THREAD("again");
    {
      AUTO_PROFILER_REGISTER_THREAD("scope");
      AUTO_PROFILER_REGISTER_THREAD("and another one");
      CHECK(ThreadRegistration::RegistrationCount() == 4);
    }
    PROFILER_UNREGISTER_THREAD();
    PROFILER_UNREGISTER_THREAD();
    CHECK_FALSE(ThreadRegistration::IsRegistered());
    PROFILER_UNREGISTER_THREAD();
    profiler_register_thread(nullptr);
    CHECK(ThreadRegistration::IsRegistered());
    profiler_unregister_thread();
  });
  CHECK(base.Registered() == std::vector<std::string>{"by macro", ""});
}

}  // namespace
}  // namespace geckoprof
