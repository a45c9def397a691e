#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/imported_model.h"
#include "tools/report/profile_summary.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr char kText[] =
    "# header\n"
    "demo 10/10 [000] 5.000000:    1000000 cpu-clock:u: \n"
    "\t    40 hash (inlined)\n"
    "  demo.c:21\n"
    "\t    40 run+0x3 (/bin/demo)\n"
    "\t    10 main+0x1 (/bin/demo)\n"
    "\n"
    "worker 10/11 [000] 5.002000:    1000000 cpu-clock:u: \n"
    "\tffffffff81677b04 do_work+0x74 ([kernel.kallsyms])\n"
    "\t    7 [unknown] (/lib/x.so)\n"
    "\n"
    "worker 10/11 [000] 5.003000: sched:sched_switch: \n"
    "\t    10 main+0x1 (/bin/demo)\n"
    "\n";

TEST_CASE("samples, threads, inlined functions, other events") {
  const auto model = LoadPerfScript(kText);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "demo;main;run;hash 1\nworker;[unknown];do_work 1\n");
  CHECK(model->interval_ms == 1);
  CHECK(model->processes[0].name == "demo");
  CHECK(model->threads[0].is_main);
  CHECK(model->threads[1].samples[0].time_ms == Approx(2));
  CHECK(model->threads[1].samples[0].cpu_ns == 1'000'000);
  REQUIRE(model->threads[1].markers.size() == 1);
  CHECK(model->strings[static_cast<size_t>(model->threads[1].markers[0].name)] == "sched:sched_switch");
  const auto& leaf =
      model->frames[static_cast<size_t>(model->stacks[static_cast<size_t>(model->threads[0].samples[0].stack)].frame)];
  CHECK(leaf.line == 21);
  CHECK(model->libraries[static_cast<size_t>(leaf.library)].path == "/bin/demo");
  CHECK(leaf.category == static_cast<int32_t>(ImportedCategory::kUser));
  const ProfileStack& in_kernel = model->stacks[static_cast<size_t>(model->threads[1].samples[0].stack)];
  CHECK(in_kernel.category == static_cast<int32_t>(ImportedCategory::kKernel));
  CHECK(model->stacks[static_cast<size_t>(in_kernel.prefix)].category == static_cast<int32_t>(ImportedCategory::kUser));
}

TEST_CASE("every sample's CPU time counts") {
  const auto model = LoadPerfScript(kText);
  REQUIRE(model.ok());
  double cpu_ns = 0;
  for (const ProfileSummary::Thread& thread : Summarize(*model, {}).threads) {
    cpu_ns += static_cast<double>(thread.cpu_ns.value_or(0));
  }
  CHECK(cpu_ns == 2'000'000);
  const auto again = LoadPprof(Written(*model, WritePprof));
  REQUIRE(again.ok());
  REQUIRE(again->threads.size() == 2);
  for (const ProfileThread& thread : again->threads) {
    REQUIRE(thread.samples.size() == 1);
    CHECK(thread.samples[0].cpu_ns == 1'000'000);
  }
}

TEST_CASE("threads without pids are one process's") {
  const auto model = LoadPerfScript("a 10 1.0: cycles: 1 f (/x)\na 11 1.1: cycles: 1 f (/x)\n");
  REQUIRE(model.ok());
  CHECK(model->processes.size() == 1);
  CHECK(model->threads.size() == 2);
  CHECK_FALSE(model->has_cpu_times);
}

// One of each of two kinds of CPU, a fault before the first of them.
constexpr char kEvents[] =
    "a 1/1 [000] 4.999: 1 page-faults:u: \n\t10 exec (/x)\n\n"
    "a 1/1 [000] 5.000: 100 cpu_core/cycles/P: \n\t10 f (/x)\n\n"
    "a 1/1 [008] 5.001: 100 cpu_atom/cycles/P: \n\t10 f (/x)\n\n"
    "a 1/1 [008] 5.002: 1 page-faults:u: \n\t10 f (/x)\n\n"
    "a 1/1 [008] 5.003: 1 page-faults:u: \n\t10 f (/x)\n\n"
    "a 1/2 [008] 5.004: cs: \n\t10 f (/x)\n\n";

