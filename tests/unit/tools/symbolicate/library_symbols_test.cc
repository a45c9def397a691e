#include "tools/symbolicate/library_symbols.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <ctime>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

TEST_CASE("the build id is that of the code id, else what the Breakpad id has of it") {
  const std::string id = "0123456789abcdefGHIJ";
  SharedTables::Lib lib;
  lib.code_id = CodeId(id);
  CHECK(BuildIdOf(lib) == id);
  lib.code_id.clear();
  lib.breakpad_id = BreakpadId(id);
  CHECK(BuildIdOf(lib) == id.substr(0, 16));
  lib.breakpad_id = std::string(33, '0');
  CHECK(BuildIdOf(lib).empty());
  lib.breakpad_id = "no hexadecimal number at all, is it";
  CHECK(BuildIdOf(lib).empty());
}

TEST_CASE("a library that is not there gives nothing, and is counted") {
  SharedTables tables;
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  LibrarySymbols symbols(&symbolizer, tables, nullptr);
  SharedTables::Frame frame;
  frame.lib = tables.AddLib({"", "a.so", "/nowhere/a.so", "", "", "", ""});
  frame.address = 0x10;
  std::vector<int32_t> rows;
  CHECK_FALSE(symbols.Append(frame, &rows));
  CHECK_FALSE(symbols.Append(frame, &rows));
  CHECK(rows.empty());
  CHECK(symbols.counts().addresses == 1);
  CHECK(symbols.counts().named == 0);
  CHECK(symbols.FindMadeCode(1, 0, 0x1000, 0).name.empty());
}

TEST_CASE("a library without name, path and build id is not looked for") {
  SharedTables tables;
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  LibrarySymbols symbols(&symbolizer, tables, nullptr);
  SharedTables::Frame frame;
  const auto document = JsonDocument::Parse("{}", JsonDocument::Utf8::kStrict);
  frame.lib = tables.AddLib(ReadLib(document->root()));
  frame.address = 0x10;
  std::vector<int32_t> rows;
  CHECK_FALSE(symbols.Append(frame, &rows));
  CHECK(symbols.counts().addresses == 1);
  CHECK(symbolizer.Problems().empty());
}

TEST_CASE("without a symbolizer nothing is looked up") {
  SharedTables tables;
  LibrarySymbols symbols(nullptr, tables, nullptr);
  SharedTables::Frame frame;
  frame.lib = tables.AddLib({"", "libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6", "", "", "", ""});
  frame.address = 0x28000;
  std::vector<int32_t> rows;
  CHECK_FALSE(symbols.looks_up());
  CHECK_FALSE(symbols.Append(frame, &rows));
  CHECK(symbols.counts().addresses == 0);
}

TEST_CASE("code made at run time is named by the process's own map, where its libraries are on this machine") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc"));
  const std::string map = Concat("/tmp/perf-", getpid(), ".map");
  WriteBytes(map, "1200 100 jitted\n");
  const double now_ms = static_cast<double>(time(nullptr)) * 1000;
  SharedTables tables;
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  CHECK(LibrarySymbols(&symbolizer, tables, nullptr).FindMadeCode(getpid(), now_ms - 60'000, 0x1234, 0).name.empty());
  symbolizer.Find(sample.library(), "", 0x1000);
  REQUIRE(symbolizer.counts().loaded == 1);
  LibrarySymbols symbols(&symbolizer, tables, nullptr);
  CHECK(symbols.FindMadeCode(getpid(), now_ms - 60'000, 0x1234, 0).name == "jitted");
  CHECK(symbols.FindMadeCode(getpid(), now_ms - 60'000, 0x1300, 0).name.empty());
  CHECK(symbols.counts().jit_named == 1);
  // A process that began after the file was written is another one.
  CHECK(LibrarySymbols(&symbolizer, tables, nullptr).FindMadeCode(getpid(), now_ms + 60'000, 0x1234, 0).name.empty());
  // The option's map is for all processes, in place of theirs.
  WriteBytes(sample.folder() + "/jit.map", "1200 100 of_option\n");
  const auto of_option = JitMap::Load(sample.folder() + "/jit.map");
  REQUIRE(of_option.ok());
  CHECK(LibrarySymbols(&symbolizer, tables, of_option->get()).FindMadeCode(getpid(), now_ms - 60'000, 0x1234, 0).name ==
        "of_option");
  unlink(map.c_str());
}

}  // namespace
}  // namespace geckoprof
