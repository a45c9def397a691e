#include "tools/view/view_options.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("what the command line says") {
  std::string words[] = {"view", "--port",       "7500", "--symbol-dir", "a",     "--symbol-dir=b", "--no-open",
                         "-q",   "--source-dir", "c",    "--source-map", "/d=/e", "x.json"};
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  ViewOptions options;
  CHECK_FALSE(options.Parse(args).has_value());
  CHECK(options.file == "x.json");
  CHECK(options.port == 7500);
  CHECK(options.symbol_folders == std::vector<std::string>{"a", "b"});
  CHECK(options.source_options.folders == std::vector<std::string>{"c"});
  CHECK(options.source_options.maps == std::vector<std::string>{"/d=/e"});
  CHECK(options.no_open);
  CHECK(options.quiet);
  CHECK(ViewOptions().Parse(std::span(args).first(1)) == 2);  // no file
}

}  // namespace
}  // namespace geckoprof
