// Real programs print and return, sampled, what they print and return bare, and leave nothing behind.
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

// Whether a program can remove its file at its end: not one that has left the user it was, or ends by the raw call.
enum class Leaves { kNothing, kItsFile };

// What the session directory must hold of the program.
enum class Recorded {
  kSamples,       // a segment with at least one sample of it
  kSteppedAside,  // a segment: the program makes calls, at once or always, for which the sampler steps aside
  kTooShort,      // a segment: the program works for too short a time for a sample, or its name, to be sure
  kNoRoom,        // nothing in particular: there is no room for a segment, or no thread to be had
};

struct Expected {
  Leaves leaves = Leaves::kNothing;
  Recorded recorded = Recorded::kSamples;
  std::string program = {};  // the file name of the executable to be recorded; empty: the command's
  Strings more = {};         // variables
};

void CheckSameAsBare(const ProgramOutput& sampled, const ProgramOutput& bare) {
  CHECK(sampled.status == bare.status);
  const bool same_out = sampled.out == bare.out;
  const bool same_err = sampled.err == bare.err;
  CHECK(same_out);
  CHECK(same_err);
  if (!same_out) WARN("stdout " << sampled.out.substr(0, 500) << "\nbare   " << bare.out.substr(0, 500));
  if (!same_err) WARN("stderr " << sampled.err.substr(0, 500) << "\nbare   " << bare.err.substr(0, 500));
}

struct RecordedCounts {
  size_t segments = 0;  // of any program
  size_t samples = 0;   // of the one asked for
};

RecordedCounts CountRecorded(const SessionFolder& session, const std::string& program) {
  RecordedCounts counts;
  for (const ProcessProfile& profile : session.Read()) {
    ++counts.segments;
    if (std::filesystem::path(profile.executable).filename() == program) counts.samples += CountSamples(profile);
  }
  return counts;
}

// Into a session directory, as under `geckoprof record`.
void CheckRecorded(const Strings& command, const ProgramOutput& bare, const Expected& expected) {
  const std::string program =
      expected.program.empty() ? std::filesystem::path(command[0]).filename().string() : expected.program;
  RecordedCounts counts;
  // A machine that gives the sampler no core for the time that a program lives may do so once, not always.
  for (int i = 0; i < 5 && counts.samples == 0; ++i) {
    const SessionFolder session;
    Strings variables = expected.more;
    variables.push_back(session.variable());
    CheckSameAsBare(RunProgram(command, Recording(variables)), bare);
    counts = CountRecorded(session, program);
    if (expected.recorded != Recorded::kSamples) break;
  }
  INFO(counts.segments << " segments, " << counts.samples << " samples of " << program);
  if (expected.recorded != Recorded::kNoRoom) CHECK(counts.segments > 0);
  if (expected.recorded == Recorded::kSamples) CHECK(counts.samples > 0);
}

// Without one the process makes its file in /dev/shm, and removes it at its end.
void CheckLeavesNothing(const Strings& command, const ProgramOutput& bare, const Expected& expected) {
  const bool is_private = UsePrivateSharedMemory();
  CheckSameAsBare(RunProgram(command, Recording(expected.more)), bare);
  if (!is_private) return;
  const Strings left = LeftInSharedMemory();
  if (expected.leaves == Leaves::kNothing) CHECK(left == Strings{});
  for (const std::string& name : left) unlink(name.c_str());
}

void CheckUnchanged(const Strings& command, const Expected& expected = {}) {
  std::string line;
  for (const std::string& word : command) line += word + " ";
  INFO(line);
  const ProgramOutput bare = RunProgram(command, {});
  CheckLeavesNothing(command, bare, expected);
  CheckRecorded(command, bare, expected);
}

// A program that works for 50 ms, for lines of a shell that limits it.
const std::string kWorker = "deep_stack";
const std::string kWork = Scenario("deep_stack") + " 0.05";

// A file of numbers in no order.
class Numbers {
 public:
  explicit Numbers(uint32_t count) {
    std::ofstream file(path_);
    uint32_t value = 1;
    for (uint32_t i = 0; i < count; ++i) file << (value = value * 1664525 + 1013904223) % 1'000'000 << '\n';
  }
  ~Numbers() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_ = "/tmp/geckoprof-numbers-" + std::to_string(getpid());
};

