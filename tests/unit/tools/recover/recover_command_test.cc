#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "tests/support/forked_check.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_segment.h"
#include "tests/unit/tools/record/standard_error_of.h"
#include "tools/options/commands.h"
#include "tools/record/session_directory.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), "recover");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return RecoverMain(arguments);
}

TEST_CASE("recover refuses what holds no recording") {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/p.json";
  const std::string garbage = folder.Write("1-0.segment", std::string(5000, 'x'));
  CHECK(Run({}) == 2);
  CHECK(Run({folder.path(), "--format", "xml"}) == 2);
  CHECK(Run({folder.path(), "-o", output}) == 1);
  CHECK(Run({garbage, "-o", output}) == 1);
  CHECK(Run({"/dev/null", "-o", output}) == 1);
  CHECK(Run({folder.path() + "/none", "-o", output}) == 1);
  CHECK(Run({folder.path(), "-o", folder.path() + "/no/such/p.json"}) == 1);
  CHECK(Run({folder.path(), "--list"}) == 2);
  CHECK(Run({folder.path(), "--remove-stale"}) == 2);
  CHECK(Run({"--list", "--remove-stale"}) == 2);
  CHECK(access(output.c_str(), F_OK) != 0);
}

TEST_CASE("recover says what is wrong with a folder that is none of a recording, and prints no line end of a name") {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/p.json";
  const std::string nothing = folder.path() + "/nothing", other = folder.path() + "/other\nline";
  REQUIRE((mkdir(nothing.c_str(), 0700) == 0 && mkdir(other.c_str(), 0700) == 0));
  REQUIRE(mkdir((other + "/a").c_str(), 0700) == 0);
  const auto message_of = [&](const std::string& path) {
    return StandardErrorOf([&] { CHECK(Run({path, "-o", output}) == 1); });
  };
  CHECK(message_of(nothing).find("nothing: is empty") != std::string::npos);
  const std::string message = message_of(other);
  CHECK(message.find("other line: is no session directory") != std::string::npos);
  CHECK(message.find('\n') == message.size() - 1);
  CHECK(message.find("LD_PRELOAD") == std::string::npos);
  // One in which a recorder wrote down what it runs: the program began, and nobody recorded.
  folder.Write("other\nline/" + std::string(SessionDirectory::kCommandName), "prog");
  CHECK(message_of(other).find("LD_PRELOAD") != std::string::npos);
}

// Returns the most KiB that the recovery of this many small segments takes, or 0 if it fails.
int64_t MostKibOfRecovery(const TestSegment& test, int count) {
  const TemporaryFolder folder;
  const std::string session = folder.path() + "/session";
  REQUIRE(mkdir(session.c_str(), 0700) == 0);
  for (int pid = 1; pid <= count; ++pid) {
    std::filesystem::create_hard_link(test.path(), session + "/" + std::to_string(pid) + "-0.segment");
  }
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int status = StatusInChild([&] {
    if (Run({session, "-q", "-o", folder.path() + "/p.json"}) != 0) return 1;
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const int64_t kib = usage.ru_maxrss;
    return write(ends[1], &kib, sizeof kib) == sizeof kib ? 0 : 1;
  });
  int64_t kib = 0;
  if (status == 0) REQUIRE(read(ends[0], &kib, sizeof kib) == sizeof kib);
  close(ends[0]);
  close(ends[1]);
  return kib;
}

TEST_CASE("recovering thousands of segments takes the memory of a few hundred") {
  if (kIsSanitized) return;  // it keeps what was freed
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  const std::string_view arguments[] = {"prog", "--option"};
  REQUIRE(metadata.Process("/usr/bin/prog", arguments));
  REQUIRE(metadata.Module(1, 1'000'000'000, 0x1000, 0x9000, 0x1000, "/lib/first.so", "0123456789abcdef0123"));
  REQUIRE(metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(getpid()), true, 1'000'000'000, "prog"));
  SampleWriter samples(&test.segment());
  for (int64_t ms = 0; ms < 50; ++ms) {
    const int64_t now_ns = (1000 + ms) * 1'000'000;
    samples.BeginTick(now_ns);
    const StackFrame frame{StackFrameKind::kNative, 0x2000 + static_cast<uint64_t>(ms) * 16, 0, {}};
    samples.Add({ThreadIndex::FromNumber(1), now_ns, ms == 0 ? -1 : 500'000}, {&frame, 1});
  }
  const int64_t of_few = MostKibOfRecovery(test, 500), of_many = MostKibOfRecovery(test, 4000);
  INFO(of_few << " KiB of 500 segments, " << of_many << " KiB of 4000");
  REQUIRE(of_few > 0);
  // The tables and the text of a process are some 20 KiB, and its facts a few hundred bytes.
  CHECK(of_many < of_few + 6 * 1024);
}

}  // namespace
}  // namespace geckoprof
