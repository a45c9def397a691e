#include "tools/convert/perf_script_line.h"

#include <catch2/catch.hpp>
#include <utility>

namespace geckoprof {
namespace {

TEST_CASE("events are the same whatever their PMU and modifiers") {
  for (const auto& [written, name] : {std::pair("cycles", "cycles"),
                                      {"cycles:u", "cycles"},
                                      {"cycles:ppp", "cycles"},
                                      {"cycles:P", "cycles"},
                                      {"cpu_core/cycles/P", "cycles"},
                                      {"cpu_atom/cycles/", "cycles"},
                                      {"cpu/mem-loads,ldlat=30/P", "mem-loads,ldlat=30"},
                                      {"cpu_core/event=0x3c/u", "cpu_core/event=0x3c/"},
                                      {"cycles/freq=99/u", "cycles/freq=99/"},
                                      {"intel_pt//u", "intel_pt//"},
                                      {"sched:sched_switch", "sched:sched_switch"},
                                      {"sched:sched_switch:u", "sched:sched_switch"},
                                      {"probe_app:hup", "probe_app:hup"},
                                      {"probe_app:hup:u", "probe_app:hup"},
                                      {"mem:0x1000/8:rw:u", "mem:0x1000/8:rw"},
                                      {"a/b/c", "a/b/c"},
                                      {"/", "/"},
                                      {":", ":"},
                                      {"", ""}}) {
    CHECK(PerfEventName(written) == name);
  }
  CHECK(IsPerfTimeEvent("cycles/freq=99/"));
  CHECK(IsPerfTimeEvent("task-clock"));
  CHECK_FALSE(IsPerfTimeEvent("cycles-ct"));
  CHECK_FALSE(IsPerfClockEvent("cycles"));
}

PerfEvents Events(const std::vector<std::pair<const char*, int>>& counts) {
  PerfEvents events;
  for (const auto& [written, count] : counts) {
    for (int i = 0; i < count; ++i) events.Add(written);
  }
  return events;
}

TEST_CASE("the samples are a time event's, else those of the most frequent event") {
  const auto chosen = [](const PerfEvents& events, std::string_view wanted = "") {
    return events.event(events.Choose(wanted).value()).name;
  };
  CHECK(chosen(Events({{"page-faults", 9}, {"cpu-clock:u", 2}})) == "cpu-clock");
  CHECK(chosen(Events({{"page-faults", 9}, {"cycles", 1}, {"task-clock", 2}})) == "task-clock");
  CHECK(chosen(Events({{"a", 1}, {"b", 3}, {"c", 3}})) == "b");
  const PerfEvents hybrid = Events({{"cache-misses", 4}, {"cpu_core/cycles/P", 1}, {"cpu_atom/cycles/P", 2}});
  CHECK(chosen(hybrid) == "cycles");
  CHECK(hybrid.event(1).count == 3);
  CHECK(hybrid.event(1).written == "cycles");
  CHECK(chosen(hybrid, "cache-misses:u") == "cache-misses");
  CHECK(chosen(hybrid, "cpu_atom/cycles/") == "cycles");
  CHECK(hybrid.Choose("foo").status().message() == "there is no event \"foo\", but cache-misses (4), cycles (3)");
}

TEST_CASE("how many events a sample stands for") {
  PerfEvents events;
  for (const int64_t period : {-1, 688, 0, 30}) {
    events.Add("page-faults", period);
    events.Add("cycles", period);
    events.Add("plain", -1);
    events.Add("even", 7);
  }
  CHECK(events.ListPeriods(0) == "0 to 688");
  for (size_t row = 1; row < 4; ++row) CHECK(events.ListPeriods(row).empty());
}

TEST_CASE("the list of the others") {
  const PerfEvents events = Events({{"cycles:u", 5}, {"a", 1}, {"b:u", 2}, {"", 1}});
  CHECK(events.CountOthers(0) == 4);
  CHECK(events.ListOthers(0) == "b:u (2), a (1), (no name) (1)");
  PerfEvents many;
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back("event-" + std::to_string(i));
  for (const std::string& name : names) many.Add(name);
  CHECK(many.ListOthers(0).ends_with(", event-20 (1), ... and 9 more"));
}

TEST_CASE("samples as perf prints them") {
  const auto full = ParsePerfSample("Web Content  4711/4712  [001] d.h. 47618.036622:    1000000 cpu-clock:ppp: ");
  REQUIRE(full.has_value());
  CHECK(full->comm == "Web Content");
  CHECK(full->pid == 4711);
  CHECK(full->tid == 4712);
  CHECK(full->time_ms == Approx(47618036.622));
  CHECK(full->period == 1000000);
  CHECK(full->event == "cpu-clock:ppp");
  CHECK(full->frame.empty());

  const auto brief = ParsePerfSample("            perf  1234     1.000001: sched:sched_switch: ");
  REQUIRE(brief.has_value());
  CHECK(brief->comm == "perf");
  CHECK(brief->pid == -1);
  CHECK(brief->period == -1);
  CHECK(brief->event == "sched:sched_switch");

  const auto flat = ParsePerfSample("a:b 12 3.5: cycles:  7f31 main+0x1 (/bin/x)");
  REQUIRE(flat.has_value());
  CHECK(flat->comm == "a:b");
  CHECK(flat->frame == "7f31 main+0x1 (/bin/x)");
}

TEST_CASE("a task that perf does not know") {
  for (const char* line : {":-1    -1/-1    [000]  1.003000:     250000 cycles:u: ",
                           ":-1    -1    [000]  1.003000:     250000 cycles:u: "}) {
    const auto sample = ParsePerfSample(line);
    REQUIRE(sample.has_value());
    CHECK(sample->comm == ":-1");
    CHECK(sample->pid == -1);
    CHECK(sample->tid == kUnknownPerfTask);
    CHECK(sample->period == 250000);
  }
  CHECK(ParseTimelessPerfSample(":-1 -1/-1 250000 cycles:")->tid == kUnknownPerfTask);
  CHECK_FALSE(ParsePerfSample("a -2 1.0: cycles:").has_value());
}

TEST_CASE("samples without an event") {
  const auto flat = ParsePerfSample("a 10 1.0:   7f31 main+0x1 (/bin/x)");
  REQUIRE(flat.has_value());
  CHECK(flat->event.empty());
  CHECK(flat->frame == "7f31 main+0x1 (/bin/x)");
  const auto digits = ParsePerfSample("a 10 1.0:   4010 main (/bin/x)");
  REQUIRE(digits.has_value());
  CHECK(digits->period == -1);
  CHECK(digits->frame == "4010 main (/bin/x)");
  CHECK(ParsePerfSample("a 10 1.0: 250000 ")->period == 250000);
}

TEST_CASE("what is no sample") {
  for (const char* line :
       {"", ":", "a 1 2.5", "a b 2.5: cycles:", "1.5:", "a 1 2.5x: c:", "a 1 nan.: c:", "a 1/x 2.5: c:"}) {
    CHECK_FALSE(ParsePerfSample(line).has_value());
  }
}

TEST_CASE("samples without a time") {
  const auto plain = ParseTimelessPerfSample("Web Content  8484 ");
  REQUIRE(plain.has_value());
  CHECK(plain->comm == "Web Content");
  CHECK(plain->tid == 8484);
  CHECK(plain->time_ms == -1);
  const auto full = ParseTimelessPerfSample("prog 12/13 [001]    250000 cpu-clock:ppp: ");
  REQUIRE(full.has_value());
  CHECK(full->pid == 12);
  CHECK(full->tid == 13);
  CHECK(full->period == 250000);
  CHECK(full->event == "cpu-clock:ppp");
  CHECK(full->frame.empty());
  CHECK(ParseTimelessPerfSample("prog 12 7f31c2 main+0x1 (/bin/x)")->frame == "7f31c2 main+0x1 (/bin/x)");
  CHECK(ParseTimelessPerfSample("prog 12   34 ")->period == 34);
  CHECK(ParseTimelessPerfSample("prog 12 1234 main")->frame == "1234 main");
  for (const char* no : {"", "prog", "12", "prog main", "prog 12 nonsense"}) {
    CHECK_FALSE(ParseTimelessPerfSample(no).has_value());
  }
}

TEST_CASE("records that are no samples") {
  for (const char* line :
       {"perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:7545/7545",
        "w  7545/7545 [001] 63383.489098: PERF_RECORD_COMM exec: w:7545/7545",
        "w  7545 63383.490998: PERF_RECORD_FORK(7545:7547):(7545:7545)", "w  7545 PERF_RECORD_COMM exec: w:7545/7545",
        "perf-exec 0 PERF_RECORD_COMM: w:1/1", "PERF_RECORD_FINISHED_ROUND"}) {
    INFO(line);
    CHECK(IsPerfRecord(line));
  }
  for (const char* line :
       {"\t  7f31 PERF_RECORD_COMM+0x1 (/bin/x)", "a 12 1.0: cycles: 7f31 PERF_RECORD_COMM+0x1 (/bin/x)",
        "a 12 7f31 PERF_RECORD_COMM+0x1 (/bin/x)",
        "PERF_RECORD_COM 12 1.0: cycles: ", "a 12 1.0: cycles: ", "main;PERF_RECORD_COMM 7"}) {
    INFO(line);
    CHECK_FALSE(IsPerfRecord(line));
  }
}

TEST_CASE("frames") {
  const auto frame = ParsePerfFrame("\t    7f31c2 ns::f(int, (anonymous)) const+0x1c2 (/usr/bin/python3.11)");
  REQUIRE(frame.has_value());
  CHECK(frame->symbol == "ns::f(int, (anonymous)) const");
  CHECK(frame->library == "/usr/bin/python3.11");
  CHECK(ParsePerfFrame(" 1 main (/tmp/a b.so (deleted))")->library == "/tmp/a b.so");
  CHECK(ParsePerfFrame(" 1 main (inlined)")->is_inlined);
  for (const char* line : {" 1 f(int (*)(int))+0x35 (/tmp/app (1)/a.so)", " 1 f(int (*)(int)) (/tmp/app (1)/a.so)"}) {
    CHECK(ParsePerfFrame(line)->symbol == "f(int (*)(int))");
    CHECK(ParsePerfFrame(line)->library == "/tmp/app (1)/a.so");
  }
  CHECK(ParsePerfFrame(" 1 f+0x35 (/tmp/app (1)/a.so (deleted))")->library == "/tmp/app (1)/a.so");
  CHECK(ParsePerfFrame(" 1 f (prog)")->library == "prog");
  CHECK(ParsePerfFrame(" 1 [unknown] ([unknown])")->library.empty());
  CHECK(ParsePerfFrame(" ffffffff81 do_syscall_64+0x71 ([kernel.kallsyms])")->library == "[kernel.kallsyms]");
  CHECK(ParsePerfFrame(" 1 operator+ (/x)")->symbol == "operator+");
  CHECK_FALSE(ParsePerfFrame(" main.c:12").has_value());
  CHECK_FALSE(ParsePerfFrame(" 12").has_value());
  CHECK_FALSE(ParsePerfFrame(" 11112222333344445 main (/x)").has_value());
}

TEST_CASE("source lines") {
  const auto source = ParsePerfSource("  /src/a:b.c:12");
  REQUIRE(source.has_value());
  CHECK(source->file == "/src/a:b.c");
  CHECK(source->line == 12);
  CHECK_FALSE(source->is_inlined);
  const auto inlined = ParsePerfSource("  a.c:13 (inlined)");
  REQUIRE(inlined.has_value());
  CHECK(inlined->file == "a.c");
  CHECK(inlined->line == 13);
  CHECK(inlined->is_inlined);
  for (const char* unknown : {"  [kernel.kallsyms][ffffffff81611f67]", "  x[1234]", "  :0", "  ??:0"}) {
    REQUIRE(ParsePerfSource(unknown).has_value());
    CHECK(ParsePerfSource(unknown)->file.empty());
    CHECK(ParsePerfSource(unknown)->line == 0);
  }
  for (const char* no : {"[12]", "x[]", "x[main]", "", "a.c:", "a.c:-1", "a.c:99999999999"})
    CHECK_FALSE(ParsePerfSource(no).has_value());
}

TEST_CASE("a line of any length is looked through at its begin only") {
  std::string words;
  while (words.size() < 8'000'000) words += " 1:2 /3 x:";
  CHECK_FALSE(ParsePerfSample(words).has_value());
  CHECK_FALSE(ParseTimelessPerfSample(words).has_value());
  CHECK(ParsePerfSample("a 10/10 1.0: cycles: " + words).has_value());
}

}  // namespace
}  // namespace geckoprof
