#include "tools/convert/profile_input.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

TEST_CASE("formats are told from the content") {
  CHECK(GuessInputFormat(" \n{\"meta\":{}}") == InputFormat::kJson);
  CHECK(GuessInputFormat("\xef\xbb\xbf{\"meta\":{}}") == InputFormat::kJson);
  CHECK(GuessInputFormat("\nmain;run 7\n") == InputFormat::kFolded);
  CHECK(GuessInputFormat("a 10/10 1.0: cycles: \n\t1 f (/x)\n") == InputFormat::kPerfScript);
  CHECK(GuessInputFormat("main;run 7\n") == InputFormat::kFolded);
  CHECK(GuessInputFormat(Written(SmallModel(), WritePprof)) == InputFormat::kPprof);
  for (const char* text : {"", "hello world\n",
                           "\x7f"
                           "ELF",
                           "<html>", "\x0a\x0a\x0a"}) {
    CHECK_FALSE(GuessInputFormat(text).has_value());
  }
}

// An empty line is what a message of pprof's begins with, and the next character may be its size.
TEST_CASE("text that begins with an empty line or a tabulator is text") {
  for (const std::string begin : {"\n", "\t", "\n\t", "\n\t\t", "\n\n\n", "\r\n", "\n ", "\n\r"}) {
    INFO(begin);
    CHECK_FALSE(
        GuessInputFormat(begin + "ffffffff821d7b37 mas_store_gfp\n\tffffffff8160fd8a vms_gather\n").has_value());
    CHECK(GuessInputFormat(begin + "main;run 7\nmain;sleep in the other function 8\n") == InputFormat::kFolded);
    CHECK(GuessInputFormat(begin + "a 10/10 1.0: cycles: \n\t1 f (/x)\n") == InputFormat::kPerfScript);
  }
}

TEST_CASE("a byte order mark before folded stacks is no part of them") {
  const auto model = LoadInput("\xef\xbb\xbfmain;a 3\nmain;b 4\n", {});
  REQUIRE(model.ok());
  CHECK(model->functions.size() == 3);
}

TEST_CASE("what is refused, and with what words") {
  const auto message = [](std::string text) { return std::string(LoadInput(std::move(text), {}).status().message()); };
  CHECK(message("PERFILE2\x68\x01").starts_with("is perf's own recording"));
  CHECK(message("hello").starts_with("is no profile"));
  CHECK(message("\xff\xfem\x01").starts_with("is UTF-16 text"));
  CHECK(message("{\"meta\":{\"version\":999},\"threads\":[]}").find("version 999 is not known") != std::string::npos);
  CHECK(message("{\"traceEvents\":[]}").find("no profile") != std::string::npos);
  CHECK(message("[{\"ph\":\"X\"}]").starts_with("is a trace of Chrome's format"));
  CHECK(message(Written(SmallModel(), WriteChromeTrace)).starts_with("is a trace of Chrome's format"));
  CHECK(message(Written(SmallModel(), WriteSpeedscope)).starts_with("is a profile of speedscope's"));
  CHECK(message(Written(SmallModel(), WritePerfetto)) == "is Perfetto's trace, which is not read");
  CHECK(LoadInput(Written(SmallModel(), WritePerfetto), InputFormat::kPprof).status().message() ==
        "is Perfetto's trace, which is not read");
  CHECK_FALSE(LoadInput("main;run 7\n", InputFormat::kPprof).ok());
  CHECK(InputFormatOf("gecko") == InputFormat::kJson);
  CHECK_FALSE(InputFormatOf("chrome").has_value());
}

}  // namespace
}  // namespace geckoprof
