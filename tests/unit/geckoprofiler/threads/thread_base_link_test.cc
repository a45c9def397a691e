#include "threads/thread_base_link.h"

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/c/geckoprof_threads.h"
#include "threads/current_thread.h"

namespace geckoprof {
namespace {

TEST_CASE("base link: without a base library everything works, and nothing is profiled") {
  ThreadBaseLink::Use(nullptr);
  CHECK(ThreadBaseLink::Current().register_thread == nullptr);
  OnNewThread([] {
    CurrentThread::Register("alone");
    CurrentThread::Register("again");
    CurrentThread::Sleep();
    CurrentThread::Wake();
    CHECK(CurrentThread::registrations() == 2);
    CHECK_FALSE(CurrentThread::IsProfiled(UINT32_MAX));
    CurrentThread::Unregister();
    CurrentThread::Unregister();
    CHECK(CurrentThread::Unregister() == ProfilerStatus::kUnchanged);
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
