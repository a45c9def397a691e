#include "tools/record/record_options.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tests/unit/tools/record/standard_error_of.h"

namespace geckoprof {
namespace {

// Keeps the words alive as long as the options.
struct ParsedLine {
  explicit ParsedLine(std::vector<std::string> line) : words(std::move(line)) {
    words.insert(words.begin(), "record");
    for (std::string& word : words) arguments.push_back(word.data());
    status = options.Parse(arguments);
  }
  std::vector<std::string> words;
  std::vector<char*> arguments;
  RecordOptions options;
  std::optional<int> status;
};

TEST_CASE("options end at -- or at the program") {
  const ParsedLine dashes({"-o", "f", "--", "prog", "-o", "x"});
  CHECK_FALSE(dashes.status.has_value());
  CHECK(dashes.options.output == "f");
  REQUIRE(dashes.options.program.size() == 3);
  CHECK(std::string(dashes.options.program[0]) == "prog");
  const ParsedLine bare({"-q", "prog", "--interval", "9999"});
  CHECK_FALSE(bare.status.has_value());
  CHECK(bare.options.quiet);
  CHECK(bare.options.interval.empty());
  CHECK(bare.options.program.size() == 3);
}

TEST_CASE("--pid names a process that runs, and no program goes with it") {
  CHECK(ParsedLine({"--pid", "4711"}).options.pid == 4711);
  CHECK_FALSE(ParsedLine({"-p4711", "-q"}).status.has_value());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--pid", "4711", "ls"}, {"--pid", "0"}, {"--pid=-1"}, {"--pid", "ls"}, {"--pid"}}) {
    INFO(words.back());
    CHECK(ParsedLine(words).status == 2);
  }
}

TEST_CASE("options replace the variables of the process that is started, and the others stay") {
  const ParsedLine line({"--interval", "2", "--features", "cpu", "--pid", "1"});
  const std::vector<std::string> settings = line.options.Settings(
      {"GECKOPROF_STARTUP_INTERVAL=5", "GECKOPROF_STARTUP_FEATURES_BITFIELD=1", "GECKOPROF_STARTUP_CLOCK=request"});
  CHECK(settings == std::vector<std::string>{"GECKOPROF_STARTUP_INTERVAL=2", "GECKOPROF_STARTUP_FEATURES=cpu",
                                             "GECKOPROF_STARTUP_CLOCK=request"});
}

TEST_CASE("short options may stand together") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-qo", "f", "--", "ls"}, {"-qo", "f", "ls"}, {"-qof", "ls"}, {"-of", "-q", "ls"}}) {
    const ParsedLine line(words);
    INFO(words.front());
    CHECK_FALSE(line.status.has_value());
    CHECK(line.options.quiet);
    CHECK(line.options.output == "f");
    REQUIRE(line.options.program.size() == 1);
    CHECK(std::string(line.options.program[0]) == "ls");
  }
  CHECK(ParsedLine({"-qo"}).status == 2);
}

TEST_CASE("an option without its value does not take the next option, nor --") {
  for (const std::string option :
       {"-o", "--output", "--interval", "--capacity", "--features", "--threads", "--duration", "--format", "-qo"}) {
    INFO(option);
    CHECK(ParsedLine({option, "--quiet", "--", "p"}).status == 2);
    CHECK(ParsedLine({option, "--interval", "1", "--", "p"}).status == 2);
    CHECK(ParsedLine({option, "--", "p"}).status == 2);
    CHECK(ParsedLine({option}).status == 2);
  }
  CHECK(ParsedLine({"-o", "-x.json", "p"}).status == 2);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--output=-x.json", "p"}, {"-o-x.json", "p"}, {"-o./-x.json", "p"}}) {
    const ParsedLine line(words);
    CHECK_FALSE(line.status.has_value());
    CHECK(line.options.output.ends_with("-x.json"));
    CHECK(line.options.program.size() == 1);
  }
}

TEST_CASE("values in range are taken") {
  const ParsedLine line({"--interval", "0.05", "--max-overhead", "0.5%", "--capacity=64MiB", "--features",
                         "cpu,default", "--threads", "a,b", "--duration=1.5", "--format", "gecko", "p"});
  CHECK_FALSE(line.status.has_value());
  CHECK(line.options.capacity_bytes == 64u << 20);
  CHECK(line.options.capacity_given);
  CHECK(line.options.format == OutputFormat::kGecko);
}