TEST_CASE("main leaves by pthread_exit", "[main_pthread_exit]") { CheckUnchanged({Scenario("main_pthread_exit")}); }

TEST_CASE("programs that are built with a sanitizer", "[sanitized]") {
  CheckUnchanged({Scenario("sanitized_work_address")});
  CheckUnchanged({Scenario("sanitized_work_thread")});
  CheckUnchanged({Scenario("sanitized_work_thread_inside")});
}

TEST_CASE("a program that is linked with another libc", "[other_libc]") {
  if (!std::filesystem::exists(Scenario("other_libc"))) SkipAll("there is no compiler for musl");
  CheckUnchanged({Scenario("other_libc")}, {.recorded = Recorded::kNoRoom});
}

TEST_CASE("a program that counts its threads", "[thread_counter]") {
  CheckUnchanged({Scenario("thread_counter")});
  CheckUnchanged({Scenario("thread_counter"), "in handlers"}, {.recorded = Recorded::kSteppedAside});
}

TEST_CASE("a program that asks to be traced, to see whether it is already", "[trace_asker]") {
  CheckUnchanged({Scenario("trace_asker")});
  CheckUnchanged({"bash", "-c", Scenario("trace_asker") + "; echo $?"}, {.program = "trace_asker"});
}

TEST_CASE("strict seccomp", "[strict_seccomp]") {
  CheckUnchanged({Scenario("strict_seccomp")}, {.leaves = Leaves::kItsFile, .recorded = Recorded::kSteppedAside});
}

TEST_CASE("seccomp filters that deny", "[seccomp_errno]") {
  for (const char* call :
       {"open", "openat", "clone", "tgkill", "rt_tgsigqueueinfo", "clock_nanosleep", "futex", "all"}) {
    CheckUnchanged({Scenario("seccomp_filter"), "errno", call});
    CheckUnchanged({Scenario("seccomp_filter"), "errno", call, "tsync"});
  }
}

TEST_CASE("a filter that kills whoever asks for his own number", "[seccomp_kill]") {
  CheckUnchanged({Scenario("seccomp_filter"), "kill", "getpid"}, {.recorded = Recorded::kSteppedAside});
}

TEST_CASE("seccomp filters that kill", "[seccomp_kill]") {
  for (const char* call :
       {"open", "openat", "clone", "tgkill", "rt_tgsigqueueinfo", "clock_nanosleep", "futex", "all"}) {
    CheckUnchanged({Scenario("seccomp_filter"), "kill", call});
    CheckUnchanged({Scenario("seccomp_filter"), "kill", call, "tsync"});
  }
}

TEST_CASE("seccomp filters that were there before us", "[seccomp_inherited]") {
  for (const char* call : {"close_range", "rt_tgsigqueueinfo", "process_vm_readv"}) {
    CheckUnchanged({Scenario("filtered_exec"), call}, {.leaves = Leaves::kItsFile, .recorded = Recorded::kNoRoom});
  }
}

// How many this test is under itself.
std::string SeccompFilters() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp_filters:\t")) return line.substr(line.find('\t') + 1);
  }
  SkipAll("the kernel does not count filters");
}

TEST_CASE("a filter of the program's decides with nothing asked that it might forbid", "[seccomp_inherited]") {
  for (const char* call : {"getpid", "getppid", "gettid", "geteuid", "prctl", "symlinkat", "clone", "madvise",
                           "rt_sigprocmask", "futex", "faccessat"}) {
    const Strings command = {Scenario("filtered_exec"), call, "/bin/echo", "fine"};
    const ProgramOutput bare = RunProgram(command, {});
    if (bare.status != 0) continue;  // the program itself needs it
    CheckUnchanged(command, {.leaves = Leaves::kItsFile,
                             .recorded = Recorded::kNoRoom,
                             .more = {"GECKOPROF_SECCOMP_FILTERS=" + SeccompFilters()}});
    INFO(call);
    const bool is_own_number = std::string(call) == "getpid";  // the one thing that is asked where nothing is recorded
    if (!is_own_number) CheckSameAsBare(RunProgram(command, {"LD_PRELOAD=" + LibraryPath()}), bare);
  }
}

