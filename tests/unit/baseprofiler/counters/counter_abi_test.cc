#include "baseprofiler/counter_abi.h"

#include <catch2/catch.hpp>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/counters.h"
#include "counters/counter_table.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

PROFILER_DEFINE_STATIC_COUNT_TOTAL(unit_bytes, "Memory", "Bytes of a unit test", {.unit = "bytes"});
PROFILER_DEFINE_STATIC_COUNT(unit_calls, "Test", "Calls of a unit test");

TEST_CASE("a counter is made by its first use, and needs no recording") {
  CHECK(StatusInChild([] {
          FORKED_REQUIRE(CounterTable::Get().IsEmpty());
          AUTO_PROFILER_COUNT_TOTAL(unit_bytes, 10u);
          AUTO_BASE_PROFILER_COUNT_TOTAL(unit_bytes, -4);
          ++profiler_count_unit_calls;
          {
            // clang-format off: two in one line
            AUTO_PROFILER_COUNT_IN_SCOPE(unit_calls, 5);
            AUTO_PROFILER_COUNT_IN_SCOPE(unit_calls, 6);
            // clang-format on
            AUTO_BASE_PROFILER_COUNT(unit_calls, 1);
            AUTO_PROFILER_COUNT(unit_calls);
            AUTO_BASE_PROFILER_COUNT(unit_calls);
            AUTO_PROFILER_STATIC_COUNT(unit_calls);
            AUTO_PROFILER_STATIC_COUNT(unit_calls, 2);
            AUTO_BASE_PROFILER_STATIC_COUNT(unit_calls);
            AUTO_BASE_PROFILER_STATIC_COUNT(unit_calls, 2);
          }
          int found = 0;
          CounterTable::Get().ForEach(
              [&](CounterSlot& slot) {
                if (std::string_view(slot.name) == "unit_bytes") found += slot.cell.count == 6 && slot.cell.number == 2;
                if (std::string_view(slot.name) == "unit_calls") found += slot.cell.count == 10;
              },
              [](CounterSlot&) {});
          FORKED_REQUIRE(found == 2);
          return 0;
        }) == 0);
}

TEST_CASE("an object whose life is over counts nothing") {
  CHECK(StatusInChild([] {
          alignas(ProfilerCounter) static unsigned char place[sizeof(ProfilerCounter)];
          auto* const counter = new (place) ProfilerCounter("gone", "Test", "");
          counter->Add(1);
          counter->~ProfilerCounter();
          __atomic_signal_fence(__ATOMIC_SEQ_CST);
          int live = 0;
          CounterTable::Get().ForEach([&](CounterSlot&) { ++live; }, [](CounterSlot&) {});
          FORKED_REQUIRE(live == 0);
          return 0;
        }) == 0);
}

TEST_CASE("an object that got no counter counts nothing, and does not ask again") {
  CHECK(StatusInChild([] {
          const geckoprof_counter_description description = {sizeof description, 0, "one", "Test", "", "", nullptr};
          while (geckoprof_base_counter_create(&description) != nullptr) {
          }
          const uint64_t before = CounterTable::Get().refused();
          ProfilerCounter refused("refused", "Test", "");
          for (int i = 0; i < 3; ++i) refused.Add(1);
          FORKED_REQUIRE(CounterTable::Get().refused() == before + 1);
          return 0;
        }) == 0);
}

TEST_CASE("the functions take null") {
  geckoprof_base_counter_destroy(nullptr);
  CHECK(geckoprof_base_counter_create(nullptr) == nullptr);
  CHECK(geckoprof_base_counter_create_once(nullptr, nullptr) == nullptr);
}

}  // namespace
}  // namespace geckoprof
