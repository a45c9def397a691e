#include "tools/record/module_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "geckoprof/base/clock.h"
#include "tests/support/temporary_folder.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// A child that maps a segment of the session and does what a test says, until the test ends.
class MappingChild {
 public:
  template <typename Action>
  MappingChild(const std::string& session, const Action& action) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      MapFile(Concat(session, "/", getpid(), "-0.segment"), O_RDWR | O_CREAT, 4096, PROT_READ | PROT_WRITE);
      action();
      if (write(ends[1], "", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char ready;
    REQUIRE(read(ends[0], &ready, 1) == 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~MappingChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // In the child.
  static void* MapFile(const std::string& path, int flags, size_t size_bytes, int protection) {
    const int fd = open(path.c_str(), flags, 0600);
    if (fd < 0 || ((flags & O_CREAT) != 0 && ftruncate(fd, static_cast<off_t>(size_bytes)) != 0)) _exit(1);
    void* const place = mmap(nullptr, size_bytes, protection, MAP_PRIVATE, fd, 0);
    if (place == MAP_FAILED) _exit(1);
    close(fd);
    return place;
  }
  static void MapCode(const std::string& path) { MapFile(path, O_RDONLY, 4096, PROT_READ | PROT_EXEC); }

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// A copy of this program, which has a build id or none.
std::string CopySelf(const TemporaryFolder& folder, const std::string& name, bool has_build_id = true) {
  const std::string path = folder.path() + "/" + name;
  std::filesystem::copy_file("/proc/self/exe", path);
  if (!has_build_id) {
    REQUIRE(std::system(("objcopy --remove-section .note.gnu.build-id '" + path + "'").c_str()) == 0);
  }
  return path;
}

HeldFiles::ProcessId IdOf(pid_t pid) { return {pid, PidNamespaces::NumberOf(Concat("/proc/", pid))}; }

// Where a process has the file mapped.
uint64_t StartOf(pid_t pid, const std::string& path) {
  std::ifstream maps(Concat("/proc/", pid, "/maps"));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) return std::stoull(line, nullptr, 16);
  }
  return 0;
}

// Looks as often as a recorder does. The clock is ours, so nothing waits.
void LookAtAll(ModuleWatch& watch) {
  static int64_t now_ns = MonotonicNs();
  for (int i = 0; i < 3; ++i) {
    const int64_t due_ns = watch.Look(now_ns);
    CHECK(due_ns > 0);
    now_ns += due_ns;  // it does not look before
  }
}

TEST_CASE("a library is held from the time when it was mapped") {
  const TemporaryFolder session, files;
  const std::string path = CopySelf(files, "module.so");
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
  const MappingChild child(session.path(), [&] { MappingChild::MapCode(path); });
  LookAtAll(watch);
  REQUIRE(unlink(path.c_str()) == 0);
  const std::string build_id = (*ElfImage::Open("/proc/self/exe"))->BuildId();
  const HeldFile* const file = held.FindObject(IdOf(child.pid()), 0, path, build_id);
  REQUIRE(file != nullptr);
  CHECK((*file->Open())->BuildId() == build_id);
}

TEST_CASE("a file that was put in the place of a mapped one is not taken for it") {
  const TemporaryFolder session, files;
  const std::string path = CopySelf(files, "module.so", /*has_build_id=*/false), other = CopySelf(files, "other.so");
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
  const MappingChild child(session.path(), [&] {
    MappingChild::MapCode(path);
    if (rename(other.c_str(), path.c_str()) != 0) _exit(1);
  });
  LookAtAll(watch);
  const std::string build_id = (*ElfImage::Open("/proc/self/exe"))->BuildId();
  CHECK(held.FindObject(IdOf(child.pid()), 0, path, build_id) == nullptr);
}

TEST_CASE("files without a build id are told apart by the process that maps them") {
  const TemporaryFolder session, files;
  const std::string path = CopySelf(files, "module.so", /*has_build_id=*/false);
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
  const MappingChild first(session.path(), [&] { MappingChild::MapCode(path); });
  const uint64_t first_start = StartOf(first.pid(), path);
  LookAtAll(watch);
  REQUIRE(unlink(path.c_str()) == 0);
  CopySelf(files, "module.so", /*has_build_id=*/false);
  const MappingChild second(session.path(), [&] { MappingChild::MapCode(path); });
  LookAtAll(watch);
  const HeldFile* const old_file = held.FindObject(IdOf(first.pid()), first_start, path, "");
  const HeldFile* const new_file = held.FindObject(IdOf(second.pid()), StartOf(second.pid(), path), path, "");
  REQUIRE(old_file != nullptr);
  REQUIRE(new_file != nullptr);
  CHECK(old_file != new_file);
}

TEST_CASE("with a window, files that nobody has mapped for long are closed") {
  const TemporaryFolder session, files;
  const std::string path = CopySelf(files, "module.so");
  const std::string build_id = (*ElfImage::Open("/proc/self/exe"))->BuildId();
  constexpr int64_t kWindowNs = kNsPerSecond, kLongNs = 100 * kNsPerSecond;
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow(), kWindowNs);
  const int64_t now_ns = MonotonicNs();
  {
    const MappingChild child(session.path(), [&] { MappingChild::MapCode(path); });
    CHECK(watch.Look(now_ns) > 0);
    CHECK(held.FindObject(IdOf(child.pid()), 0, path, build_id) != nullptr);
    CHECK(watch.Look(now_ns + kNsPerSecond) > 0);
    CHECK(held.FindObject(IdOf(child.pid()), 0, path, build_id) != nullptr);
  }
  CHECK(watch.Look(now_ns + 2 * kNsPerSecond) > 0);
  CHECK(held.FindObject({1, 0}, 0, path, build_id) != nullptr);  // for a capture of the last seconds
  CHECK(watch.Look(now_ns + kLongNs) > 0);
  CHECK(held.FindObject({1, 0}, 0, path, build_id) == nullptr);
}

TEST_CASE("thousands of files come and go") {
  const TemporaryFolder session, files;
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
  const std::string path = CopySelf(files, "module.so");
  const MappingChild child(session.path(), [&] {
    for (int i = 0; i < 2000; ++i) {
      const std::string copy = Concat(files.path(), "/", i, ".so");
      std::ofstream(copy) << "\177ELF and no more";
      MappingChild::MapCode(copy);
      unlink(copy.c_str());
    }
    MappingChild::MapCode(path);
  });
  LookAtAll(watch);
  const std::string build_id = (*ElfImage::Open("/proc/self/exe"))->BuildId();
  CHECK(held.FindObject(IdOf(child.pid()), 0, path, build_id) != nullptr);
}

TEST_CASE("a jitdump and a perf map are held, and how the map grows") {
  const TemporaryFolder session, files;
  const std::string dump = files.path() + "/jit-1.dump";
  std::ofstream(dump) << "DTiJ";
  HeldFiles held;
  ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
  const MappingChild child(session.path(), [&] {
    MappingChild::MapCode(dump);
    std::ofstream(Concat("/tmp/perf-", getpid(), ".map")) << "1000 10 f\n";
  });
  LookAtAll(watch);
  const std::string map = Concat("/tmp/perf-", child.pid(), ".map");
  std::ofstream(map, std::ios::app) << "1000 10 g\n";
  LookAtAll(watch);
  unlink(map.c_str());
  unlink(dump.c_str());
  const std::deque<HeldJitFile>* const jit_files = held.FindJitFiles(IdOf(child.pid()));
  REQUIRE(jit_files != nullptr);
  REQUIRE(jit_files->size() == 2);
  CHECK(jit_files->at(0).growth.empty());
  REQUIRE(jit_files->at(1).growth.size() >= 2);
  CHECK(jit_files->at(1).growth.front().size_bytes == 10);
  CHECK(jit_files->at(1).growth.back().size_bytes == 20);
  CHECK(JitMap::OfFile(jit_files->at(1).file)->Find(0x1000).name == "g");
}

TEST_CASE("files that are no files are not opened, and a session that is gone does no harm") {
  const TemporaryFolder session;
  HeldFiles held;
  {
    ModuleWatch watch(session.path(), SIGURG, &held, ModuleWatch::MountsNow());
    const MappingChild child(session.path(), [] {
      MappingChild::MapFile("/dev/zero", O_RDONLY, 4096, PROT_READ | PROT_EXEC);
      mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    });
    std::ofstream(session.path() + "/1-0.segment");  // of a process that is none of the session's
    std::ofstream(session.path() + "/nonsense.segment");
    LookAtAll(watch);
    CHECK(held.FindJitFiles(IdOf(child.pid())) == nullptr);
  }
  ModuleWatch none("/no/such/session", SIGURG, &held, ModuleWatch::MountsNow());
  CHECK(none.Look(MonotonicNs()) > 0);
}

}  // namespace
}  // namespace geckoprof
