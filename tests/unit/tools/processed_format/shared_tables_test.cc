#include "tools/processed_format/shared_tables.h"

#include <catch2/catch.hpp>
#include <string>

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

}  // namespace
}  // namespace geckoprof
