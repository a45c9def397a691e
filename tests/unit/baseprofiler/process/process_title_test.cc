#include "process/process_title.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "geckoprof/reader/profile_facts.h"
#include "process/process_control.h"
#include "tests/support/forked_check.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

char* FirstArgument() { return program_invocation_name; }

TEST_CASE("a title that a process writes over its arguments is found at the next look, and told of at once") {
  CHECK(StatusInChild([] {
          TestSegment segment;
          MetadataWriter metadata(&segment.segment());
          ProcessTitle title;
          title.SetFirstArgument(FirstArgument());
          FORKED_REQUIRE(!title.HasChanged());
          title.Write(metadata, 0);
          FORKED_REQUIRE(!title.HasChanged());
          FORKED_REQUIRE(ReadBack(segment).arguments[0] == FirstArgument());
          memcpy(FirstArgument(), "worker", 7);
          FORKED_REQUIRE(title.HasChanged());
          title.RefreshIfDue(metadata, 99 * kNsPerMs);
          FORKED_REQUIRE(ReadBack(segment).arguments[0] != "worker");
          title.RefreshIfDue(metadata, 100 * kNsPerMs);
          FORKED_REQUIRE(ReadBack(segment).arguments[0] == "worker" && !title.HasChanged());
          FORKED_REQUIRE(!ReadBack(segment).executable.empty());
          // The last one counts.
          memcpy(FirstArgument(), "idle", 5);
          title.Refresh(metadata, 101 * kNsPerMs);
          FORKED_REQUIRE(ReadBack(segment).arguments[0] == "idle");
          return 0;
        }) == 0);
}

TEST_CASE("the arguments are copied as far as there is room, and as far as they are mapped") {
  static char text[] = "word\0--all\0";
  ProcessTitle title;
  char room[64] = {};
  CHECK(title.CopyArguments(room) == 0);
  title.SetFirstArgument(text, sizeof(text) - 1);
  CHECK(title.CopyArguments(room) == sizeof(text) - 1);
  CHECK(memcmp(room, text, sizeof(text)) == 0);
  char little[7] = {};
  CHECK(title.CopyArguments(little) == sizeof(little));
  CHECK(memcmp(little, text, sizeof(little)) == 0);
  title.SetFirstArgument(reinterpret_cast<const char*>(16), 100);
  CHECK(title.CopyArguments(room) == 0);
}

TEST_CASE("a title that is another one at each look takes no room to speak of") {
  CHECK(StatusInChild([] {
          TestSegment segment;
          MetadataWriter metadata(&segment.segment());
          ProcessTitle title;
          title.Write(metadata, 0);
          int changes = 0;
          std::string last;
          for (int64_t now_ns = 0; now_ns < 60'000 * kNsPerMs; now_ns += 10 * kNsPerMs) {
            FirstArgument()[0] = static_cast<char>('a' + now_ns / (10 * kNsPerMs) % 26);
            title.RefreshIfDue(metadata, now_ns);
            if (now_ns % (1'000 * kNsPerMs) != 0) continue;
            const std::string name = ReadBack(segment).arguments[0];
            changes += name != last;
            last = name;
          }
          FORKED_REQUIRE(changes > 2 && changes < 12);
          return 0;
        }) == 0);
}

TEST_CASE("arguments that are no longer mapped are no change, a name of the main thread is one") {
  CHECK(StatusInChild([] {
          TestSegment segment;
          MetadataWriter metadata(&segment.segment());
          void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          memcpy(page, "text", 5);
          ProcessTitle title;
          title.SetFirstArgument(static_cast<const char*>(page));
          title.Write(metadata, 0);
          munmap(page, 4096);
          FORKED_REQUIRE(!title.HasChanged());
          ProcessTitle without;
          char name[16] = {};
          CopyCommandName(name);
          without.SetMainName(name);
          without.Write(metadata, 0);
          FORKED_REQUIRE(!without.HasChanged());
          pthread_setname_np(pthread_self(), "another name");
          FORKED_REQUIRE(without.HasChanged());
          without.Refresh(metadata, 1);
          FORKED_REQUIRE(!without.HasChanged());
          return 0;
        }) == 0);
}

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
