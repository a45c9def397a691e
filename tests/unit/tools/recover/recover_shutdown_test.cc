#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/segment/segment_format.h"
#include "tests/support/forked_check.h"
#include "tests/support/test_segment.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

constexpr int kWritten = static_cast<int>(ShutdownStatus::kWritten);
constexpr int kNotWritten = static_cast<int>(ShutdownStatus::kNotWritten);
constexpr int kWrongUse = static_cast<int>(ShutdownStatus::kWrongUse);
constexpr int kUnreadable = static_cast<int>(ShutdownStatus::kUnreadable);

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), {"recover", "--shutdown"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return StatusInChild([&] { return RecoverMain(arguments); });  // what it does to signals stays there
}

std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A segment of this process, which an open descriptor leads to.
class OpenSegment {
 public:
  OpenSegment() : number_(open(test_.segment().path(), O_RDONLY)) {}
  ~OpenSegment() { close(number_); }
  std::string number() const { return std::to_string(number_); }
  std::string path() { return test_.segment().path(); }
  std::string file(const std::string& name) const { return test_.directory() + "/" + name; }
  Segment& segment() { return test_.segment(); }

 private:
  TestSegment test_;
  const int number_;
};

TEST_CASE("the name chooses the format, and the segment goes where that is asked for") {
  OpenSegment segment;
  CHECK(Run({segment.number(), "-o", segment.file("a.json")}) == kWritten);
  CHECK(Contents(segment.file("a.json")).find("\"version\":34") != std::string::npos);
  CHECK(Run({segment.number(), "-o", segment.file("a.json.gz")}) == kWritten);
  CHECK(Contents(segment.file("a.json.gz")).starts_with("\x1f\x8b"));
  CHECK(std::filesystem::exists(segment.path()));
  CHECK(Run({segment.number(), "--remove", segment.path(), "-o", segment.file("b.json")}) == kWritten);
  CHECK_FALSE(std::filesystem::exists(segment.path()));
}

TEST_CASE("another file that has the segment's name by now stays") {
  OpenSegment segment;
  const std::string path = segment.path();
  std::filesystem::remove(path);
  std::ofstream(path) << "another";
  CHECK(Run({segment.number(), "--remove", path, "-o", segment.file("a.json")}) == kWritten);
  CHECK(Contents(path) == "another");
}

TEST_CASE("what it cannot do it says by its status, and the segment stays") {
  OpenSegment segment;
  CHECK(Run({}) == kWrongUse);
  CHECK(Run({"99", "-o", segment.file("a.json")}) == kWrongUse);
  CHECK(Run({segment.number()}) == kWrongUse);
  CHECK(Run({segment.number(), "--write-to", "x", "-o", segment.file("a.json")}) == kWrongUse);
  CHECK(Run({segment.number(), "--remove", segment.path(), "-o", "/no/such/folder/a.json"}) == kNotWritten);
  segment.segment().header().version = kSegmentVersion + 1;
  CHECK(Run({segment.number(), "--remove", segment.path(), "-o", segment.file("a.json")}) == kUnreadable);
  CHECK_FALSE(std::filesystem::exists(segment.file("a.json")));
  CHECK(std::filesystem::exists(segment.path()));
}

TEST_CASE("an open descriptor is written to, and a reader that has gone ends it in order") {
  OpenSegment segment;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string target = std::to_string(ends[1]);
  CHECK(Run({segment.number(), "--write-to", target, "-o", "/dev/fd/" + target}) == kWritten);
  char text[64] = {};
  CHECK(read(ends[0], text, sizeof(text) - 1) > 0);
  CHECK(text[0] == '{');
  close(ends[0]);
  CHECK(Run({segment.number(), "--write-to", target, "-o", "/dev/fd/" + target}) == kNotWritten);
  close(ends[1]);

  const int file = open(segment.file("file").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(write(file, std::string(100'000, 'x').data(), 100'000) == 100'000);
  REQUIRE(lseek(file, 0, SEEK_SET) == 0);
  CHECK(Run({segment.number(), "--write-to", std::to_string(file), "-o", "/dev/fd/9"}) == kWritten);
  CHECK(Contents(segment.file("file")).ends_with("}"));
  close(file);
}

}  // namespace
}  // namespace geckoprof
