#include "tools/report/text_report.h"

#include <catch2/catch.hpp>

#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/profile_filter.h"

namespace geckoprof {
namespace {

using Rows = std::vector<size_t>;

ProfileSummary::Thread Thread(std::optional<int64_t> cpu_ns, double samples, double idle_samples = 0) {
  ProfileSummary::Thread thread;
  thread.cpu_ns = cpu_ns;
  thread.samples = samples;
  thread.idle_samples = idle_samples;
  return thread;
}

ProfileSummary Helpers(size_t count) {
  ProfileSummary summary;
  summary.threads = {Thread(1'000'000, 1000), Thread(20'000, 20)};
  summary.threads.insert(summary.threads.end(), count, Thread(3'000, 2));
  return summary;
}

TEST_CASE("what fits is listed, however little it is") {
  const ListedThreads listed = ListThreads(Helpers(3), 5);
  CHECK(listed.rows == Rows{0, 1, 2, 3, 4});
  CHECK(listed.others == 0);
}

TEST_CASE("of more, tiny ones are summed up") {
  const ListedThreads listed = ListThreads(Helpers(60), 5);
  CHECK(listed.rows == Rows{0, 1});
  CHECK(listed.others == 60);
  CHECK(listed.cpu_ns == 180'000);
  CHECK(listed.samples == 120);
}

TEST_CASE("threads that lived, have markers or bytes are not tiny") {
  ProfileSummary summary = Helpers(4);
  summary.threads.push_back(Thread(0, 0, 500));
  summary.threads.push_back(Thread(std::nullopt, 0));
  summary.threads.back().markers = 1;
  summary.threads.push_back(Thread(std::nullopt, 0));
  summary.threads.back().allocations.bytes = 4096;
  CHECK(ListThreads(summary, 8).rows == Rows{0, 1, 6, 7, 8});
  CHECK(ListThreads(summary, 4).rows == Rows{0, 1, 6, 7});
  CHECK(ListThreads(summary, 4).others == 5);
}

TEST_CASE("the same of all, or nothing of any, is listed as far as it fits") {
  ProfileSummary summary;
  summary.threads.assign(30, Thread(50, 10));
  CHECK(ListThreads(summary, 20).rows.size() == 20);
  CHECK(ListThreads(summary, 20).cpu_ns == 500);
  summary.threads.assign(30, Thread(std::nullopt, 0));
  CHECK(ListThreads(summary, 20).rows.size() == 20);
  CHECK_FALSE(ListThreads(summary, 20).cpu_ns.has_value());
}

std::string Golden(const std::string& name) {
  const auto text = ReadProfileFile(std::string(GECKOPROF_GOLDEN_DIR "/") + name);
  REQUIRE(text.ok());
  return *text;
}

// The golden text is what `cd tests/golden && geckoprof report NAME.json > NAME.report.txt` writes.
void RequireGolden(const std::string& name) {
  const auto model = LoadProfileText(Golden(name + ".json"));
  REQUIRE(model.ok());
  CHECK(WriteTextReport(*model, Summarize(*model, {}), name + ".json", 20, {}) == Golden(name + ".report.txt"));
}

TEST_CASE("the report of a Gecko profile") { RequireGolden("firefox_gecko_34"); }
TEST_CASE("the report of a processed profile") { RequireGolden("demo_processed_69"); }

TEST_CASE("lines keep to the terminal's width; colours only where they are welcome") {
  const auto model = LoadProfileText(Golden("firefox_gecko_34.json"));
  REQUIRE(model.ok());
  const ProfileSummary summary = Summarize(*model, {});
  const std::string text = WriteTextReport(*model, summary, "x.json", 3, {40, false});
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    CHECK(DisplayWidth(text.substr(begin, end - begin)) <= 40);
    begin = end + 1;
  }
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("more\n") != std::string::npos);
  CHECK(WriteTextReport(*model, summary, "x.json", 3, {80, true}).find("\x1b[1mThreads\x1b[0m\n") != std::string::npos);
}

// One stack "f", sampled once, in a library.
ProfileModel OneFunction(const std::string& name, const std::string& library) {
  ProfileModel model;
  model.strings = {name, library};
  model.functions = {{0, 1}};
  model.stacks = {{kNoRow, 0, kNoRow}};
  model.processes = {{"1234567.12", "", 0}};
  ProfileThread thread;
  thread.tid = 12345678;
  thread.samples.push_back({1, 1, -1, 0});
  model.threads.push_back(thread);
  return model;
}

TEST_CASE("a command of thousands of words is cut, unless full names are asked for") {
  ProfileModel model = OneFunction("f", "lib");
  for (int i = 0; i < 5'000; ++i) model.command_line += "word ";
  model.command_line += "last";
  const ProfileSummary summary = Summarize(model, {});
  TerminalStyle style;
  CHECK(WriteTextReport(model, summary, "x.json", 3, style).find("last") == std::string::npos);
  style.full_names = true;
  CHECK(WriteTextReport(model, summary, "x.json", 3, style).find(" last\n") != std::string::npos);
}

TEST_CASE("the end of the program is a line near the top") {
  ProfileModel model = OneFunction("f", "lib");
  model.sections = {{"Recording", {{"End", "Segmentation fault (core dumped)", ProfileSection::Entry::Kind::kText}}}};
  const std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 3, {});
  CHECK(text.find("\nEnd          Segmentation fault (core dumped)\n") < text.find("\nThreads\n"));
}

TEST_CASE("of no samples none are idle") {
  ProfileModel model = OneFunction("f", "l");
  model.threads[0].samples.clear();
  const std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 3, {});
  CHECK(text.find("           -          0        -  1234567.12/12345678  (no name)\n") != std::string::npos);
}

TEST_CASE("gaps are told, with their thread, their cause and a remedy") {
  ProfileModel model = OneFunction("f", "l");
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  thread.samples = {{1, 1, -1, 0}, {90, 0, 80'000'000, kNoRow}, {91, 1, 20'000'000, 0}};
  const auto text = [&model] { return WriteTextReport(model, Summarize(model, {}), "x.json", 3, {}); };
  CHECK(text().find("Gaps         80.0 ms (80.0 %) without samples, in 1 gap\n"
                    "             The sampler was late, or it had no buffer left.\n"
                    "             A less busy machine or a longer --interval helps.\n") != std::string::npos);
  CHECK(text().find("(no name): 80.0 ms without samples, in 1 gap\n") != std::string::npos);
  CHECK(text().find("Contents     2 samples of") != std::string::npos);
  thread.samples[1].cpu_ns = 0;
  CHECK(text().find("ap") == std::string::npos);
}

TEST_CASE("fractions of samples that add up differently in another order are not called idle ones") {
  ProfileModel model;
  model.strings = {"f", "g", "h"};
  model.functions = {{0, kNoRow}, {1, kNoRow}, {2, kNoRow}};
  model.stacks = {{kNoRow, 0, 0}, {kNoRow, 1, 0}, {kNoRow, 2, 0}};
  model.categories = {"Other"};
  model.processes.resize(1);
  auto& samples = model.threads.emplace_back().samples;
  for (int i = 0; i < 673; ++i) samples.push_back({static_cast<double>(i), 0.3, -1, i % 7 % 3});
  const ProfileSummary summary = Summarize(model, {});
  REQUIRE(summary.counted_samples != summary.samples);  // else this shows nothing
  const std::string text = WriteTextReport(model, summary, "x", 20, {});
  CHECK(text.find("201.9 samples)") != std::string::npos);
  CHECK(text.find("with the idle ones") == std::string::npos);
}

TEST_CASE("contents: samples, idle ones, processes and their programs; no stacks are named so") {
  ProfileModel model = OneFunction("(root)", "l");
  model.format = ProfileFormat::kProcessed;
  model.functions = {{0, kNoRow}};
  model.processes.push_back({"1234567.13", "", 0});
  model.threads.push_back(model.threads[0]);
  model.threads[1].process = 1;
  model.threads[1].samples.push_back({2, 7, 0, 0});
  const std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  CHECK(text.find("2 samples and 7 idle ones of 2 threads in 1 process (2 recordings), 0 markers\n") !=
        std::string::npos);
  CHECK(text.find("Functions by own time (2 samples)\n  no stacks were recorded\n") != std::string::npos);
  CHECK(text.find("Heaviest call path\n  no stacks were recorded\n") != std::string::npos);
}

TEST_CASE("long names of functions are shortened, and the library behind them stays in sight") {
  const std::string name =
      "demo::Table<std::pair<long, char>, demo::Hash>::Insert(demo::Key const&, " + std::string(80, 'x') + ")";
  const ProfileModel model = OneFunction(name, "libdemo.so");
  const ProfileSummary summary = Summarize(model, {});
  const std::string pipe = WriteTextReport(model, summary, "x.json", 20, {});
  CHECK(pipe.find(" demo::Table<std::pair<long, char>, demo::Hash>::Insert(...)  [libdemo.so]\n") != std::string::npos);
  CHECK(pipe.find(" 1234567.12/12345678  (no name)\n") != std::string::npos);  // ids are not cut
  const std::string terminal = WriteTextReport(model, summary, "x.json", 20, {80, false, false});
  CHECK(terminal.find(" demo::Table<...>::Insert(…  [libdemo.so]\n") != std::string::npos);
  const std::string full = WriteTextReport(model, summary, "x.json", 20, {0, false, true});
  CHECK(full.find(name + "  [libdemo.so]\n") != std::string::npos);
}

TEST_CASE("the sections of many processes are added up behind that of the recording") {
  ProfileModel model = OneFunction("f", "l");
  using Kind = ProfileSection::Entry::Kind;
  for (int i = 0; i < 5; ++i) {
    model.sections.push_back(
        {"p" + std::to_string(i), {{"Samples", "1000", Kind::kNumber}, {"Size", "1024", Kind::kBytes}}});
  }
  std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  CHECK(text.find("Recording: p4\n  Samples  1,000\n  Size     1.0 KiB\n") != std::string::npos);
  model.sections.push_back(model.sections[0]);
  text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  CHECK(text.find("Recording: p0\n") != std::string::npos);
  CHECK(text.find("Recording: p4\n") == std::string::npos);
  CHECK(text.find("the other 5 sections added up (--json lists them)\n  Samples  1,000 each\n") != std::string::npos);
}

TEST_CASE("many threads that did nothing are one line") {
  ProfileModel model = OneFunction("f", "l");
  const ProfileThread idle = [&model] {
    ProfileThread thread = model.threads[0];
    thread.samples.clear();
    return thread;
  }();
  model.threads.insert(model.threads.end(), 60, idle);
  const std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  CHECK(text.find("(no name)\n  ... and 60 more: 0 samples (all: --by thread --top 61)\n") != std::string::npos);
}

TEST_CASE("counters with what they added, and how fast; those of other processes are left out") {
  ProfileModel model = OneFunction("f", "l");
  model.processes.push_back({"8", "", 0});
  model.counters = {{0, "cache", "Memory", "bytes", -1536, 3, true, 1000, 3000},
                    {1, "requests", "Server", "", 12345, 0, false, 0, 1000},
                    {0, "package", "", "pWh", 1e9, 0, false, 0, 2000},
                    {0, "never", "", "ns", 0, 0, false, 5, 5}};
  model.counters[0].peak = 2048;
  model.counters[1].is_rate = model.counters[2].is_rate = true;
  model.counters[1].peak = 20'000;
  model.counters[2].peak = 2e9;
  const std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  INFO(text);
  CHECK(text.find("         total         a second             peak   operations  name\n") != std::string::npos);
  CHECK(text.find("      -1.5 KiB       -768 bytes          2.0 KiB            3  cache  (Memory)  1234567.12\n") !=
        std::string::npos);
  CHECK(text.find("        12,345           12,345         20,000/s            -  requests  (Server)  8\n") !=
        std::string::npos);
  CHECK(text.find("        3.60 J           1.80 W           7.20 W            -  package  1234567.12\n") !=
        std::string::npos);
  CHECK(text.find("          0 ns                -                -            -  never  1234567.12\n") !=
        std::string::npos);
  ProfileModel of_one = model;
  ProfileFilter filter;
  filter.process = "8";
  FilterProfile(filter, &of_one);
  const std::string one = WriteTextReport(of_one, Summarize(of_one, {}), "x.json", 20, {});
  CHECK(one.find("requests") != std::string::npos);
  CHECK(one.find("cache") == std::string::npos);
  model.counters.clear();
  CHECK(WriteTextReport(model, Summarize(model, {}), "x.json", 20, {}).find("Counters") == std::string::npos);
}

TEST_CASE("allocations are told of beside the samples, in lines of their own") {
  ProfileModel model = OneFunction("f", "l");
  model.threads.push_back(model.threads[0]);
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[1].name = "heap";
  model.threads[1].samples = {{1, 4096, -1, 0}, {2, 0, -1, 0}, {3, 0, -1, 0}};
  model.threads[1].frees = {{2, 96, -1, 0}};
  std::string text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  INFO(text);
  CHECK(text.find(
            "1 sample of 2 threads in 1 process, 0 markers, and 4,096 bytes in 1 allocation, 96 bytes in 1 free\n") !=
        std::string::npos);
  CHECK(text.find("1 row whose weight is 0, negative or too large to be counted\n") != std::string::npos);
  CHECK(text.find("  heap: 4,096 bytes in 1 allocation, 96 bytes in 1 free\n") != std::string::npos);
  CHECK(text.find("Functions by own time (1 sample)\n") != std::string::npos);
  model.threads.erase(model.threads.begin());
  text = WriteTextReport(model, Summarize(model, {}), "x.json", 20, {});
  CHECK(text.find("4,096 bytes in 1 row, 96 bytes in 1 free of 1 thread in 1 process, 0 markers\n") !=
        std::string::npos);
  CHECK(text.find("Functions by own bytes (4,096 bytes)\n") != std::string::npos);
  CHECK(text.find("sample") == text.find("samples     idle"));  // the head of a column alone
}

}  // namespace
}  // namespace geckoprof
