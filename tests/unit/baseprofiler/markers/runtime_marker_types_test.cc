#include "markers/runtime_marker_types.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/forked_check.h"
#include "tests/support/interrupted_at.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

struct Example {
  std::array<geckoprof_marker_field, 2> fields{
      {{"path", "Path", "file-path", GECKOPROF_FIELD_STRING, 0},
       {"size", nullptr, "bytes", GECKOPROF_FIELD_UINT64, GECKOPROF_FIELD_OPTIONAL}}};
  geckoprof_marker_graph graph{"size", "bar", "red"};
  geckoprof_marker_note note{"Note", "of the type"};
  const char* display[1] = {"marker-table"};
  geckoprof_marker_type type{};
  explicit Example(const char* name) {
    type.size_bytes = sizeof type;
    type.name = name;
    type.chart_label = "{marker.data.path}";
    type.fields = fields.data();
    type.field_count = 2;
    type.graphs = &graph;
    type.graph_count = 1;
    type.notes = &note;
    type.note_count = 1;
    type.display = display;
    type.display_count = 1;
  }
};

TEST_CASE("a type is declared once, and refers to nothing of the program's") {
  Example example("once");
  geckoprof_type* const type = RuntimeMarkerTypes::Type(&example.type);
  REQUIRE(type != nullptr);
  std::string name = "once";
  Example same(name.c_str());
  CHECK(RuntimeMarkerTypes::Type(&same.type) == type);
  same.fields[1].label = "Size";
  CHECK(RuntimeMarkerTypes::Type(&same.type) != type);
  example.fields[0] = {"other", nullptr, nullptr, GECKOPROF_FIELD_BOOL, 0};
  example.note.value = "changed";
  CHECK(std::string(type->kind.fields[0].key) == "path");
  CHECK(type->kind.fields[1].label == nullptr);
  CHECK(std::string(type->kind.notes[0].value) == "of the type");
  CHECK(std::string(type->kind.graphs[0].type) == "bar");
  CHECK(std::string(type->kind.display[0]) == "marker-table");
  CHECK(type->kind.registered == 0);
}

#ifdef GECKOPROF_CAN_INTERRUPT_AT
TEST_CASE("a handler that leaves a declaration by a jump leaves no lock behind") {
  if (kIsSanitized) return;  // ten times the instructions, and a jump that it must not see
  CHECK(StatusInChild([] {
          static sigjmp_buf before;
          signal(SIGUSR1, [](int) { siglongjmp(before, 1); });
          static Example example("left");
          static std::string name;
          static bool goes_on = true;  // static: a jump comes back to it
          static uint64_t i = 0;
          for (; goes_on; i += 97) {
            alarm(60);  // for this one step, because a busy machine takes long for all
            name = "site " + std::to_string(i);
            const auto declare = [] {
              RuntimeMarkerTypes::Site(name.c_str(), 0, RuntimeMarkerTypes::Type(&example.type));
            };
            if (sigsetjmp(before, 1) == 0)
              goes_on = InterruptedAt(
                  i, [] { raise(SIGUSR1); }, declare);
            FORKED_REQUIRE(RuntimeMarkerTypes::Site(name.c_str(), 0, RuntimeMarkerTypes::Type(&example.type)) !=
                           nullptr);
          }
          return 0;
        }) == 0);
}
#endif

TEST_CASE("a type that says nothing of where is shown in chart and table") {
  Example example("shown");
  example.type.display = nullptr;
  example.type.display_count = 0;
  const geckoprof_type* const type = RuntimeMarkerTypes::Type(&example.type);
  REQUIRE((type != nullptr && type->kind.display_count == 2));
  CHECK(std::string(type->kind.display[0]) + " " + type->kind.display[1] == "marker-chart marker-table");
}

