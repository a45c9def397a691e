#include "tools/report/startup_phases.h"

#include <catch2/catch.hpp>

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