TEST_CASE("one event's samples are the samples, and the profile says which") {
  std::vector<std::string> notes;
  const auto model = LoadPerfScript(kEvents, "", &notes);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "a;f 2\n");
  CHECK(model->threads[0].markers.size() == 3);
  CHECK(model->threads[1].markers.size() == 1);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "the samples are those of cycles (2); 4 samples of other events became markers: page-faults:u (3), cs (1); "
        "--event NAME takes another one's");
  REQUIRE(model->sections.size() == 1);
  REQUIRE(model->sections[0].entries.size() == 2);
  CHECK(model->sections[0].entries[0].value == "cycles");
  CHECK(model->sections[0].entries[1].value == "page-faults:u (3), cs (1)");
}

TEST_CASE("another event may be asked for") {
  const auto model = LoadPerfScript(kEvents, "page-faults");
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "a;exec 1\na;f 2\n");
  CHECK(model->threads[0].markers.size() == 2);
  CHECK(std::string(LoadPerfScript(kEvents, "nothing").status().message()) ==
        "there is no event \"nothing\", but page-faults:u (3), cycles (2), cs (1)");
  std::vector<std::string> notes;
  CHECK(LoadPerfScript(kText, "cpu-clock", &notes).ok());
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].ends_with(
      "1 sample of another event became a marker: sched:sched_switch (1); --event NAME takes another "
      "one's"));
  notes.clear();
  CHECK(LoadPerfScript("a 1 1.0: cycles: 1 f (/x)\n", "", &notes).ok());
  CHECK(notes.empty());
}

TEST_CASE("samples that stand for different numbers of events are told") {
  const auto notes_of = [](std::string_view event, int64_t first, int64_t second) {
    std::vector<std::string> notes;
    const std::string text =
        Concat("a 1/1 1.0: ", first, " ", event, ": 10 f (/x)\n", "a 1/1 2.0: ", second, " ", event, ": 20 g (/x)\n");
    const auto model = LoadPerfScript(text, "", &notes);
    REQUIRE(model.ok());
    CHECK(model->sections[0].entries.size() == 1 + notes.size());
    return notes;
  };
  const auto notes = notes_of("page-faults:u", 688, 1);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "the samples of page-faults:u stand for 1 to 688 events each; each of them counts as one here, while `perf "
        "report` adds up the events");
  CHECK(notes_of("page-faults:u", 5, 5).empty());
  for (const char* of_time : {"cpu-clock:u", "task-clock", "cycles:u", "cpu_core/cycles/P"}) {
    CHECK(notes_of(of_time, 100, 250000).empty());
  }
}

TEST_CASE("the smallest time is the zero") {
  const auto model = LoadPerfScript(
      "a 1/1 5.0: 1 cycles: 10 f (/x)\na 1/1 4.0: 1 cycles: 20 g (/x)\na 1/2 3.0: 1 instructions: 30 h (/x)\n");
  REQUIRE(model.ok());
  CHECK(model->threads[0].samples[0].time_ms == Approx(1000));
  CHECK(model->threads[0].samples[1].time_ms == Approx(2000));
  CHECK(model->threads[1].markers[0].start_ms == 0);
  CHECK(model->duration_ms == Approx(2000));
}

TEST_CASE("samples of a task that perf does not know are a process of their own") {
  const auto model = LoadPerfScript(
      ":-1 -1/-1 [000] 1.0: 9 cycles: 1 f (/x)\na 5/5 1.1: 9 cycles: 1 f (/x)\n:-1 -1/-1 1.2: 9 cycles: 1 f (/x)\n");
  REQUIRE(model.ok());
  REQUIRE(model->processes.size() == 2);
  CHECK(model->processes[0].pid == "-1");
  CHECK(model->threads[0].tid == -1);
  CHECK(model->threads[0].samples.size() == 2);
  CHECK(model->processes[1].pid == "5");
  const auto without_pids = LoadPerfScript(":-1 -1 1.0: cycles: 1 f (/x)\na 10 1.1: cycles: 1 f (/x)\n");
  REQUIRE(without_pids.ok());
  CHECK(without_pids->processes[1].pid == "10");
}