TEST_CASE("each mistake of a description has its sentence") {
  struct Mistake {
    std::string problem;
    std::function<void(Example&)> make;
  };
  const std::string long_text(RuntimeMarkerTypes::kLargestTextBytes, 'x');
  const std::vector<geckoprof_marker_field> many(GECKOPROF_MOST_FIELDS + 1);
  const std::string kLabelProblem = "a label has something else in braces than what a marker has";
  const std::vector<Mistake> mistakes = {
      {"there is no whole description", [](Example& e) { e.type.size_bytes = 8; }},
      {"the type has no name", [](Example& e) { e.type.name = ""; }},
      {"the type's name is one of the viewer's own: another, or no schema and the fields that the viewer wants",
       [](Example& e) { e.type.name = "GCMajor"; }},
      {"without a schema, the viewer shows no field of a type that it does not know by its name",
       [](Example& e) { e.type.flags = GECKOPROF_TYPE_NO_SCHEMA; }},
      {"there are more than 31 fields", [&](Example& e) { e.type.fields = many.data(), e.type.field_count = 32; }},
      {"a list is too long", [](Example& e) { e.type.graph_count = 1000; }},
      {"a list is counted and not there", [](Example& e) { e.type.notes = nullptr; }},
      {"a field has no key", [](Example& e) { e.fields[1].key = nullptr; }},
      {"a field is of an unknown kind", [](Example& e) { e.fields[0].kind = 77; }},
      {"a field has flags that declared types cannot have", [](Example& e) { e.fields[0].flags = 4; }},
      {"the viewer has no such format", [](Example& e) { e.fields[0].format = "file path"; }},
      {"the viewer has no such format", [](Example& e) { e.fields[0].format = GECKOPROF_TABLE; }},
      {"the viewer has no such format",
       [](Example& e) { e.fields[0].format = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "list"); }},
      {"the viewer has no such format",
       [](Example& e) { e.fields[0].format = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "string") "b"; }},
      {"a field's format is not one for its kind",
       [](Example& e) { e.fields[0].format = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "string"); }},
      {"a field's format is not one for its kind", [](Example& e) { e.fields[0].format = "list"; }},
      {"a field's format is not one for its kind", [](Example& e) { e.fields[0].format = "bytes"; }},
      {"a field's format is not one for its kind", [](Example& e) { e.fields[0].format = "flow-id"; }},
      {"a field's format is not one for its kind", [](Example& e) { e.fields[1].format = "unique-string"; }},
      {"the keys \"type\", \"cause\", \"stack\" and those of flows are taken",
       [](Example& e) { e.fields[0].key = "type"; }},
      {"the keys \"type\", \"cause\", \"stack\" and those of flows are taken",
       [](Example& e) { e.fields[0].key = "stack"; }},
      {"the keys \"type\", \"cause\", \"stack\" and those of flows are taken",
       [](Example& e) { e.fields[0].key = "markerFlow"; }},
      {"two fields have the same key", [](Example& e) { e.fields[1].key = "path"; }},
      {"the viewer shows markers at no such place", [](Example& e) { e.display[0] = "chart"; }},
      {"a graph is of no field with a number", [](Example& e) { e.graph.key = "sise"; }},
      {"a graph is of no field with a number", [](Example& e) { e.graph.key = "path"; }},
      {"the viewer has no such graph", [](Example& e) { e.graph.type = "pie"; }},
      {"the viewer has no such graph", [](Example& e) { e.graph.type = nullptr; }},
      {"the viewer has no such colour for a graph", [](Example& e) { e.graph.color = "pink"; }},
      {"the type has unknown flags", [](Example& e) { e.type.flags = 4; }},
      {"the colour is no field with a text", [](Example& e) { e.type.color_field = "colour"; }},
      {kLabelProblem, [](Example& e) { e.type.table_label = "{marker.data.zz}"; }},
      {kLabelProblem, [](Example& e) { e.type.chart_label = "{marker.foo}"; }},
      {kLabelProblem, [](Example& e) { e.type.chart_label = "{marker.data.path ? 'it'}"; }},
      {kLabelProblem, [](Example& e) { e.type.chart_label = "{marker.data.path ? : }"; }},
      {kLabelProblem, [](Example& e) { e.type.chart_label = "{marker.name ? 'a' : 'b'}"; }},
      {kLabelProblem, [](Example& e) { e.fields[0].key = "path.of", e.type.chart_label = "{marker.data.path.of}"; }},
      {kLabelProblem, [](Example& e) { e.type.tooltip_label = "a {marker.name"; }},
      {"its texts are longer than 8 KiB together", [&](Example& e) { e.type.description = long_text.c_str(); }},
  };
  CHECK(RuntimeMarkerTypes::Problem(nullptr) != nullptr);
  CHECK(RuntimeMarkerTypes::Type(nullptr) == nullptr);
  for (const Mistake& mistake : mistakes) {
    Example example("mistaken");
    REQUIRE(RuntimeMarkerTypes::Problem(&example.type) == nullptr);
    mistake.make(example);
    const char* const problem = RuntimeMarkerTypes::Problem(&example.type);
    CHECK(std::string(problem == nullptr ? "none" : problem) == mistake.problem);
    CHECK(RuntimeMarkerTypes::Type(&example.type) == nullptr);
  }
}