TEST_CASE("a program with SIGURG business of its own", "[sigurg]") {
  for (const char* mode : {"blocked", "used", "ignored", "waited", "latched", "all"})
    CheckUnchanged({Scenario("sigurg_user"), mode});
}

TEST_CASE("threads by raw clone", "[raw_clone_threads]") { CheckUnchanged({Scenario("raw_clone_threads")}); }

TEST_CASE("children of every kind", "[fork_tree]") { CheckUnchanged({Scenario("fork_tree")}); }

TEST_CASE("a program that drops its rights", "[setuid_drop]") {
  CheckUnchanged({Scenario("setuid_drop"), "libc"}, {.leaves = Leaves::kItsFile});
  CheckUnchanged({Scenario("setuid_drop"), "raw"}, {.leaves = Leaves::kItsFile});
}

TEST_CASE("unusual stacks", "[stacks]") {
  CheckUnchanged({Scenario("deep_stack"), "0.5"});
  CheckUnchanged({Scenario("coroutine_stacks"), "0.5"});
  CheckUnchanged({Scenario("altstack_user")});
  for (int i = 0; i < 5; ++i) CheckUnchanged({Scenario("argv_eraser"), "one", "two", "three"});
}

TEST_CASE("faults and signals on small alternate stacks", "[fault_handlers]") {
  CheckUnchanged({Scenario("fault_handlers")});
}

// Returns the share of a thread's samples that show its stack, or -1 if there is no thread of this name.
double ShareWithStack(const ProcessProfile& profile, const std::string& thread) {
  const ThreadRow* const row = FindThread(profile, thread);
  if (row == nullptr) return -1;
  INFO(thread << ": " << row->samples.size() << " samples");
  CHECK(row->samples.size() > 20);
  const auto shown = std::count_if(row->samples.begin(), row->samples.end(), [&](const SampleRow& sample) {
    return StackHasLibrary(profile, sample.stack, "altstack_sizes");
  });
  return static_cast<double>(shown) / static_cast<double>(row->samples.size());
}

TEST_CASE("threads with alternate stacks of the usual and of the least size have stacks", "[fault_handlers]") {
#ifdef __aarch64__
  constexpr size_t kUsualBytes = 16384;
#else
  constexpr size_t kUsualBytes = 8192;
#endif
  const size_t least_bytes = getauxval(AT_MINSIGSTKSZ);
  for (const bool has_handler : {false, true}) {
    INFO("handlers on the stacks " << has_handler);
    const SessionFolder session;
    Strings command = {Scenario("altstack_sizes")};
    if (has_handler) command.emplace_back("handler");
    CheckUnchanged(command);
    const ProgramOutput output = RunProgram(command, Recording({session.variable()}));
    REQUIRE(output.status == 0);
    const ProcessProfile profile = session.ReadOnly(output.pid);
    const auto share = [&](size_t bytes) { return ShareWithStack(profile, "stack " + std::to_string(bytes)); };
    // As Rust's run time has them.
    CHECK(share(std::max(least_bytes, kUsualBytes)) > 0.9);
    const double of_least = share(least_bytes);
    CHECK((of_least < 0 || of_least > 0.9));
    const std::string smallest = "stack " + std::string(share(2048) > 0.9 ? "2048" : "6144");
    CHECK(ShareWithStack(profile, smallest) > 0.9);
  }
}

TEST_CASE("handlers that were installed past libc", "[raw_disposition]") {
  CheckUnchanged({Scenario("raw_disposition")});
}

TEST_CASE("a handler that forks, or exits, wherever it interrupts", "[handler_calls]") {
  // It calls setgid without a pause, and the sampler steps aside for each call.
  CheckUnchanged({Scenario("handler_calls"), "fork"}, {.recorded = Recorded::kSteppedAside});
  CheckUnchanged({Scenario("handler_calls"), "exit"}, {.recorded = Recorded::kTooShort});
  CheckUnchanged({Scenario("handler_calls"), "exit"},
                 {.recorded = Recorded::kTooShort, .more = {"GECKOPROF_SHUTDOWN=/dev/null"}});
}

TEST_CASE("more threads than a process may have descriptors", "[many_threads]") {
  CheckUnchanged({"bash", "-c", "ulimit -n 256; exec " + Scenario("many_threads") + " 600"},
                 {.program = "many_threads"});
}

