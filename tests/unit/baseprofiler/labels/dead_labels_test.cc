// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "labels/dead_labels.h"

#include <catch2/catch.hpp>
#include <thread>

#include "core/profiler_core.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
const void* Below(uintptr_t bytes) { return reinterpret_cast<void*>(Here() - bytes); }

TEST_CASE("dead labels: the main thread's stack is known by its end, another's by its slot") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          DropOwnDeadLabels(Here());  // no slot yet
          ProfilingStack& labels = RecordingState::Get().slots().Current()->labels;
          labels.Push("alive", nullptr, 0, Below(0));
          labels.Push("dead", nullptr, 0, Below(4000));
          labels.Push("dead", nullptr, 0, Below(5000));
          DropOwnDeadLabels(Here());
          FORKED_REQUIRE(labels.depth() == 1);
          labels.Push("elsewhere", nullptr, 0, &core);
          DropDeadLabels(labels, {Here(), Here(), 0, 0});
          FORKED_REQUIRE(labels.depth() == 2);
          int status = 1;
          std::thread([&] {
            ThreadSlot& slot = *RecordingState::Get().slots().Current();
            slot.labels.Push("dead", nullptr, 0, Below(4000));
            DropOwnDeadLabels(Here());
            if (slot.labels.depth() != 1) return;  // nobody knows where its stack lies
            slot.stack_low = Here() - 10'000;
            slot.stack_high = Here() + 10'000;
            DropDeadLabels(labels, {Here(), Here(), 0, 0});  // not its own
            if (labels.depth() != 2) return;
            DropOwnDeadLabels(Here());
            status = slot.labels.depth() == 0 ? 0 : 1;
          }).join();
          return status;
        }) == 0);
}

TEST_CASE("dead labels: in the frame that opens one, those of another call") {
  CHECK(StatusInChild([] {
          ProfilerCore& core = ProfilerCore::Get();
          core.OnConstructor({Here() + 100'000, MonotonicNs()}, nullptr);
          ProfilingStack& labels = RecordingState::Get().slots().Current()->labels;
          const auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
          constexpr uint32_t kCall = 7 << GECKOPROF_LABEL_CODE_BITS, kOther = 8 << GECKOPROF_LABEL_CODE_BITS;
          const geckoprof_label_scope scope = {Here() - 1000, Here(), kCall | 3, 0};
          const auto stays = [&](uintptr_t address, uint32_t origin) {
            labels.PopTo(0);
            labels.Push("open", nullptr, 0, at(address), origin);
            DropDeadLabels(labels, scope);
            return labels.depth() == 1;
          };
          FORKED_REQUIRE(stays(scope.stack_pointer, kCall | 4));      // other code
          FORKED_REQUIRE(stays(scope.stack_pointer + 8, kCall | 3));  // before an alloca
          FORKED_REQUIRE(!stays(scope.stack_pointer, kCall | 3));     // by the same code, and not closed
          FORKED_REQUIRE(!stays(scope.stack_pointer, kOther) && !stays(scope.stack_pointer + 500, kOther | 3));
          FORKED_REQUIRE(stays(scope.stack_pointer, 0));   // nobody knows
          FORKED_REQUIRE(stays(scope.frame_end, kOther));  // the caller's
          FORKED_REQUIRE(!stays(scope.stack_pointer - 1, kCall | 3));
          const auto depth_with = [&](uint32_t middle_origin) {
            labels.PopTo(0);
            labels.Push("caller's", nullptr, 0, at(scope.frame_end), kOther);
            labels.Push("before", nullptr, 0, at(scope.stack_pointer), kCall | 2);
            labels.Push("middle", nullptr, 0, at(scope.stack_pointer), middle_origin);
            labels.Push("behind", nullptr, 0, at(scope.stack_pointer), kCall | 5);
            DropDeadLabels(labels, scope);
            return labels.depth();
          };
          FORKED_REQUIRE(depth_with(kCall | 4) == 4);  // all of this call
          FORKED_REQUIRE(depth_with(kCall | 3) == 2);  // the middle one is not, so nor is what is inside of it
          FORKED_REQUIRE(depth_with(kOther | 4) == 2);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
