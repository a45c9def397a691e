// What opening and closing a label costs, beside the floors of the same machine and run: a relaxed store, and a relaxed
// load with a branch. tools/benchmarks/labels compares them.
#include <benchmark/benchmark.h>

#include <atomic>
#include <string_view>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/labels.h"

namespace {

// Somebody might read and write it.
std::atomic<uint32_t> g_word{0};
void Escape() { benchmark::ClobberMemory(); }

void RelaxedStore(benchmark::State& state) {
  for (auto _ : state) {
    g_word.store(1, std::memory_order_relaxed);
    Escape();
  }
}

// As the state is read: through the GOT.
void LoadAndBranch(benchmark::State& state) {
  for (auto _ : state) {
    if (geckoprof_base_is_active() != 0) [[unlikely]]
      g_word.store(1, std::memory_order_relaxed);
    Escape();
  }
}

void Label(benchmark::State& state) {
  for (auto _ : state) {
    AUTO_PROFILER_LABEL("label", OTHER);
    Escape();
  }
}

void LabelDynamic(benchmark::State& state) {
  for (auto _ : state) {
    AUTO_PROFILER_LABEL_DYNAMIC_CSTR("label", OTHER, "of the moment");
    Escape();
  }
}

void LabelFast(benchmark::State& state) {
  const geckoprof::ProfilerLabelContext context;
  for (auto _ : state) {
    AUTO_PROFILER_LABEL_FAST("label", OTHER, context);
    Escape();
  }
}

void LabelNested(benchmark::State& state) {
  for (auto _ : state) {
    AUTO_PROFILER_LABEL("outer", OTHER);
    AUTO_PROFILER_LABEL("inner", OTHER);
    Escape();
  }
}

void LabelHot(benchmark::State& state) {
  for (auto _ : state) {
    AUTO_PROFILER_LABEL_HOT("label", OTHER);
    Escape();
  }
}

// What code that was compiled for an earlier version calls.
void LabelByCalls(benchmark::State& state) {
  for (auto _ : state) {
    int scope = 0;
    void* const entered = geckoprof_base_label_enter("label", nullptr, 0x100, &scope);
    Escape();
    geckoprof_base_label_leave(entered);
  }
}

void LabelText(benchmark::State& state) {
  const std::string_view text = "sixteen letters.";
  for (auto _ : state) {
    AUTO_PROFILER_LABEL_DYNAMIC_STRING("label", OTHER, text);
    Escape();
  }
}

void Start(const benchmark::State&) {
  const char* const filters[] = {"no such thread"};
  geckoprof_base_start(8 << 20, 5'000'000'000, 0, filters, 1, 0);
}
void Stop(const benchmark::State&) { geckoprof_base_stop(); }

BENCHMARK(RelaxedStore);
BENCHMARK(LoadAndBranch);
BENCHMARK(Label);
BENCHMARK(LabelDynamic);
BENCHMARK(LabelFast);
BENCHMARK(LabelNested);
BENCHMARK(LabelHot);
BENCHMARK(LabelByCalls);
BENCHMARK(LabelText);
BENCHMARK(Label)->Name("LabelActive")->Setup(&Start)->Teardown(&Stop);
BENCHMARK(LabelHot)->Name("LabelHotActive")->Setup(&Start)->Teardown(&Stop);
BENCHMARK(LabelText)->Name("LabelTextActive")->Setup(&Start)->Teardown(&Stop);

}  // namespace

BENCHMARK_MAIN();