TEST_CASE("no memory for what comes with a signal", "[no_queued_signals]") {
  CheckUnchanged({"bash", "-c", "ulimit -i 0; exec " + Scenario("sigurg_user") + " used"}, {.program = "sigurg_user"});
}

TEST_CASE("what signals mean to a program, in odd cases", "[signal_semantics]") {
  for (const char* mode : {"blocked", "workers", "queued", "nested", "again", "interrupted", "jumped", "cloned",
                           "errors", "plugin", "small_stack", "interrupting"}) {
    INFO(mode);
    CheckUnchanged({Scenario("signal_semantics"), mode}, {.recorded = Recorded::kTooShort});
  }
  // Without a core for everybody: a signal may be on its way while the stack is installed.
  const std::string many = "for i in {1..24}; do " + Scenario("signal_semantics") + " small_stack & done; wait";
  CheckUnchanged({"bash", "-c", many}, {.recorded = Recorded::kTooShort, .program = "signal_semantics"});
}

TEST_CASE("libraries that come and go", "[dlopen_churn]") { CheckUnchanged({Scenario("dlopen_churn"), "300"}); }

TEST_CASE("threads that come and go", "[thread_churn]") { CheckUnchanged({Scenario("thread_churn"), "200"}); }

TEST_CASE("exceptions, signals and virtual calls", "[busy_mix]") { CheckUnchanged({Scenario("busy_mix"), "1"}); }

