#include "tools/processed_format/shared_tables.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/sample_process.h"
#include "tests/unit/tools/processed_format/written_json.h"
#include "tools/processed_format/processed_tables.h"

namespace geckoprof {
namespace {

TEST_CASE("each row is there once") {
  SharedTables tables;
  CHECK(tables.AddFunc({tables.String("f")}) == 0);
  CHECK(tables.AddFunc({tables.String("g")}) == 1);
  CHECK(tables.AddFunc({tables.String("f")}) == 0);
  SharedTables::Frame frame;
  frame.func = 0;
  CHECK(tables.AddFrame(frame) == 0);
  frame.line = 5;
  CHECK(tables.AddFrame(frame) == 1);
  frame.inline_depth = 1;
  CHECK(tables.AddFrame(frame) == 2);
  CHECK(tables.AddFrame(frame) == 2);
  CHECK(tables.AddStack(-1, 0) == 0);
  CHECK(tables.AddStack(0, 0) == 1);
  CHECK(tables.AddStack(-1, 0) == 0);
  const int32_t lib = tables.AddLib({"", "a.so", "", "", "", "", ""});
  CHECK(tables.LibResource(lib) == tables.LibResource(lib));
  CHECK(tables.resources()[0].type == SharedTables::kLibraryResource);
}

TEST_CASE("what the macros of markers put at the inner end of a stack is left out of it") {
  SharedTables tables;
  AddressSymbols symbols;
  symbols.frames.resize(7);
  const std::string in_lambda = std::string("Load::{lambda(geckoprof::MarkerOptions const&)#") + "1}::operator()";
  const std::string names[] = {"geckoprof::internal::AutoScope::~AutoScope()",
                               in_lambda,
                               "geckoprof::marker::add_marker::{{closure}}",
                               "<load::Text as geckoprof::marker_type::MarkerType>::with_values::<(), load::main>",
                               "geckoprof::marker::mark",
                               "bool geckoprof::internal::AddTyped<Text, char [3]>(int)",
                               "bool profiler_add_marker<Text>(int)"};
  for (size_t i = 0; i < 7; ++i) symbols.frames[i].name = names[i];
  SharedTables::Frame plain;
  plain.lib = tables.AddLib({"", "a.so", "", "", "", "", ""});
  std::vector<int32_t> frames;
  tables.AddSymbolFrames(plain, 0, symbols, &frames);
  REQUIRE(frames.size() == 7);
  int32_t stack = -1;
  for (const int32_t frame : frames) stack = tables.AddStack(stack, frame);
  CHECK(tables.WithoutMarkingCode(stack) == 0);  // the outermost is a function of its own, whatever its name
  const int32_t label = tables.AddStack(stack, tables.AddFrame({.func = tables.AddFunc({tables.String("a label")})}));
  const int32_t labelled = tables.WithoutMarkingCode(label);
  CHECK(tables.stacks()[static_cast<size_t>(labelled)].frame == tables.stacks()[static_cast<size_t>(label)].frame);
  CHECK(tables.stacks()[static_cast<size_t>(labelled)].prefix == 0);
  CHECK(tables.WithoutMarkingCode(labelled) == labelled);
  symbols.frames[6].name = "Load<geckoprof::internal::AddTyped>()";
  tables.AddSymbolFrames(plain, 0, symbols, &frames);
  const int32_t users = tables.AddStack(stack, frames.back());
  CHECK(tables.WithoutMarkingCode(users) == users);
  CHECK(tables.WithoutMarkingCode(-1) == -1);
}

TEST_CASE("strings from elsewhere keep their numbers, even where one is there twice") {
  SharedTables tables({"a", "b", "a"});
  CHECK(tables.String("b") == 1);
  CHECK(tables.String("a") == 0);
  CHECK(tables.String("c") == 3);
  CHECK(tables.String("c") == 3);
  CHECK(tables.String("d") == 4);
}

// The tables after these stacks of the sample process have been asked for.
rapidjson::Document Written(const RecordedSession& session, const std::vector<int32_t>& stacks) {
  Symbolizer symbolizer;
  ProcessedTables tables(session, symbolizer);
  for (const int32_t stack : stacks) tables.SampleStack(0, stack);
  return WrittenJson([&](JsonWriter& writer) {
    writer.StartObject();
    WriteLibs(tables.tables(), writer);
    writer.StartObjectProperty("shared");
    WriteSharedTables(tables.tables(), 63, writer);
    writer.EndObject();
    writer.EndObject();
  });
}

RecordedSession SampleSession() {
  RecordedSession session;
  session.processes = {SampleProcess()};
  return session;
}

std::string Text(const rapidjson::Document& document, const rapidjson::Value& string) {
  return document["shared"]["stringArray"][string.GetUint()].GetString();
}

TEST_CASE("tables hold what was asked for and nothing else") {
  const auto document = Written(SampleSession(), {2});
  const auto& shared = document["shared"];
  CHECK(shared["stackTable"]["length"].GetUint() == 3);
  CHECK(shared["stackTable"]["prefix"][0].IsNull());
  CHECK(shared["stackTable"]["prefix"][2].GetInt() == 1);
  const auto& frames = shared["frameTable"];
  CHECK(frames["length"].GetUint() == 3);
  CHECK(frames["address"][0].GetInt() == -1);    // the root
  CHECK(frames["address"][1].GetInt() == 0xff);  // a return address, less one
  CHECK(frames["address"][2].GetInt() == 0x10);  // where the thread was
  CHECK(frames["inlineDepth"][2].GetInt() == 0);
  CHECK(frames["category"][1].GetInt() == static_cast<int>(NativeCategory::kProgram));
  CHECK(frames["category"][2].GetInt() == static_cast<int>(NativeCategory::kSystemLibrary));
  CHECK(frames["nativeSymbol"][2].IsNull());
  CHECK(frames["line"][2].IsNull());
  REQUIRE(document["libs"].Size() == 2);
  CHECK(document["libs"][1]["path"].GetString() == std::string("/lib/a.so"));
  CHECK(document["libs"][1]["name"].GetString() == std::string("a.so"));
  CHECK(std::string(document["libs"][1]["codeId"].GetString()).size() == 40);
  CHECK(std::string(document["libs"][1]["breakpadId"].GetString()).size() == 33);
  CHECK(Written(SampleSession(), {})["libs"].Empty());
}

TEST_CASE("functions name their library through a resource") {
  const auto document = Written(SampleSession(), {2});
  const auto& shared = document["shared"];
  const auto& functions = shared["funcTable"];
  const auto& resources = shared["resourceTable"];
  REQUIRE(functions["length"].GetUint() == 3);
  CHECK(Text(document, functions["name"][0]) == "(root)");
  CHECK(functions["resource"][0].GetInt() == -1);
  CHECK(Text(document, functions["name"][2]) == "0x10");
  const unsigned resource = functions["resource"][2].GetUint();
  CHECK(Text(document, resources["name"][resource]) == "a.so");
  CHECK(resources["type"][resource].GetInt() == 1);
  CHECK(document["libs"][resources["lib"][resource].GetUint()]["name"].GetString() == std::string("a.so"));
}

TEST_CASE("a label keeps its category and has no address") {
  const auto document = Written(SampleSession(), {4, 5});
  const auto& frames = document["shared"]["frameTable"];
  CHECK(Text(document, document["shared"]["funcTable"]["name"][2]) == "Solver::Run step:64");
  CHECK(frames["address"][2].GetInt() == -1);
  CHECK(frames["category"][2].GetUint() == NativeCategories().size() + StateLook::Categories().size());
  CHECK(frames["subcategory"][2].GetInt() == 1);
  // The reason why a stack ends says nothing of the code: no category, and no subcategory either.
  CHECK(frames["category"][3].IsNull());
  CHECK(frames["subcategory"][3].IsNull());
}

TEST_CASE("a library without a build id has none in the file") {
  RecordedSession session = SampleSession();
  session.processes[0].libraries[1].build_id.clear();
  const auto document = Written(session, {2});
  CHECK(document["libs"][1]["codeId"].IsNull());
  CHECK(document["libs"][1]["breakpadId"].GetString() == std::string());
}

TEST_CASE("every column of every table has its length") {
  const auto document = Written(SampleSession(), {0, 1, 2, 3, 4, 5});
  for (const char* name : {"stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"}) {
    const auto& table = document["shared"][name];
    for (const auto& column : table.GetObject()) {
      INFO(name << "." << column.name.GetString());
      if (column.value.IsArray()) CHECK(column.value.Size() == table["length"].GetUint());
    }
  }
}

TEST_CASE("columns are those of the version") {
  SharedTables tables;
  const int32_t lib = tables.AddLib({"", "a.so", "/a.so", "a.so", "/a.so", "", ""});
  AddressSymbols symbols{"outer()", 0x10, 0x20, {{"outer()", "/a.c", 7, 3}, {"inner()", "", 0, 0}}};
  SharedTables::Frame plain;
  plain.lib = lib;
  plain.address = 0x14;
  std::vector<int32_t> frames;
  tables.AddSymbolFrames(plain, 0x10, symbols, &frames);
  REQUIRE(frames.size() == 2);
  tables.AddStack(tables.AddStack(SharedTables::kNoTableRow, frames[0]), frames[1]);
  const auto written = [&](int version) {
    return WrittenJson([&](JsonWriter& writer) {
      writer.StartObject();
      WriteSharedTables(tables, version, writer);
      writer.EndObject();
    });
  };
  const auto old = written(60), middle = written(66), newest = written(70);
  CHECK(old["sources"].HasMember("uuid"));
  CHECK_FALSE(old["sources"].HasMember("startLine"));
  CHECK(old["stackTable"]["prefix"][1].GetInt() == 0);
  CHECK(old["resourceTable"]["lib"][0].GetInt() == lib);
  CHECK(middle["stackTable"]["prefixOffset"][0].GetInt() == 0);
  CHECK(middle["stackTable"]["prefixOffset"][1].GetInt() == 1);
  CHECK(middle["sources"].HasMember("content"));
  CHECK_FALSE(middle["frameTable"].HasMember("lib"));
  CHECK(newest["frameTable"]["lib"][0].GetInt() == lib);
  CHECK_FALSE(newest["resourceTable"].HasMember("lib"));
  CHECK(newest["frameTable"]["inlineDepth"][1].GetInt() == 1);
  CHECK(newest["frameTable"]["line"][0].GetInt() == 7);
  CHECK(newest["frameTable"]["column"][0].GetInt() == 3);
  CHECK(newest["frameTable"]["line"][1].IsNull());
  CHECK(newest["frameTable"]["address"][1].GetInt() == 0x14);
  CHECK(newest["frameTable"]["nativeSymbol"][1].GetInt() == 0);
  CHECK(newest["nativeSymbols"]["functionSize"][0].GetInt() == 0x20);
  CHECK(newest["funcTable"]["source"][0].GetInt() == 0);
  CHECK(newest["funcTable"]["source"][1].IsNull());
}

}  // namespace
}  // namespace geckoprof
