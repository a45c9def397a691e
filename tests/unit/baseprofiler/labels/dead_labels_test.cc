// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "labels/dead_labels.h"

#include <catch2/catch.hpp>
#include <thread>

#include "core/profiler_core.h"
#include "forked_check.h"
#include "recording_folder.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
const void* Below(uintptr_t bytes) { return reinterpret_cast<void*>(Here() - bytes); }

TEST_CASE("dead labels: the main thread's stack is known by its end, another's by its slot") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          DropOwnDeadLabels(Here());  // no slot yet
          ProfilingStack& labels = core.slots().Current()->labels;
          labels.Push("alive", nullptr, 0, Below(0));
          labels.Push("dead", nullptr, 0, Below(4000));
          labels.Push("dead", nullptr, 0, Below(5000));
          DropOwnDeadLabels(Here());
          FORKED_REQUIRE(labels.depth() == 1);
          labels.Push("elsewhere", nullptr, 0, &core);
          DropDeadLabels(labels, Here());
          FORKED_REQUIRE(labels.depth() == 2);
          int status = 1;
          std::thread([&] {
            ThreadSlot& slot = *core.slots().Current();
            slot.labels.Push("dead", nullptr, 0, Below(4000));
            DropOwnDeadLabels(Here());
            if (slot.labels.depth() != 1) return;  // nobody knows where its stack lies
            slot.stack_low = Here() - 10'000;
            slot.stack_high = Here() + 10'000;
            DropDeadLabels(labels, Here());  // not its own
            if (labels.depth() != 2) return;
            DropOwnDeadLabels(Here());
            status = slot.labels.depth() == 0 ? 0 : 1;
          }).join();
          return status;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
