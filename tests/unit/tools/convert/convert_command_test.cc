#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/unit/tools/record/standard_error_of.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), "convert");
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return ConvertMain(args);
}

// A folder that is gone afterwards.
struct Folder {
  Folder() {
    char name[] = "/tmp/geckoprof-convert-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

const std::string kGecko = GECKOPROF_GOLDEN_DIR "/firefox_gecko_34.json";
const std::string kProcessed = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";

TEST_CASE("each format is written, and what can be read is") {
  const Folder folder;
  for (const std::string& input : {kGecko, kProcessed}) {
    for (const char* format : {"pprof", "perfetto", "chrome", "speedscope", "folded", "otlp", "processed"}) {
      const std::string output = folder.path + "/" + format;
      INFO(format);
      CHECK(Run({"--to", format, "-o", output, input}) == 0);
      CHECK(std::filesystem::file_size(output) > 100);
    }
    for (const char* format : {"pprof", "folded", "processed"}) {
      const std::string back = folder.path + "/back.json.gz";
      CHECK(Run({"--to", "processed", "-o", back, folder.path + "/" + format}) == 0);
      CHECK(ReadProfileFile(back).ok());
    }
  }
}

TEST_CASE("exit status of convert") {
  const Folder folder;
  const std::string output = folder.path + "/out";
  CHECK(Run({"--help"}) == 0);
  CHECK(Run({}) == 2);
  CHECK(Run({kGecko}) == 2);
  CHECK(Run({"--to", "svg", kGecko}) == 2);
  CHECK(Run({"--to", "pprof", "--from", "svg", kGecko}) == 2);
  CHECK(Run({"--to", "pprof", "/nonexistent.json"}) == 1);
  CHECK(Run({"--to", "pprof", "--from", "folded", "-o", output, kGecko}) == 1);
  CHECK(Run({"--to", "pprof", "-o", "/nonexistent/x", kGecko}) == 1);
  CHECK_FALSE(std::filesystem::exists(output));
}

TEST_CASE("an event is chosen of perf script and of pprof only") {
  const Folder folder;
  const std::string perf = folder.path + "/perf", output = folder.path + "/out";
  std::ofstream(perf) << "a 1/1 1.0: 5 cycles: 10 f (/x)\na 1/1 1.1: 1 faults: 10 g (/x)\n";
  CHECK(Run({"--to", "folded", "-o", output, "--event", "faults", perf}) == 0);
  CHECK(*ReadProfileFile(output) == "a;g 1\n");
  CHECK(Run({"--to", "folded", "-o", output, perf}) == 0);
  CHECK(*ReadProfileFile(output) == "a;f 1\n");
  CHECK(Run({"--to", "folded", "-o", output, "--event", "none", perf}) == 1);
  for (const char* to : {"folded", "processed"}) {
    CHECK(Run({"--to", to, "-o", output, "--event", "faults", kGecko}) == 2);
  }
  CHECK(*ReadProfileFile(output) == "a;f 1\n");
  const std::string pprof = folder.path + "/pprof";
  CHECK(Run({"--to", "pprof", "-o", pprof, perf}) == 0);
  CHECK(Run({"--to", "folded", "-o", output, "--event", "none", pprof}) == 1);
  CHECK(Run({"--to", "folded", "-o", output, "--event", "samples", pprof}) == 0);
}

// As `perf script -F comm,pid,tid,time,event` prints them, and an input of which --idle takes the samples.
TEST_CASE("why nothing counts") {
  const Folder folder;
  const auto reason = [&folder](const char* content, bool with_idle) {
    const std::string input = folder.path + "/in";
    std::ofstream(input) << content;
    std::vector<std::string> words = {"--to", "folded", "-o", folder.path + "/out", input};
    if (with_idle) words.emplace_back("--idle");
    const std::string text = StandardErrorOf([&] { CHECK(Run(words) == 1); });
    return text.substr(text.find(": ", text.find("/in")) + 2);
  };
  constexpr char kNoStacks[] = "a 1/1 1.0: cpu-clock:\na 1/1 1.1: cpu-clock:\n";
  constexpr char kIdle[] = "a 1/1 1.0: 0 cpu-clock: 10 f (/x)\n";
  for (const bool with_idle : {false, true}) {
    CHECK(reason(kNoStacks, with_idle) == "none of its samples has a call stack\n");
  }
  CHECK(reason(R"({"meta":{"version":34,"interval":1,"markerSchema":[],"categories":[]},"libs":[],"threads":[]})",
               false) == "there is no sample in it\n");
  CHECK(reason(kIdle, false) == "no thread has samples in which it ran; --idle takes the others\n");
}

TEST_CASE("a failed conversion leaves what was there") {
  const Folder folder;
  const std::string output = folder.path + "/kept", empty = folder.path + "/empty.json";
  std::ofstream(output) << "precious";
  std::ofstream(empty)
      << R"({"meta":{"version":34,"interval":1,"markerSchema":[],"categories":[]},"libs":[],"threads":[]})";
  CHECK(Run({"--to", "pprof", "-o", output, empty}) == 1);
  CHECK(std::filesystem::file_size(output) == 8);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 2);
}

}  // namespace
}  // namespace geckoprof
