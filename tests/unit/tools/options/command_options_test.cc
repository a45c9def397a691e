#include "tools/options/command_options.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/record/standard_error_of.h"

namespace geckoprof {
namespace {

struct Parsed {
  std::optional<int> status;
  std::string file, text;
  int64_t number = 5;
  bool flag = false;
};

Parsed Parse(std::vector<std::string> words) {
  Parsed parsed;
  CommandOptions options("demo", "A demo.", "Examples:\n  none\n");
  options.Positional("FILE", &parsed.file, "a file");
  options.Flag("--flag", &parsed.flag, "a flag");
  options.Text("-t,--text", &parsed.text, "T", "a text");
  options.Number("--number", &parsed.number, 1, 10, "N", "a number");
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  parsed.status = options.Parse(args);
  return parsed;
}

TEST_CASE("options are read") {
  const Parsed parsed = Parse({"demo", "--flag", "--text", "t", "--number=10", "x"});
  CHECK_FALSE(parsed.status.has_value());
  CHECK(parsed.file == "x");
  CHECK(parsed.text == "t");
  CHECK(parsed.number == 10);
  CHECK(parsed.flag);
  CHECK(Parse({"demo", "x"}).number == 5);
}

TEST_CASE("help ends with 0, wrong use with 2") {
  CHECK(Parse({"demo", "--help"}).status == 0);
  CHECK(Parse({"demo"}).status == 2);
  CHECK(Parse({"demo", "x", "y"}).status == 2);
  CHECK(Parse({"demo", "x", "--number", "11"}).status == 2);
  CHECK(Parse({"demo", "x", "--number", "1.5"}).status == 2);
  CHECK(Parse({"demo", "x", "--number", "99999999999999999999"}).status == 2);
  CHECK(Parse({"demo", "x", "--unknown"}).status == 2);
  CHECK(Parse({"demo", "x", "--text"}).status == 2);
}

TEST_CASE("an unknown option is named before an operand that is missing") {
  const auto told = [](const std::vector<std::string>& words) { return StandardErrorOf([&] { Parse(words); }); };
  CHECK(told({"demo", "--bogus"}).find("--bogus") != std::string::npos);
  CHECK(told({"demo", "--flag"}).find("FILE is required") != std::string::npos);
  CHECK(told({"demo", "x", "--bogus"}).find("--bogus") != std::string::npos);
}

TEST_CASE("an option does not take another one for its value") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"demo", "x", "--text", "--flag"},
                                                {"demo", "x", "--number", "--text", "t"},
                                                {"demo", "x", "--text", "--"},
                                                {"demo", "--text", "-x"},
                                                {"demo", "x", "--text"},
                                                {"demo", "x", "--text="},
                                                {"demo", "x", "--text", ""},
                                                {"demo", "x", "-t", ""},
                                                {"demo", "--text=", "x", "y"},
                                                {"demo", "x", "-t", "--flag"},
                                                {"demo", "x", "-t"}}) {
    INFO(words.back());
    CHECK(Parse(words).status == 2);
  }
}

TEST_CASE("how a value that begins with a minus is written, is said") {
  const auto told = [](const std::vector<std::string>& words) {
    return StandardErrorOf([&] { CHECK(Parse(words).status == 2); });
  };
  CHECK(told({"demo", "x", "--number", "-5"})
            .find("--number needs a value; one that begins with - is written "
                  "--number=-5 ") != std::string::npos);
  CHECK(told({"demo", "x", "-t", "-1.5s"}).find("is written -t-1.5s ") != std::string::npos);
  CHECK(told({"demo", "x", "--text", "-f"}).find("--text needs a value (") != std::string::npos);
  CHECK(Parse({"demo", "x", "--text=-5"}).text == "-5");
}

TEST_CASE("an option that takes one value is given once, under whatever name") {
  CHECK(Parse({"demo", "x", "--text", "a", "--text", "b"}).status == 2);
  CHECK(Parse({"demo", "x", "--text=a", "-tb"}).status == 2);
  CHECK(Parse({"demo", "x", "--flag", "--flag", "--text", "--text=a"}).status == 2);
  CHECK_FALSE(Parse({"demo", "--text", "a", "--", "--text"}).status.has_value());
}

TEST_CASE("a value that begins with - stands in the option's own word") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"demo", "x", "--text=-v"}, {"demo", "x", "-t-v"}, {"demo", "-t-v", "--", "x"}}) {
    const Parsed parsed = Parse(words);
    CHECK_FALSE(parsed.status.has_value());
    CHECK(parsed.text == "-v");
    CHECK(parsed.file == "x");
  }
  CHECK(Parse({"demo", "--text", "-", "x"}).text == "-");
}

TEST_CASE("words after -- are no options") {
  const Parsed parsed = Parse({"demo", "--", "--text"});
  CHECK_FALSE(parsed.status.has_value());
  CHECK(parsed.file == "--text");
}

TEST_CASE("the help text has one usage line, with what the command reads itself") {
  CommandOptions options("demo", "A demo.", "Examples:\n  none\n");
  bool flag = false;
  options.Flag("--flag", &flag, "a flag");
  CHECK(options.Help().find("Usage: geckoprof demo [OPTIONS]\n") != std::string::npos);
  options.Rest("-- PROGRAM");
  const std::string help = options.Help();
  CHECK(help.find("Usage: geckoprof demo [OPTIONS] -- PROGRAM\n") != std::string::npos);
  CHECK(help.find("Usage:") == help.rfind("Usage:"));
}

}  // namespace
}  // namespace geckoprof