TEST_CASE("sort", "[sort]") {
  const Numbers numbers(200'000);
  CheckUnchanged({"sort", numbers.path()});
  CheckUnchanged({"sort", "--parallel=4", "-n", numbers.path()});
}

TEST_CASE("dd", "[dd]") {
  const Numbers numbers(300'000);
  CheckUnchanged({"dd", "if=" + numbers.path(), "bs=4k", "status=noxfer"}, {.recorded = Recorded::kTooShort});
  CheckUnchanged({"bash", "-c", "dd if=/dev/urandom bs=4M count=20 status=noxfer | wc -c"}, {.program = "dd"});
}

TEST_CASE("megabytes at once", "[long_transfers]") {
  CheckUnchanged({Scenario("long_transfers")});
  CheckUnchanged({"bash", "-c", "perl -e 'syswrite(STDOUT, \"x\" x 4000000)' | wc -c"}, {.program = "perl"});
}

TEST_CASE("modes in which our handler would die", "[odd_modes]") {
  CheckUnchanged({Scenario("odd_modes"), "alignment"});
  for (const char* mode : {"dispatch", "counter"}) {
    CheckUnchanged({Scenario("odd_modes"), mode}, {.recorded = Recorded::kSteppedAside});
  }
}

TEST_CASE("xz with two threads", "[xz]") {
  const Numbers numbers(400'000);
  // Since 5.6, xz gives up its rights to files (Landlock). It cannot remove its segment then.
  const std::string version = RunProgram({"xz", "--version"}, {}).out;
  const bool keeps_rights = version.find(") 5.2.") != version.npos || version.find(") 5.4.") != version.npos;
  CheckUnchanged({"xz", "-T2", "--block-size=600000", "-1", "-c", numbers.path()},
                 {.leaves = keeps_rights ? Leaves::kNothing : Leaves::kItsFile});
}

TEST_CASE("a new user namespace", "[unshare]") {
  CheckUnchanged({"unshare", "-U", "true"}, {.leaves = Leaves::kItsFile, .recorded = Recorded::kSteppedAside});
  CheckUnchanged({"unshare", "-U", "id"}, {.leaves = Leaves::kItsFile, .recorded = Recorded::kSteppedAside});
}

TEST_CASE("another user by setpriv", "[setpriv]") {
  CheckUnchanged({"setpriv", "--reuid", "1000", "--clear-groups", "id"},
                 {.leaves = Leaves::kItsFile, .recorded = Recorded::kSteppedAside});
}

TEST_CASE("a shell that starts program after program", "[exec_loop]") {
  CheckUnchanged({"bash", "-c", "for i in {1..100}; do bash -c \"/bin/echo $i\"; done"});
  CheckUnchanged({"bash", "-c", "n=$1; [ $n = 0 ] && exec echo end; exec bash -c \"$2\" x $((n - 1)) \"$2\"", "x", "60",
                  "n=$1; [ $n = 0 ] && exec echo end; exec bash -c \"$2\" x $((n - 1)) \"$2\""},
                 {.recorded = Recorded::kTooShort});
}

TEST_CASE("children that live a moment", "[short_children]") {
  CheckUnchanged({"bash", "-c", "for i in {1..200}; do (:); done; echo end"});
  CheckUnchanged({"bash", "-c", "for i in {1..200}; do (for j in {1..100}; do :; done); done; echo end"});
}

TEST_CASE("no further thread allowed", "[no_processes]") {
  CheckUnchanged({"setpriv", "--reuid", "65534", "--clear-groups", "bash", "-c", "ulimit -u 1; exec sort /etc/passwd"},
                 {.leaves = Leaves::kItsFile, .recorded = Recorded::kNoRoom});
  // The limit is none for root.
  CheckUnchanged({"bash", "-c", "ulimit -u 1; exec " + kWork},
                 {.recorded = geteuid() == 0 ? Recorded::kSamples : Recorded::kNoRoom, .program = kWorker});
}

TEST_CASE("no file may grow", "[no_file_size]") {
  CheckUnchanged({"bash", "-c", "ulimit -f 0; exec sort /etc/passwd"},
                 {.leaves = Leaves::kItsFile, .recorded = Recorded::kNoRoom});
  CheckUnchanged({"bash", "-c", "ulimit -f 16; exec sort /etc/passwd"},
                 {.leaves = Leaves::kItsFile, .recorded = Recorded::kNoRoom});
  CheckUnchanged({"bash", "-c", "ulimit -f 2000; exec sort /etc/passwd"}, {.recorded = Recorded::kNoRoom});
  CheckUnchanged({"bash", "-c", "ulimit -f 2000; exec " + kWork}, {.program = kWorker});
}

TEST_CASE("where nobody would read it no note is left", "[notes]") {
  CheckUnchanged({"bash", "-c", "ulimit -f 0; exec sort /etc/passwd"}, {.recorded = Recorded::kNoRoom});
}

TEST_CASE("little address space", "[address_space]") {
  for (const char* kib : {"20000", "40000", "80000", "200000"}) {
    const std::string limit = std::string("ulimit -v ") + kib + "; exec ";
    CheckUnchanged({"bash", "-c", limit + "sort /etc/passwd"}, {.recorded = Recorded::kNoRoom});
    CheckUnchanged({"bash", "-c", limit + kWork}, {.program = kWorker});
  }
}

TEST_CASE("a limited address space that the program's threads fit into", "[address_space_threads]") {
  CheckUnchanged({"bash", "-c", "ulimit -v 300000; exec " + Scenario("thread_churn") + " 20"},
                 {.program = "thread_churn"});
}

TEST_CASE("a program that limits its own address space", "[own_limit]") {
  CheckUnchanged({Scenario("limits_user")});
  CheckUnchanged({Scenario("memory_locker")}, {.leaves = Leaves::kItsFile});
}

TEST_CASE("few descriptors and closed ones", "[descriptors]") {
  CheckUnchanged({"bash", "-c", "ulimit -n 4; exec sort /etc/passwd"}, {.recorded = Recorded::kNoRoom});
  CheckUnchanged({"bash", "-c", "ulimit -n 4; exec " + kWork}, {.program = kWorker});
  CheckUnchanged({"bash", "-c", "exec 0<&-; exec " + kWork}, {.program = kWorker});
  CheckUnchanged({"bash", "-c", "exec 2>&-; ls -l /proc/self/fd | wc -l"}, {.recorded = Recorded::kTooShort});
}

TEST_CASE("four threads that are never interrupted", "[eintr_storm]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({Scenario("eintr_storm"), "3"}, Recording({session.variable()}));
  INFO(output.out << output.err);
  CHECK(output.status == 0);
  CHECK(output.out.find(" eintr 0 other-errors 0\n") != std::string::npos);
  // The program works for some 0.7 s in all. A sampler that interrupts nobody because it never asks would have none.
  CHECK(CountSamples(session.ReadOnly(output.pid)) >= 500);
}

}  // namespace
}  // namespace geckoprof
