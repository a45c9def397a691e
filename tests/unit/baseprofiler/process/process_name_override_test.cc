#include "process/process_name_override.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "geckoprof/reader/profile_facts.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

TEST_CASE("the name of a process is in each recording, and the latest holds") {
  const auto name = std::make_unique<ProcessNameOverride>();
  name->Set("before");
  TestSegment first;
  name->WriteTo(first.segment());
  CHECK(ReadBack(first).given_name == "before");
  name->Set("meanwhile");
  name->WriteTo(first.segment());
  name->WriteTo(first.segment());
  CHECK(ReadBack(first).given_name == "meanwhile");
  CHECK(ProgramName(ReadBack(first)) == "meanwhile");
  TestSegment second;
  name->WriteTo(second.segment());
  CHECK(ReadBack(second).given_name == "meanwhile");
  name->Set(nullptr);
  name->WriteTo(second.segment());
  CHECK(ReadBack(second).given_name.empty());
  CHECK(ReadBack(first).given_name == "meanwhile");
}

TEST_CASE("a process without a name costs nothing, and a long name is cut between characters") {
  const auto name = std::make_unique<ProcessNameOverride>();
  TestSegment test;
  name->Set("");
  name->WriteTo(test.segment());
  const ProcessProfile empty = ReadBack(test);
  CHECK((empty.given_name.empty() && empty.given_name_ns == 0));  // there is no entry
  const std::string fits(ProcessNameOverride::kMaxBytes - 1, 'x');
  name->Set((fits + "\xc3\xa9").c_str());
  name->WriteTo(test.segment());
  CHECK(ReadBack(test).given_name == fits);
}

}  // namespace
}  // namespace geckoprof
