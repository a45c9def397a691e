#include "geckoprof/modules/process_memory.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/await.h"
#include "tests/support/forked_check.h"

using namespace geckoprof;

namespace {

constexpr size_t kPage = 4096;

// Three pages of which the last is gone, filled with counting bytes.
class TwoPages {
 public:
  TwoPages() {
    void* const place = mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(place != MAP_FAILED);
    bytes_ = static_cast<uint8_t*>(place);
    for (size_t i = 0; i < 2 * kPage; ++i) bytes_[i] = Byte(i);
    REQUIRE(munmap(bytes_ + 2 * kPage, kPage) == 0);
  }
  ~TwoPages() { munmap(bytes_, 2 * kPage); }

  static uint8_t Byte(size_t i) { return static_cast<uint8_t>(i * 7 + i / 256); }
  uint64_t avma() const { return reinterpret_cast<uint64_t>(bytes_); }
  uint64_t end_avma() const { return avma() + 2 * kPage; }
  uint8_t& operator[](size_t i) { return bytes_[i]; }

 private:
  uint8_t* bytes_;
};

bool ReadsRightly(const ProcessMemory& memory, const TwoPages& pages, size_t from, size_t count) {
  std::vector<uint8_t> out(count, 0xee);
  if (!memory.Read(pages.avma() + from, out)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (out[i] != TwoPages::Byte(from + i)) return false;
  }
  return true;
}

bool Fails(const ProcessMemory& memory, uint64_t avma, size_t count) {
  std::vector<uint8_t> out(count);
  return !memory.Read(avma, out);
}

// From now on process_vm_readv gives `error`. False where filters cannot be had.
bool DenyDirectReading(uint32_t error) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {static_cast<unsigned short>(sizeof(code) / sizeof(code[0])), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("a prefix ends where memory does") {
  const TwoPages pages;
  std::vector<uint8_t> out(3 * kPage);
  const ProcessMemory memory;
  CHECK(memory.ReadPrefix(pages.avma() + 10, out) == 2 * kPage - 10);
  CHECK(out[2 * kPage - 11] == TwoPages::Byte(2 * kPage - 1));
  CHECK(memory.ReadPrefix(pages.avma() + 10, std::span(out).first(100)) == 100);
  CHECK(memory.ReadPrefix(pages.end_avma(), out) == 0);
  CHECK(memory.ReadPrefix(0x10, out) == 0);
}

TEST_CASE("own memory is read, up to its last byte and no further") {
  const TwoPages pages;
  const ProcessMemory memory;
  CHECK(ReadsRightly(memory, pages, 0, 2 * kPage));
  CHECK(ReadsRightly(memory, pages, kPage - 3, 7));
  CHECK(ReadsRightly(memory, pages, 2 * kPage - 1, 1));
  CHECK(Fails(memory, pages.end_avma(), 1));
  CHECK(Fails(memory, pages.end_avma() - 1, 2));
  CHECK(Fails(memory, pages.avma(), 2 * kPage + 1));
}

TEST_CASE("addresses that no process has are an answer, not a fault") {
  const ProcessMemory memory;
  CHECK(Fails(memory, 0, 8));
  CHECK(Fails(memory, ~uint64_t{0}, 8));
  CHECK(Fails(memory, uint64_t{1} << 63, 8));
  CHECK(memory.Read(0, {}));  // every one of no bytes
}

TEST_CASE("memory of another process, and a forked child's own through what its parent made") {
  TwoPages pages;
  const ProcessMemory own;
  int to_parent[2];
  int to_child[2];
  REQUIRE(pipe(to_parent) == 0);
  REQUIRE(pipe(to_child) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    pages[5] = 0xc5;
    uint8_t seen = 0;
    const bool right = own.Read(pages.avma() + 5, {&seen, 1}) && seen == 0xc5;
    char byte = right ? 'y' : 'n';
    if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) _exit(2);
    _exit(0);
  }
  REQUIRE(pid > 0);
  char answer = 0;
  REQUIRE(read(to_parent[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  uint8_t seen = 0;
  CHECK(ProcessMemory(pid).Read(pages.avma() + 5, {&seen, 1}));
  CHECK(seen == 0xc5);
  CHECK(own.Read(pages.avma() + 5, {&seen, 1}));
  CHECK(seen == TwoPages::Byte(5));
  REQUIRE(write(to_child[1], "g", 1) == 1);
  REQUIRE(waitpid(pid, nullptr, 0) == pid);
  CHECK(Fails(ProcessMemory(pid), pages.avma(), 1));  // it is gone
  for (const int fd : {to_parent[0], to_parent[1], to_child[0], to_child[1]}) close(fd);
}

TEST_CASE("where a sandbox denies the direct way, the file of the process's memory serves") {
  for (const uint32_t error : {EPERM, EACCES, ENOSYS}) {
    INFO(error);
    const int status = StatusInChild([error] {
      const TwoPages pages;
      const ProcessMemory own;
      const ProcessMemory by_number(getpid());
      if (!DenyDirectReading(error)) return kForkedSkip;
      for (const ProcessMemory* memory : {&own, &by_number}) {
        FORKED_REQUIRE(ReadsRightly(*memory, pages, 0, 2 * kPage));
        FORKED_REQUIRE(ReadsRightly(*memory, pages, kPage - 3, 7));
        FORKED_REQUIRE(Fails(*memory, pages.end_avma(), 1));
        FORKED_REQUIRE(Fails(*memory, pages.end_avma() - 1, 2));
      }
      return 0;
    });
    if (status == kForkedSkip) {
      WARN("no filters here");
    } else {
      CHECK(status == 0);
    }
  }
}

TEST_CASE("another process's memory, too, where the direct way is denied") {
  const int status = StatusInChild([] {
    TwoPages pages;
    if (!DenyDirectReading(EPERM)) return kForkedSkip;
    int ready[2];
    FORKED_REQUIRE(pipe(ready) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
      pages[5] = 0xc5;
      if (write(ready[1], "r", 1) == 1) pause();
      _exit(1);
    }
    char byte = 0;
    FORKED_REQUIRE(read(ready[0], &byte, 1) == 1);
    uint8_t seen = 0;
    const bool read_it = ProcessMemory(pid).Read(pages.avma() + 5, {&seen, 1});
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    FORKED_REQUIRE(read_it);
    FORKED_REQUIRE(seen == 0xc5);
    return 0;
  });
  CHECK((status == 0 || status == kForkedSkip));
}

TEST_CASE("process memory: is there when the main thread has ended") {
  constexpr int kNotShown = 77;  // an emulator's main thread is not the kernel's
  const pid_t pid = fork();
  if (pid == 0) {
    static TwoPages pages;
    pthread_t reader;
    pthread_create(
        &reader, nullptr,
        [](void*) -> void* {
          if (!AwaitEnd(getpid())) _exit(kNotShown);
          _exit(ReadsRightly(ProcessMemory(), pages, 100, 5000) ? 7 : 1);
        },
        nullptr);
    syscall(SYS_exit, 0);
  }
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotShown) {
    WARN("the main thread does not end here");
    return;
  }
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
}

TEST_CASE("any other refusal is final") {
  const int status = StatusInChild([] {
    const TwoPages pages;
    if (!DenyDirectReading(ENOMEM)) return kForkedSkip;
    FORKED_REQUIRE(Fails(ProcessMemory(), pages.avma(), 1));
    return 0;
  });
  CHECK((status == 0 || status == kForkedSkip));
}
