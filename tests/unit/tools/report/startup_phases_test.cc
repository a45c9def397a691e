#include "tools/report/startup_phases.h"

#include <catch2/catch.hpp>
#include <string_view>

#include "tools/report/startup_table.h"

namespace geckoprof {
namespace {

// Appends a stack of functions, from the outermost on; returns its row.
int32_t AddStack(ProfileModel* model, const std::vector<std::pair<std::string, std::string>>& frames) {
  int32_t row = kNoRow;
  for (const auto& [name, library] : frames) {
    model->strings.push_back(name);
    model->strings.push_back(library);
    const int32_t strings = static_cast<int32_t>(model->strings.size());
    model->functions.push_back({strings - 2, library.empty() ? kNoRow : strings - 1});
    model->stacks.push_back({row, static_cast<int32_t>(model->functions.size()) - 1, kNoRow});
    row = static_cast<int32_t>(model->stacks.size()) - 1;
  }
  return row;
}

using Kind = StartupPhase::Kind;

TEST_CASE("the phases of a start, by where stacks begin") {
  ProfileModel model;
  model.processes = {{"10", "demo", 0}};
  const int32_t loader = AddStack(&model, {{"(root)", ""}, {"ld-linux-x86-64.so.2+0x1", "ld-linux-x86-64.so.2"}});
  const int32_t constructor =
      AddStack(&model, {{"(root)", ""}, {"_dl_init", "ld-linux-x86-64.so.2"}, {"f", "libx.so"}, {"main", "libx.so"}});
  const int32_t own =
      AddStack(&model, {{"(root)", ""}, {"_start", "demo"}, {"__libc_start_main", "libc.so.6"}, {"g", "demo"}});
  const int32_t main = AddStack(&model, {{"(root)", ""},
                                         {"_start", "demo"},
                                         {"__libc_start_main", "libc.so.6"},
                                         {"libc.so.6+0x27249", "libc.so.6"},
                                         {"fun_1", "demo"}});
  const int32_t named = AddStack(&model, {{"main", "demo"}});
  ProfileThread thread;
  thread.is_main = true;
  thread.samples = {{1, 1, 5000000, loader}, {2, 1, 1000000, constructor}, {4, 1, 2000000, constructor},
                    {5, 1, 1000000, own},    {6, 1, 1000000, main},        {7, 1, 0, loader},
                    {8, 1, 1000000, kNoRow}};
  model.has_cpu_times = true;
  model.strings.push_back("exec to constructor (dynamic linker)");
  const int32_t exec = static_cast<int32_t>(model.strings.size()) - 1;
  model.strings.push_back("Profilers handover");
  thread.markers = {{exec, ProfileMarkerPhase::kInterval, -3, 1}, {exec + 1, ProfileMarkerPhase::kInterval, 6.5, 7}};
  model.threads = {thread};
  const std::vector<StartupPhase> phases = StartupPhasesOf(model);
  REQUIRE(phases.size() == 6);
  CHECK((phases[0].kind == Kind::kExec && phases[0].duration_ms == 4));
  CHECK((phases[1].kind == Kind::kLoader && phases[1].samples == 1 && phases[1].cpu_ms == 0));
  CHECK((phases[2].kind == Kind::kConstructors && phases[2].what == "libx.so" && phases[2].cpu_ms == 3));
  CHECK(phases[2].duration_ms == 2);
  CHECK((phases[3].kind == Kind::kConstructors && phases[3].what == "demo"));
  CHECK((phases[4].kind == Kind::kMain && phases[4].what == "demo" && phases[4].start_ms == 6));
  CHECK((phases[4].duration_ms == 2 && phases[4].samples == 2));  // what comes after main began is main
  CHECK((phases[5].kind == Kind::kHandover && phases[5].duration_ms == 0.5));
  model.threads[0].samples = {{1, 1, -1, named}};
  model.threads[0].markers.clear();
  CHECK(StartupPhasesOf(model).at(0).kind == Kind::kMain);
  CHECK(std::string(PhaseName(Kind::kConstructors)) == "static constructors");
}

TEST_CASE("the program's constructors are known by who calls them, in a libc with its symbols, too") {
  for (const auto& [caller, library] : std::vector<std::pair<std::string, std::string>>{
           {"call_init", "libc.so.6"}, {"__libc_csu_init", "demo"}, {"_init", "demo"}}) {
    INFO(caller);
    ProfileModel model;
    model.processes = {{"10", "demo", 0}};
    const int32_t constructor = AddStack(&model, {{"(root)", ""},
                                                  {"_start", "demo"},
                                                  {"__libc_start_main_impl", "libc.so.6"},
                                                  {caller, library},
                                                  {"_GLOBAL__sub_I_table", "demo"}});
    ProfileThread thread;
    thread.is_main = true;
    thread.samples = {{1, 1, 1000, constructor}, {2, 1, 1000, AddStack(&model, {{"main", "demo"}})}};
    model.threads = {thread};
    const std::vector<StartupPhase> phases = StartupPhasesOf(model);
    REQUIRE(phases.size() == 2);
    CHECK((phases[0].kind == Kind::kConstructors && phases[0].what == "demo"));
    CHECK(phases[1].kind == Kind::kMain);
  }
}

TEST_CASE("without names, the program's constructors are known by libc's start code") {
  struct Case {
    const char* what;
    std::vector<std::pair<std::string, std::string>> frames;
    Kind kind;
  };
  const std::pair<std::string, std::string> root{"(root)", ""}, start{"demo+0x1060", "demo"},
      libc{"libc.so.6+0x27200", "libc.so.6"}, libc_too{"libc.so.6+0x27100", "libc.so.6"}, own{"demo+0x2000", "demo"};
  const Case cases[] = {{"a constructor", {root, start, libc, own}, Kind::kConstructors},
                        {"main", {root, start, libc, libc_too, own}, Kind::kMain},
                        {"static linking", {root, start, own, own}, Kind::kMain},
                        {"a cut stack", {root, {"(stack is incomplete)", ""}, own, libc, own}, Kind::kMain},
                        {"a stack of one frame", {root, own}, Kind::kMain},
                        {"a processed profile",
                         {root, {"0x1060", "demo"}, {"0x27200", "libc.so.6"}, {"0x2000", "demo"}},
                         Kind::kConstructors},
                        {"a stripped program, and a libc with its symbols",
                         {root,
                          {"fun_1170", "demo"},
                          {"__libc_start_main", "libc.so.6"},
                          {"call_init", "libc.so.6"},
                          {"fun_1140", "demo"}},
                         Kind::kConstructors},
                        {"its main",
                         {root,
                          {"fun_1170", "demo"},
                          {"__libc_start_main", "libc.so.6"},
                          {"__libc_start_call_main", "libc.so.6"},
                          {"fun_1110", "demo"}},
                         Kind::kMain},
                        {"a function with a name like that",
                         {root, {"fun_ction", "demo"}, {"__libc_start_main", "libc.so.6"}, {"fun_1140", "demo"}},
                         Kind::kMain},
                        {"an older glibc", {root, start, {"libc-2.31.so+0x100", "libc-2.31.so"}, own}, Kind::kMain}};
  for (const Case& c : cases) {
    INFO(c.what);
    ProfileModel model;
    model.processes = {{"10", "demo", 0}};
    ProfileThread thread;
    thread.is_main = true;
    thread.samples = {{1, 1, 1000, AddStack(&model, c.frames)}};
    model.threads = {thread};
    const std::vector<StartupPhase> phases = StartupPhasesOf(model);
    REQUIRE(phases.size() == 1);
    CHECK(phases[0].kind == c.kind);
    CHECK(phases[0].what == "demo");
  }
}

// Appends a marker with a type and fields. `file` is its text field.
void AddTyped(ProfileModel* model, ProfileThread* thread, const char* name, const char* type, double start_ms,
              double end_ms, const std::vector<std::pair<const char*, double>>& numbers, const char* file) {
  const auto text = [model](const char* word) {
    model->strings.emplace_back(word);
    return static_cast<int32_t>(model->strings.size()) - 1;
  };
  ProfileMarkerData data;
  data.type = text(type);
  data.first_field = static_cast<uint32_t>(model->marker_fields.size());
  model->marker_fields.push_back({text("file"), ProfileMarkerField::Kind::kText, text(file), 0});
  for (const auto& [key, number] : numbers) {
    model->marker_fields.push_back({text(key), ProfileMarkerField::Kind::kNumber, kNoRow, number});
  }
  data.field_count = static_cast<uint32_t>(model->marker_fields.size()) - data.first_field;
  model->marker_data.push_back(data);
  ProfileMarker marker = {text(name), ProfileMarkerPhase::kInterval, start_ms, end_ms};
  marker.data = static_cast<int32_t>(model->marker_data.size()) - 1;
  thread->markers.push_back(marker);
}

ProfileModel MeasuredStart() {
  ProfileModel model;
  model.processes = {{"10", "demo", 0}};
  model.command_line = "demo app.py --x";
  model.has_cpu_times = true;
  const int32_t constructor =
      AddStack(&model, {{"(root)", ""}, {"_dl_init", "ld-linux-x86-64.so.2"}, {"f", "libx.so"}});
  const int32_t main = AddStack(&model, {{"main", "demo"}});
  ProfileThread thread;
  thread.is_main = true;
  thread.samples = {
      {2, 1, 1000000, constructor}, {3, 1, 1000000, constructor}, {5, 1, 2000000, main}, {9, 1, 4000000, main}};
  AddTyped(&model, &thread, "Library load", "LibraryLoad", 1.5, 3.5, {{"constructors", 2}}, "/lib/libx.so");
  AddTyped(&model, &thread, "Library load", "LibraryLoad", 3.5, 3.6, {{"constructors", 0.1}}, "/lib/libshort.so");
  AddTyped(&model, &thread, "dlopen", "LibraryCall", 5.5, 7.5,
           {{"mapping", 0.5}, {"relocation", 1}, {"constructors", 0.5}}, "./libz.so");
  AddTyped(&model, &thread, "Library unload", "LibraryUnload", 8, 8.5, {}, "./libz.so");
  model.threads = {thread};
  return model;
}

TEST_CASE("what markers measure of a start replaces the samples of it") {
  const std::vector<StartupPhase> phases = StartupPhasesOf(MeasuredStart());
  REQUIRE(phases.size() == 4);
  CHECK((phases[0].kind == Kind::kConstructors && phases[0].what == "libx.so" && phases[0].is_measured));
  CHECK((phases[0].duration_ms == 2 && phases[0].cpu_ms == 2 && phases[0].samples == 2));
  CHECK((phases[2].kind == Kind::kMain && phases[2].what == "demo app.py --x" && !phases[2].is_measured));
  CHECK((phases[3].kind == Kind::kLoad && phases[3].what == "./libz.so" && phases[3].relocation_ms == 1));
}

TEST_CASE("shares are of the time until main, or until the last phase that the program names") {
  ProfileModel model = MeasuredStart();
  const auto share = [](const ReportTable& table, std::string_view phase) {
    for (const ReportTable::Row& row : table.rows) {
      for (const ReportTable::Cell& cell : row) {
        if (cell.text == phase) return row[2].is_known ? row[2].number : -1;
      }
    }
    return -2.0;
  };
  const ReportTable plain = StartupTable(model, 9);
  CHECK(plain.all_rows == 3);  // the short one is a note
  CHECK(share(plain, "libx.so") == Approx(2 / 3.5));
  CHECK((share(plain, "dlopen") == -1 && share(plain, "main") == -1));
  CHECK(plain.notes.size() == 3);
  AddTyped(&model, &model.threads[0], "open window", "StartupPhase", 5, 11.5, {}, "");
  const ReportTable named = StartupTable(model, 9);
  CHECK(share(named, "open window") == Approx(0.65));
  CHECK(share(named, "dlopen") == Approx(0.2));
}

TEST_CASE("phases of several processes are in order of time") {
  ProfileModel model;
  model.processes = {{"10", "first", 0}, {"11", "second", 0}};
  const int32_t main = AddStack(&model, {{"main", "demo"}});
  const int32_t loader = AddStack(&model, {{"_dl_start", "ld-linux-x86-64.so.2"}});
  ProfileThread first, second;
  first.is_main = second.is_main = true;
  second.process = 1;
  first.samples = {{1, 1, 1000, loader}, {9, 1, 1000, main}};
  second.samples = {{4, 1, 1000, loader}, {6, 1, 1000, main}};
  model.threads = {first, second};
  const std::vector<StartupPhase> phases = StartupPhasesOf(model);
  REQUIRE(phases.size() == 4);
  CHECK(phases[0].process == 0);
  CHECK(phases[1].process == 1);
  CHECK(phases[2].process == 1);
  CHECK(phases[3].process == 0);
  CHECK(phases[3].kind == Kind::kMain);
}

}  // namespace
}  // namespace geckoprof