TEST_CASE("a type of the viewer's own is taken without a schema") {
  for (const char* const name : {"Network", "FileIO"}) {
    Example example(name);
    example.type.flags = GECKOPROF_TYPE_NO_SCHEMA;
    CHECK(RuntimeMarkerTypes::Problem(&example.type) == nullptr);
  }
}

TEST_CASE("labels of each form are taken") {
  Example example("labels");
  for (const char* const label :
       {"", "plain", "{marker.name} {marker.duration}", "{ marker.data.path }", "{marker.data.path ? 'a}' : 'b'}"}) {
    example.type.table_label = label;
    CHECK(RuntimeMarkerTypes::Problem(&example.type) == nullptr);
  }
}

TEST_CASE("the columns of a table's format") {
  CHECK(RuntimeMarkerTypes::CountColumns(nullptr) == 0);
  for (const char* const none : {"", "string", "list", "table", "tables", "table\x1e",
                                 "table\x1e"
                                 "a",
                                 "table\x1e"
                                 "a\x1f",
                                 "table\x1e"
                                 "a\x1fnonsense",
                                 "table\x1e"
                                 "a\x1funique-string",
                                 "table\x1f\x1e",
                                 "table\x1e"
                                 "a\x1f"
                                 "flow-id",
                                 "table\x1e"
                                 "a\x1fstring\x1e"}) {
    INFO(none);
    CHECK(RuntimeMarkerTypes::CountColumns(none) == 0);
  }
  CHECK(RuntimeMarkerTypes::CountColumns(GECKOPROF_TABLE GECKOPROF_COLUMN("", "string")) == 1);
  constexpr const char* kTwo = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "bytes") GECKOPROF_COLUMN("b", "tid");
  CHECK(RuntimeMarkerTypes::CountColumns(kTwo) == 2);
  CHECK(RuntimeMarkerTypes::CountDeclaredColumns(kTwo) == 2);
  for (const char* const none : {static_cast<const char*>(nullptr), "", "list", "bytes"}) {
    CHECK(RuntimeMarkerTypes::CountDeclaredColumns(none) == 0);
  }
}

TEST_CASE("sites differ by name, category and type") {
  Example example("of sites");
  geckoprof_type* const type = RuntimeMarkerTypes::Type(&example.type);
  geckoprof_site* const site = RuntimeMarkerTypes::Site("name", 256, type);
  REQUIRE(site != nullptr);
  CHECK(RuntimeMarkerTypes::Site(std::string("name").c_str(), 256, type) == site);
  CHECK(RuntimeMarkerTypes::Site("name", 512, type) != site);
  CHECK(RuntimeMarkerTypes::Site("other", 256, type) != site);
  CHECK(RuntimeMarkerTypes::Site("name", 256, nullptr) != site);
  CHECK(RuntimeMarkerTypes::Site(nullptr, 256, type) != RuntimeMarkerTypes::Site("", 256, type));
  CHECK((site->type == &type->kind && site->category_pair == 256));
  const std::string longest(RuntimeMarkerTypes::kLargestTextBytes, 'x');
  CHECK(RuntimeMarkerTypes::Site(longest.c_str(), 256, nullptr) != nullptr);
  CHECK(RuntimeMarkerTypes::Site((longest + 'x').c_str(), 256, nullptr) == nullptr);
}

TEST_CASE("there is an end to sites, and those that are there stay known") {
  CHECK(StatusInChild([] {
          geckoprof_site* const first = RuntimeMarkerTypes::Site("first of many", 256, nullptr);
          uint32_t made = 0;
          while (made <= RuntimeMarkerTypes::kMax && RuntimeMarkerTypes::Site("many", made << 8, nullptr) != nullptr)
            ++made;
          FORKED_REQUIRE(made > 1000 && made < RuntimeMarkerTypes::kMax);
          FORKED_REQUIRE(RuntimeMarkerTypes::Site("one more", 256, nullptr) == nullptr);
          FORKED_REQUIRE(RuntimeMarkerTypes::Site("first of many", 256, nullptr) == first);
          return 0;
        }) == 0);
}

TEST_CASE("however many threads declare the same, they get the same") {
  std::vector<geckoprof_type*> types(8);
  std::vector<std::thread> threads;
  for (geckoprof_type*& type : types) {
    threads.emplace_back([&type] {
      for (int i = 0; i < 200; ++i) {
        const Example example(i % 2 == 0 ? "even" : "odd");
        type = RuntimeMarkerTypes::Type(&example.type);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (geckoprof_type* const type : types) CHECK((type != nullptr && type == types[0]));
}

}  // namespace
}  // namespace geckoprof
