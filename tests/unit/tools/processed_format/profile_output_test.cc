#include "tools/processed_format/profile_output.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("a session becomes a file of either format, packed by its name") {
  char folder[] = "/tmp/profile_output_test.XXXXXX";
  ProfileFindings findings;
  REQUIRE(mkdtemp(folder) != nullptr);
  RecordedSession session;
  session.processes = {SampleProcess()};
  const std::string plain = std::string(folder) + "/p.json";
  const std::string packed = std::string(folder) + "/p.json.gz";
  const auto write = [&findings](const RecordedSession& what, OutputFormat format, const std::string& path) {
    absl::StatusOr<OutputFile> file = OutputFile::Create(path);
    return file.ok() && WriteProfile(what, format, *file, nullptr, &findings).ok();
  };
  REQUIRE(write(session, OutputFormat::kGecko, plain));
  CHECK(Contents(plain).starts_with("{\"libs\":["));
  REQUIRE(write(session, OutputFormat::kProcessed, packed));
  CHECK(Contents(packed).starts_with("\x1f\x8b"));
  CHECK(Contents(packed).size() < Contents(plain).size());
  CHECK_FALSE(write(session, OutputFormat::kGecko, std::string(folder) + "/none/p.json"));
  CHECK_FALSE(write(RecordedSession(), OutputFormat::kGecko, plain));
  CHECK_FALSE(write(session, OutputFormat::kGecko, "/dev/full"));
  unlink(plain.c_str());
  unlink(packed.c_str());
  CHECK(rmdir(folder) == 0);  // nothing left over
}

}  // namespace
}  // namespace geckoprof
