#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

long MappedKiB() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmSize:")) return atol(line.c_str() + sizeof("VmSize:") - 1);
  }
  return 0;
}

TEST_CASE("before a limit of address space our reserve is given back; asking and other limits cost nothing") {
  const int way = GENERATE(0, 1, 2, 3, 4);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters parameters = folder.Asked();
          parameters.capacity_bytes = uint64_t{512} << 20;
          FORKED_REQUIRE(folder.Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
          const long before = MappedKiB();
          // What a limit of 1 GiB leaves of it, and what the heap and the sampler take meanwhile.
          const auto reserve =
              static_cast<long>(RecordingState::Get().RecordingSegment()->header().segment_bytes >> 10);
          const long given_back = reserve - 64 * 1024 - 16 * 1024;
          rlimit limit = {};
          FORKED_REQUIRE(prlimit(0, RLIMIT_CORE, nullptr, &limit) == 0);
          FORKED_REQUIRE(setrlimit(RLIMIT_CORE, &limit) == 0);
          FORKED_REQUIRE(prlimit(0, RLIMIT_AS, nullptr, &limit) == 0);
          FORKED_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);  // there is none
          FORKED_REQUIRE(MappedKiB() > before - 16 * 1024);
          const rlim_t new_limit_bytes = rlim_t{1} << 30;
          limit.rlim_cur = new_limit_bytes;
          if (way == 0) FORKED_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
          if (way == 1) FORKED_REQUIRE(setrlimit64(RLIMIT_AS, reinterpret_cast<const rlimit64*>(&limit)) == 0);
          if (way == 2) FORKED_REQUIRE(prlimit(0, RLIMIT_AS, &limit, nullptr) == 0);
          if (way == 3) {
            FORKED_REQUIRE(prlimit64(getpid(), RLIMIT_AS, reinterpret_cast<const rlimit64*>(&limit), nullptr) == 0);
          }
          if (way == 4) mlockall(MCL_FUTURE);  // it may be refused: what is given back, is
          FORKED_REQUIRE(MappedKiB() < before - given_back);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          rlimit seen = {};
          FORKED_REQUIRE(getrlimit(RLIMIT_AS, &seen) == 0);
          FORKED_REQUIRE((way == 4) == (seen.rlim_cur != new_limit_bytes));
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