TEST_CASE("a capacity is bytes, or what its unit says, with fractions") {
  CHECK(ParsedLine({"--capacity=1048576", "p"}).options.capacity_bytes == 1u << 20);
  CHECK(ParsedLine({"--capacity=1.5MiB", "p"}).options.capacity_bytes == 3u << 19);
  CHECK(ParsedLine({"--capacity=0.25GB", "p"}).options.capacity_bytes == 250'000'000);
  for (const std::string bad :
       {"1048575", "1.5", ".", "MiB", "1.5.5MiB", "1.5mib", "-1", "99999999999999999999GiB", "2.1GiB", "1 MiB"}) {
    INFO(bad);
    CHECK(ParsedLine({"--capacity=" + bad, "p"}).status == 2);
  }
}

TEST_CASE("a flight recorder has a window and triggers") {
  const ParsedLine line({"--flight", "1.5min", "--capture-when", "marker>1s", "--capture-when=exit", "p"});
  CHECK_FALSE(line.status.has_value());
  CHECK(line.options.flight_ns == 90'000'000'000);
  REQUIRE(line.options.triggers.size() == 2);
  CHECK(line.options.triggers[0].text == "marker>1s");
  CHECK(line.options.program.size() == 1);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--flight", "30"},
                                                {"--flight", "999ms"},
                                                {"--flight", "25h"},
                                                {"--flight="},
                                                {"--capture-when", "exit"},
                                                {"--flight", "5s", "--duration", "5"},
                                                {"--flight", "5s", "--capture-when", "marker"},
                                                {"--flight", "5s", "--flight", "6s"},
                                                {"--flight", "5s", "-o", "/dev/null"},
                                                {"--flight", "5s", "-o", "/dev/fd/3"}}) {
    std::vector<std::string> with_program = words;
    with_program.push_back("p");
    INFO(words.back());
    CHECK(ParsedLine(with_program).status == 2);
  }
}

TEST_CASE("wrong use ends with status 2") {
  const std::vector<std::vector<std::string>> lines = {{},
                                                       {"--"},
                                                       {"-o"},
                                                       {"-o", "-", "p"},
                                                       {"--nonsense", "p"},
                                                       {"--interval=0", "p"},
                                                       {"--interval=5000.1", "p"},
                                                       {"--interval=1e3", "p"},
                                                       {"--max-overhead=2", "p"},
                                                       {"--max-overhead=0%", "p"},
                                                       {"--max-overhead=200%", "p"},
                                                       {"--capacity=1", "p"},
                                                       {"--capacity=1023KiB", "p"},
                                                       {"--capacity=3GiB", "p"},
                                                       {"--features=tracing", "p"},
                                                       {"--features=,", "p"},
                                                       {"--features=CPU", "p"},
                                                       {"--duration=-1", "p"},
                                                       {"--format=json", "p"},
                                                       {"--threads=" + std::string(64, 'a'), "p"}};
  for (const std::vector<std::string>& line : lines) {
    INFO((line.empty() ? "(nothing)" : line.front()));
    CHECK(ParsedLine(line).status == 2);
  }
}

