#include "tools/report/sample_tables.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tools/report/process_tree.h"

namespace geckoprof {
namespace {

TEST_CASE("self and total by group, recursion once; the first CPU time is from before") {
  ProfileModel model;
  model.functions = {{0, kNoRow}};
  model.stacks = {{kNoRow, 0, kNoRow}, {0, 0, kNoRow}, {1, 0, kNoRow}, {1, 0, kNoRow}};
  model.threads.emplace_back().samples = {
      {0, 1, 9000000, 0}, {1, 2, 1000000, 2}, {2, 1, 2000000, 3}, {3, 1, 0, 3}, {4, 1, 1, kNoRow}};
  // root left out > A > B, A > A
  const std::vector<int32_t> group_of_stack = {SampleGroups::kLeftOut, 0, 1, 0};
  const SampleGroups sums = SampleGroups::Of(model, group_of_stack, 2, false);
  CHECK(sums.samples == 4);
  CHECK(sums.cpu_ms == 3);
  CHECK(sums.groups[0].self_samples == 1);
  CHECK(sums.groups[0].total_samples == 3);
  CHECK(sums.groups[0].self_cpu_ms == 2);
  CHECK(sums.groups[0].total_cpu_ms == 3);
  CHECK(sums.groups[1].self_samples == 2);
  CHECK(sums.groups[1].total_samples == 2);
  CHECK(SampleGroups::Of(model, group_of_stack, 2, true).groups[0].self_samples == 2);
  model.threads[0].starts_later = true;
  CHECK(SampleGroups::Of(model, group_of_stack, 2, false).cpu_ms == 12);
}

TEST_CASE("a stack as deep as the file likes") {
  ProfileModel model;
  constexpr int32_t kDepth = 1000000;
  for (int32_t i = 0; i < kDepth; ++i) model.stacks.push_back({i - 1, 0, kNoRow});
  model.threads.emplace_back().samples = {{0, 1, -1, kDepth - 1}};
  const SampleGroups sums = SampleGroups::Of(model, std::vector<int32_t>(kDepth, 0), 1, false);
  CHECK(sums.groups[0].total_samples == 1);
}

ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"(root)", "main", "app", "a.cc", "memcpy", "libc.so.6"};
  model.functions = {{0, kNoRow}, {1, 2}, {4, 5}};
  model.frames.resize(1);
  model.frames[0].source = 3;
  model.categories = {"Other", "Program"};
  model.stacks = {{kNoRow, 0, kNoRow, kNoRow}, {0, 1, 1, 0}, {1, 2, kNoRow, kNoRow}};
  model.processes = {{"10", "app", 0}, {"11", "none", 0}};
  model.has_cpu_times = true;
  ProfileThread& thread = model.threads.emplace_back();
  thread.name = "Main";
  thread.tid = 12;
  thread.samples = {{0, 1, 1000000, 1}, {1, 1, 2000000, 2}, {2, 1, 1000000, 2}, {3, 1, 0, 2}};
  return model;
}

TEST_CASE("by function, library, file and category") {
  const ProfileModel model = Demo();
  const ReportTable functions = FunctionTable(model, 1, false);
  REQUIRE(functions.rows.size() == 1);
  CHECK(functions.all_rows == 2);
  const ReportTable::Row& row = functions.rows[0];
  REQUIRE(row.size() == functions.columns.size());
  CHECK(row[0].number == Approx(2 / 3.));
  CHECK(row[1].number == 2);
  CHECK(row[2].number == 3);
  CHECK(row[7].text == "libc.so.6");
  CHECK(row[6].text == "memcpy");
  const ReportTable libraries = LibraryTable(model, 9, false);
  REQUIRE(libraries.rows.size() == 2);
  CHECK(libraries.rows[1][6].text == "app");
  CHECK(libraries.rows[1][3].number == 1);
  const ReportTable files = FileTable(model, 9, false);
  REQUIRE(files.rows.size() == 2);
  CHECK(files.rows[0][6].text == "(unknown source file)");
  CHECK(files.rows[1][6].text == "a.cc");
  CHECK(CategoryTable(model, 9, true).rows.size() == 2);
}

TEST_CASE("the CPU time in gaps is a column of threads and processes, where there is any") {
  ProfileModel model = Demo();
  ProfileThread& thread = model.threads[0];
  thread.has_states = true;
  thread.samples.push_back({20, 0, 4'000'000, kNoRow});
  const ProfileSummary summary = Summarize(model, {});
  for (const ReportTable& table : {ThreadTable(model, summary, 9), ProcessTable(model, summary, 9)}) {
    REQUIRE(table.rows.size() == 1);
    REQUIRE(table.rows[0].size() == table.columns.size());
    CHECK(table.columns[1].key == std::string_view("gapMs"));
    CHECK(table.rows[0][0].number == 7);
    CHECK(table.rows[0][1].number == 4);
  }
}

