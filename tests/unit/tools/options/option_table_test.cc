#include "tools/options/option_table.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/options/command_options.h"

namespace geckoprof {
namespace {

TEST_CASE("while tables are listed, a command does not run") {
  CHECK(OptionListing::Current() == nullptr);
  bool flag = false;
  std::string file, format;
  const auto run = [&] {
    CommandOptions options("demo", "A demo.", "");
    options.Positional("FILE", &file, "a file");
    options.OfferOperands({ValueHint::Kind::kFiles, {".json"}});
    options.Flag("-f,--flag", &flag, "a flag");
    options.Text("--to", &format, "FORMAT", "a format");
    options.Offer("--to", {ValueHint::Kind::kWords, {"one"}});
    int64_t number = 0;
    options.Number("--top", &number, 1, 10, "N", "a number");
    std::string words[] = {"demo", "x"};
    char* args[] = {words[0].data(), words[1].data()};
    return options.Parse(std::span<char* const>(args, 2));
  };
  {
    const OptionListing listing;
    CHECK(OptionListing::Current() == &listing);
    CHECK(run() == 0);
    CHECK(file.empty());
    REQUIRE(listing.tables().size() == 1);
    const OptionTable& table = listing.tables()[0];
    CHECK(table.command == "demo");
    CHECK(table.operands.words == std::vector<std::string>{".json"});
    REQUIRE(table.options.size() == 4);  // with --help
    CHECK(table.options[0].names == std::vector<std::string>{"-h", "--help"});
    CHECK(table.options[1].names == std::vector<std::string>{"-f", "--flag"});
    CHECK(table.options[1].placeholder.empty());
    CHECK(table.options[2].placeholder == "FORMAT");
    CHECK(table.options[2].help == "a format");
    CHECK(table.options[2].value.kind == ValueHint::Kind::kWords);
    CHECK(table.options[3].placeholder == "N");
  }
  CHECK(OptionListing::Current() == nullptr);
  CHECK_FALSE(run().has_value());
  CHECK(file == "x");
}

}  // namespace
}  // namespace geckoprof
