// A check in folders that nobody else uses.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_PROCESS_EMPTY_FOLDERS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_PROCESS_EMPTY_FOLDERS_H_

#include <sched.h>
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/forked_check.h"

namespace geckoprof {

// The folders are everybody's on this machine: each check runs in a child that sees empty ones of its own instead.
inline int InEmptyFolders(const std::function<int()>& check) {
  return StatusInChild([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kForkedSkip;
    for (const char* folder : {"/dev/shm", "/tmp"}) {
      if (mount("none", folder, "tmpfs", 0, "size=64k,mode=1777") != 0) return kForkedSkip;
    }
    return check();
  });
}

#define CHECK_IN_EMPTY_FOLDERS(body)                \
  do {                                              \
    const int forked_status = InEmptyFolders(body); \
    if (forked_status == kForkedSkip) {             \
      WARN("mounts are not permitted here");        \
    } else {                                        \
      CHECK(forked_status == 0);                    \
    }                                               \
  } while (false)

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_PROCESS_EMPTY_FOLDERS_H_