TEST_CASE("an option of a feature is refused without the feature") {
  const auto message_of = [](const std::vector<std::string>& words) {
    return StandardErrorOf([&] { CHECK(ParsedLine(words).status == 2); });
  };
  CHECK(message_of({"--allocation-interval", "1", "p"}) ==
        "geckoprof record: --allocation-interval goes with --features nativeallocations\n");
  CHECK(message_of({"--lock-threshold", "0", "--features", "default,fileio", "p"}) ==
        "geckoprof record: --lock-threshold goes with --features locks\n");
  CHECK(message_of({"--loop-threshold=1", "p"}) ==
        "geckoprof record: --loop-threshold goes with --features responsiveness\n");
  CHECK(message_of({"--io-threshold", "1", "p"}) ==
        "geckoprof record: --io-threshold goes with --features mainthreadio or fileio or fileioall or netio\n");
  CHECK(message_of({"--io-threshold", "x", "--features", "netio", "p"}).find("is not a number") != std::string::npos);
  for (const auto& [given, bytes] : {std::pair("4K", "4096"), {"1M", "1048576"}, {"2KB", "2000"}, {"1", "1"}}) {
    const ParsedLine sized({"--allocation-interval", given, "--features", "nativeallocations", "p"});
    CHECK_FALSE(sized.status.has_value());
    CHECK(sized.options.HookVariables().at(0).value == bytes);
  }
  CHECK(message_of({"--allocation-interval", "4k", "--features", "nativeallocations", "p"}).find("with K, M, KB") !=
        std::string::npos);
  const ParsedLine line({"--io-threshold", "0.5", "--lock-threshold", "2", "--allocation-interval", "4KiB",
                         "--loop-threshold", "5", "--features", "netio,locks,nativeallocations,responsiveness", "p"});
  CHECK_FALSE(line.status.has_value());
  REQUIRE(line.options.HookVariables().size() == 4);
  CHECK(line.options.HookVariables()[0].value == "4096");
  CHECK(message_of({"--lock-threshold", "2", "--pid", "4711"}).find("GECKOPROF_LOCK_THRESHOLD") != std::string::npos);
}

TEST_CASE("a root of the machine that is no folder is refused where a feature reads it") {
  setenv("GECKOPROF_MACHINE_ROOT", "/nonexistent", 1);
  const std::string message = StandardErrorOf([] {
    CHECK(ParsedLine({"--features", "default,power", "p"}).status == 2);
  });
  CHECK(message == "geckoprof record: GECKOPROF_MACHINE_ROOT: /nonexistent is no folder\n");
  CHECK_FALSE(ParsedLine({"--features", "cpu", "p"}).status.has_value());
  setenv("GECKOPROF_MACHINE_ROOT", "/", 1);
  CHECK_FALSE(ParsedLine({"--features", "default,power", "p"}).status.has_value());
  unsetenv("GECKOPROF_MACHINE_ROOT");
}

TEST_CASE("the program inherits features where no option names any") {
  setenv("GECKOPROF_STARTUP_FEATURES", "locks", 1);
  CHECK_FALSE(ParsedLine({"--lock-threshold", "2", "p"}).status.has_value());
  CHECK(ParsedLine({"--lock-threshold", "2", "--features", "cpu", "p"}).status == 2);
  unsetenv("GECKOPROF_STARTUP_FEATURES");
}

TEST_CASE("the default output names the program and is new") {
  const std::string name = DefaultOutputName("/usr/bin/sort");
  CHECK(name.starts_with("geckoprof-sort-2"));
  CHECK(name.ends_with(".json.gz"));
  CHECK(name.find('/') == std::string::npos);
}

TEST_CASE("the default output's name fits, whatever the program's is") {
  for (const size_t bytes : {size_t{215}, size_t{240}, size_t{255}}) {
    const std::string name = DefaultOutputName("/usr/bin/" + std::string(bytes, 'x'));
    CHECK(name.size() <= 240);  // room for a number
    CHECK(name.starts_with("geckoprof-xxxx"));
    CHECK(name.ends_with(".json.gz"));
  }
  std::string accents;
  for (int i = 0; i < 127; ++i) accents += "\u00e9";
  CHECK(DefaultOutputName("/bin/x" + accents).starts_with("geckoprof-x" + accents.substr(0, 198) + "-2"));
  CHECK(DefaultOutputName("/bin/two\nlines\033[1m").starts_with("geckoprof-two lines?[1m-2"));
}

TEST_CASE("a list of threads names at least one, and a message is one line") {
  for (const char* list : {"", ",", ",,"}) CHECK(ParsedLine({"--threads", list, "p"}).status == 2);
  CHECK_FALSE(ParsedLine({"--threads", ",a", "p"}).status.has_value());
  const std::string message = StandardErrorOf([] { CHECK(ParsedLine({"--format", "a\nb", "p"}).status == 2); });
  CHECK(message == "geckoprof record: --format: a b is neither gecko nor processed\n");
}

}  // namespace
}  // namespace geckoprof