TEST_CASE("frames whose source line perf does not know") {
  const auto model = LoadPerfScript(
      "a 10 1.0: cycles: \n\tffffffff81 do_x+0x1 ([kernel.kallsyms])\n  [kernel.kallsyms][ffffffff81]\n\t10 main (/x)\n"
      "  x.c:3\n\n");
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "a;main;do_x 1\n");
}

TEST_CASE("samples without times are one after the other") {
  constexpr char kTimeless[] = "a 10 \n\t1 f\n\t2 main\n\na 10 \n\t2 main\n\n";
  CHECK(LooksLikePerfScript(kTimeless));
  const auto model = LoadPerfScript(kTimeless);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "a;main;f 1\na;main 1\n");
  CHECK(model->threads[0].samples[1].time_ms == 1);
  CHECK(LooksLikePerfScript("a 10 7f31c2 main (/x)\n"));
  for (const char* folded : {"main 10\n", "main;f 10 12\n", "main 10\nmain;f 1\n", "main 1 add x 3\n"}) {
    CHECK_FALSE(LooksLikePerfScript(folded));
  }
}

TEST_CASE("programs without call chains whose names are hexadecimal numbers") {
  for (const std::string name : {"bc", "python3"}) {
    for (const char* head : {" 26792/26793 35533.011278:    1000000 cpu-clock:  ", " 26792  1000000 cpu-clock:  "}) {
      std::string text;
      for (const char* frame : {"7fce58c152db sin+0x1b (/lib/libm.so.6)", "7fce58c152df sin+0x1f (/lib/libm.so.6)",
                                "4011d0 main+0x3 (/bc)"}) {
        text += std::string(15 - name.size(), ' ') + name + head + frame + "\n";
      }
      INFO(text);
      const auto model = LoadPerfScript(text);
      REQUIRE(model.ok());
      REQUIRE(model->threads.size() == 1);
      CHECK(model->threads[0].name == name);
      CHECK(model->threads[0].samples.size() == 3);
      CHECK(model->functions.size() == 2);
    }
  }
}

// As of --show-task-events, --show-namespace-events and --show-round-events.
TEST_CASE("records that are no samples name no thread") {
  constexpr char kRecords[] =
      "perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:10/10\n"
      "perf-exec     0     0.000000: PERF_RECORD_NAMESPACES 10/10 - nr_namespaces: 7\n"
      "\t\t[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, 2/ipc: 4/0xefffffff, 3/pid: 4/0xeffffffc, \n"
      "\t\t 4/user: 4/0xeffffffd, 5/mnt: 4/0xeffffff8, 6/cgroup: 4/0xeffffffb]\n"
      "w    10     1.000000:     500000 cpu-clock: \n\t12 f+0x1 (/bin/w)\n\n"
      "PERF_RECORD_FINISHED_ROUND\n"
      "w    10     1.500000: PERF_RECORD_FORK(10:11):(10:10)\n"
      "w    10     2.000000:     500000 cpu-clock: \n\t12 f+0x1 (/bin/w)\n\n";
  CHECK(LooksLikePerfScript(kRecords));
  CHECK(LooksLikePerfScript("w 10 PERF_RECORD_COMM exec: w:10/10\nw 10\n\t12 f\n"));
  const auto model = LoadPerfScript(kRecords);
  REQUIRE(model.ok());
  CHECK(Written(*model, WriteFolded) == "w;f 2\n");
  REQUIRE(model->threads.size() == 1);
  CHECK(model->threads[0].markers.empty());
  CHECK(model->threads[0].samples[0].time_ms == 0);
  REQUIRE(model->processes.size() == 1);
  CHECK(model->processes[0].pid == "10");
  CHECK(model->processes[0].name == "w");
}

TEST_CASE("every cut of a text is read or refused") {
  const std::string text = kText;
  for (size_t end = 0; end <= text.size(); ++end) {
    const auto model = LoadPerfScript(std::string_view(text).substr(0, end));
    if (!model.ok()) CHECK_FALSE(std::string(model.status().message()).empty());
  }
  CHECK_FALSE(LoadPerfScript("").ok());
  CHECK(std::string(LoadPerfScript("a 1 1.0: c: 1 f (/x)\nnonsense\n").status().message())
            .starts_with("line 2: is neither"));
}

}  // namespace
}  // namespace geckoprof
