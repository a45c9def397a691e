#include "geckoprofiler/thread_base_link.h"

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/profiler_thread_sleep.h"
#include "geckoprofiler/profiler_thread_state.h"

namespace geckoprof {
namespace {

TEST_CASE("base link: without a base library everything works, and nothing is profiled") {
  ThreadBaseLink::Use(nullptr);
  CHECK(ThreadBaseLink::Current().register_thread == nullptr);
  OnNewThread([] {
    profiler_register_thread("alone");
    profiler_register_thread("again");
    profiler_thread_sleep();
    profiler_thread_wake();
    CHECK(ThreadRegistration::RegistrationCount() == 2);
    CHECK_FALSE(profiler_is_active_and_thread_is_registered());
    CHECK_FALSE(profiler_thread_is_being_profiled(ThreadProfilingFeatures::Any));
    profiler_unregister_thread();
    profiler_unregister_thread();
    profiler_unregister_thread();
  });
}

TEST_CASE("base link: another one can be used") {
  {
    BaseDouble base;
    base.state = 2;
    CHECK(ThreadBaseLink::Current().state() == 2);
  }
  CHECK(ThreadBaseLink::Current().state == nullptr);
}

}  // namespace
}  // namespace geckoprof
