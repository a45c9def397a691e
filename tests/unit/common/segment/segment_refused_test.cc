// Segments where the kernel refuses something.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "geckoprof/segment/segment.h"
#include "tests/support/forked_check.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

ProcessId Me() { return ProcessId::FromNumber(getpid()); }

// From now on and for good each of these calls fails as on a full file system.
bool Refuse(const std::vector<unsigned>& calls) {
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("a mapping that the kernel refuses leaves no file") {
  if (kIsSanitized) return;
  TestSegment test;
  const std::string directory = test.directory();
  std::filesystem::remove(test.path());
  HoldsInChild([&] {
    // A share of the limit is allowed, but most of the limit is in use.
    rlimit limit = {rlim_t{4} << 30, rlim_t{4} << 30};
    setrlimit(RLIMIT_AS, &limit);
    while (mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
    }
    Segment segment;
    return segment.Create({16 << 20, directory.c_str()}, Me(), Me()) == Segment::CreateResult::kFailed;
  });
  CHECK(std::filesystem::is_empty(directory));
}

TEST_CASE("where the kernel makes no pages through a mapping, the file is asked") {
  TestSegment test;
  const std::string directory = test.directory();
  CHECK(HoldsInChild([&] {
    Segment segment;
    if (!Refuse({SYS_madvise})) return false;
    if (segment.Create({1 << 20, directory.c_str()}, Me(), Me()) != Segment::CreateResult::kCreated) return false;
    return segment.header().prepared_chunks.load() == 1 && !segment.PrepareByMapping() && segment.PrepareChunk();
  }));
}

TEST_CASE("where there is no page for the header, the segment is memory of this process, and no file is left") {
  TestSegment test;
  const std::string directory = test.directory();
  std::filesystem::remove(test.path());
  CHECK(HoldsInChild([&] {
    Segment segment;
    if (!Refuse({SYS_madvise, SYS_fallocate})) return false;
    if (segment.Create({1 << 20, directory.c_str()}, Me(), Me()) != Segment::CreateResult::kAnonymous) return false;
    return segment.IsMapped() && segment.header().anonymous == 1 && segment.header().chunk_count > 0;
  }));
  CHECK(std::filesystem::is_empty(directory));
}

}  // namespace
}  // namespace geckoprof
