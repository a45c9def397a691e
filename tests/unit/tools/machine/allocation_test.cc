// Reading allocates nothing. This file replaces operator new of the whole test.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/machine_tree.h"
#include "tools/machine/cpu_frequencies.h"
#include "tools/machine/power_zones.h"
#include "tools/machine/system_load.h"

namespace {

uint64_t g_allocations = 0;

}  // namespace

void* operator new(size_t bytes) {
  ++g_allocations;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace geckoprof {
namespace {

TEST_CASE("reading all sources allocates nothing") {
  MachineTree tree;
  tree.AddTwoPackages();
  tree.AddPolicy(0, "0 1", 1'000'000);
  for (const char* const what : {"cpu", "memory", "io"}) tree.SetPressure(what, 7);
  tree.SetNetwork(10, 20);
  PowerZones power(tree.Roots());
  CpuFrequencies frequencies(tree.Roots());
  SystemLoad load(tree.Roots());
  for (MachineSource* const source : std::initializer_list<MachineSource*>{&power, &frequencies, &load}) {
    std::vector<uint64_t> values(source->series().size());
    source->Read(1, values);  // interfaces are new
    const uint64_t before = g_allocations;
    for (int64_t look = 2; look < 100; ++look) source->Read(look * kNsPerMs, values);
    CHECK(g_allocations == before);
  }
}

}  // namespace
}  // namespace geckoprof