TEST_CASE("by thread and process") {
  const ProfileModel model = Demo();
  const ProfileSummary summary = Summarize(model, {});
  const ReportTable threads = ThreadTable(model, summary, 9);
  REQUIRE(threads.rows.size() == 1);
  REQUIRE(threads.rows[0].size() == threads.columns.size());
  CHECK(threads.rows[0][0].number == 3);
  CHECK(threads.rows[0][7].text == "Main");
  const ReportTable processes = ProcessTable(model, summary, 9);
  REQUIRE(processes.rows.size() == 1);  // without those that have no thread here
  REQUIRE(processes.rows[0].size() == processes.columns.size());
  CHECK(processes.rows[0][4].number == 1);
  CHECK(processes.rows[0][5].text == "10");
}

TEST_CASE("of a thread without rows no part is idle") {
  ProfileModel model = Demo();
  model.threads[0].samples.clear();
  const ReportTable table = ThreadTable(model, Summarize(model, {}), 9);
  REQUIRE(table.rows.size() == 1);
  CHECK_FALSE(table.rows[0][2].is_known);
}

TEST_CASE("tables of an empty profile are empty") {
  const ProfileModel model;
  CHECK(FunctionTable(model, 9, false).rows.empty());
  CHECK(FileTable(model, 9, false).rows.empty());
  CHECK(ThreadTable(model, {}, 9).rows.empty());
  CHECK(ProcessTable(model, {}, 9).rows.empty());
}

TEST_CASE("bytes of allocations have a column of their own, and are no samples of functions") {
  ProfileModel model = Demo();
  ProfileThread heap = model.threads[0];
  heap.name = "heap";
  heap.weight_unit = ProfileWeightUnit::kBytes;
  for (ProfileSample& sample : heap.samples) sample.weight = 1000;
  model.threads.push_back(heap);
  CHECK(FunctionTable(model, 9, false).title == "Functions (3 samples, 3.0 ms of CPU time)");
  const ReportTable threads = ThreadTable(model, Summarize(model, {}), 9);
  REQUIRE(threads.rows.size() == 2);
  REQUIRE(threads.rows[0].size() == threads.columns.size());
  CHECK(threads.columns[3].key == "bytes");
  CHECK(threads.rows[0][1].number == 3);
  CHECK(threads.rows[0][3].number == 0);
  CHECK(threads.rows[1][1].number == 0);
  CHECK(threads.rows[1][3].number == 4000);
  model.threads.erase(model.threads.begin());
  const ReportTable bytes = FunctionTable(model, 9, false);
  CHECK(bytes.title.starts_with("Functions (4,000 bytes"));
  CHECK(bytes.columns[1].label == "bytes");
}

TEST_CASE("threads and processes count markers as all other views do: joined") {
  ProfileModel model = Demo();
  model.threads[0].markers = {{1, ProfileMarkerPhase::kIntervalStart, 1, 0},
                              {1, ProfileMarkerPhase::kIntervalEnd, 0, 2}};
  const ProfileSummary summary = Summarize(model, {});
  CHECK(ThreadTable(model, summary, 9).rows[0][3].number == 1);
  CHECK(ProcessTable(model, summary, 9).rows[0][3].number == 1);
}

TEST_CASE("processes are in the order of their tree, each with its descendants' CPU time") {
  ProfileModel model;
  model.processes = {{"10", "make", 0, "9"},   {"11", "sh", 0, "10"},      {"12", "sh", 0, "10"},
                     {"11.1", "cc1", 0, "10"}, {"13", "collect", 0, "11"}, {"20", "daemon", 0, "1"},
                     {"30", "a", 0, "31"},     {"31", "b", 0, "30"}};
  const ProcessTree tree(model, {{1, 0}, {2, 0}, {9, 0}, {30, 0}, {4, 0}, {500, 0}, {0, 3}, {0, 2}});
  CHECK(tree.has_children());
  std::string text;
  for (const ProcessTree::Node& node : tree.nodes()) {
    text += std::string(node.depth, ' ') + model.processes[node.row].pid + " " +
            std::to_string(static_cast<int>(node.with_children.first)) + "\n";
  }
  // A cycle is cut at one of its processes.
  CHECK(text == "20 500\n10 46\n 11 36\n  11.1 34\n   13 4\n 12 9\n31 0\n 30 0\n");

  ProfileModel flat;
  flat.processes = {{"1", "a", 0}, {"2", "b", 0}};
  CHECK_FALSE(ProcessTree(flat, {{1, 0}, {2, 0}}).has_children());
}

TEST_CASE("a chain of very many processes is no problem") {
  ProfileModel model;
  constexpr int kProcesses = 100'000;
  for (int i = 0; i < kProcesses; ++i) model.processes.push_back({std::to_string(i + 1), "p", 0, std::to_string(i)});
  const ProcessTree tree(model, std::vector<ProcessTree::Weight>(kProcesses, {1, 0}));
  REQUIRE(tree.nodes().size() == kProcesses);
  CHECK(tree.nodes().front().with_children.first == kProcesses);
  CHECK(tree.nodes().back().depth == kProcesses - 1);
}

}  // namespace
}  // namespace geckoprof
