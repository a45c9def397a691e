#include "geckoprof/config/start_help.h"

#include <cerrno>
#include <cstddef>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/config/start_parameters.h"

namespace geckoprof {
namespace {

constexpr int kStandardError = 2;

constexpr std::string_view kText =
    R"(libbaseprofiler.so reads these environment variables when a program starts with it.

  GECKOPROF_HELP=1
      Print this text to standard error and exit with status 0; the program is not run.

  GECKOPROF_STARTUP=1
      Start profiling before any other library is initialised. Off if unset, empty, "0", "N" or "n".

  GECKOPROF_STARTUP_ENTRIES=<131072..268435456, or a size: 1MiB..2GiB>
      Most data to keep, in entries of 8 bytes, or in bytes with KB, KiB, MB, MiB, GB or GiB directly behind
      the digits; the oldest data goes first. Default 16777216 (128 MiB) a process.

  GECKOPROF_STARTUP_INTERVAL=<0.05..5000>
      Milliseconds between samples, fractions allowed. Default 1.

  GECKOPROF_STARTUP_MAX_OVERHEAD=<0.1%..100%>
      Take samples less often where the profiler needs more than this of a core, or of the program's CPU time if
      that is more than one core. Default: no limit.

  GECKOPROF_STARTUP_DURATION=<0..31622400>
      Seconds after which sampling stops, fractions allowed; 0 means never. The program runs on. Default 0.

  GECKOPROF_STARTUP_FEATURES=<comma list>
)"
    // [features] tools/build_lists writes these lines from common/lists/features.json.
    "      mainthreadio      0x4         sums of file calls, slow ones of the main thread\n"
    "      fileio            0x8         and slow file calls of sampled threads\n"
    "      fileioall         0x10        and slow file calls of all threads\n"
    "      nomarkerstacks    0x20        no stacks of markers\n"
    "      libraries         0x80        loads and unloads of libraries\n"
    "      stackwalk         0x100       native stacks (default)\n"
    "      nostacksampling   0x400       neither stacks nor labels (cancels stackwalk)\n"
    "      nativeallocations 0x800       samples of allocations, with stacks\n"
    "      cpu               0x4000      CPU time of each thread between its samples (default)\n"
    "      markersallthreads 0x40000     markers of excluded threads (always on)\n"
    "      power             0x200000    energy of the machine (recorder only)\n"
    "      cpufreq           0x400000    frequency of each core (recorder only)\n"
    "      netio             0x800000    totals of socket calls, and slow ones\n"
    "      memory            0x1000000   a counter of the bytes in allocated blocks\n"
    "      flows             0x8000000   all markers of flows (always on)\n"
    "      system            0x20000000  pressure and network of the machine (recorder only)\n"
    "      locks             0x40000000  waits for locks and for other threads\n"
    "      responsiveness    0x80000000  how long event loops are blocked\n"
    // [/features]
    R"(      default                       the default ones
      Set but empty: none.

  GECKOPROF_STARTUP_FEATURES_BITFIELD=<number, decimal or 0x...>
      The sum of the features' bits, which are Firefox's. Wins over the list.

  GECKOPROF_STARTUP_FILTERS=<comma list>
      Threads to sample: each item selects the threads whose name contains it, in either case; "*" selects all,
      "pid:123" all threads of process 123. At most 32 items of 63 bytes. Default: all threads.

  GECKOPROF_STARTUP_CLOCK=perf-event|cpu-timer|request
      The best clock that may interrupt running threads for samples. Default perf-event: the best that the kernel allows.

  GECKOPROF_NO_ARGUMENTS=1
      Leave the command line out of the recorded data. Off if unset, empty, "0", "N" or "n".

  GECKOPROF_ALLOCATION_INTERVAL=<bytes, or with K or M>
      Mean distance of samples of nativeallocations. libgeckoprofiler_hooks.so reads this and the next three. Default 512K.

  GECKOPROF_LOCK_THRESHOLD=<ms>
  GECKOPROF_LOOP_THRESHOLD=<ms>
  GECKOPROF_IO_THRESHOLD=<ms>
      Shortest marker of locks, of responsiveness, and of fileio and netio. Defaults 1, 50 and 1.

  GECKOPROF_SHUTDOWN=<file>
      Where the command "geckoprof" writes the profile when the process ends normally: raw Gecko JSON, or the
      processed format if it ends in ".json.gz". "%p" stands for the process id, which keeps the programs that this
      one starts from overwriting it. "%h" is the host and "%r" the rank (MPI, Slurm). A relative one is below the folder that the program was started in.
      If the command cannot be run, <file>.segment is left for "geckoprof recover".

  GECKOPROF_COMMAND=<absolute path>
      That command. Default: ../bin/geckoprof beside the library, else in PATH.

  GECKOPROF_SIGNALS=1
      SIGUSR1 starts a recording, and SIGUSR2 stops it and writes GECKOPROF_SHUTDOWN's file, by default
      profile_<pid>.json.gz in the current folder. Off if unset, empty, "0", "N" or "n".

  GECKOPROF_SESSION_DIR=<absolute path>
      Folder for the recorded data; set by "geckoprof record". Without it one is made.

  GECKOPROF_EXEC_TIME=<pid>:<ns>
      When the program was started, on CLOCK_MONOTONIC; set by "geckoprof record".

  GECKOPROF_SECCOMP_FILTERS=<count>
      A process that is under more seccomp filters than this does not start; set by "geckoprof record".

A value that cannot be used is replaced by the default or the nearest bound; the profile says so, the program never sees it.
)";

// The numbers above are the limits of start_parameters.h.
static_assert(kMinOverheadLimit == 10 && kMaxOverheadLimit == 10'000);
static_assert(kMinCapacityBytes == 131072 * kBytesPerEntry && kMaxCapacityBytes == 268435456 * kBytesPerEntry &&
              kDefaultCapacityBytes == 16777216 * kBytesPerEntry && kMinIntervalNs == 50'000 &&
              kMaxIntervalNs == 5'000'000'000 && kDefaultIntervalNs == 1'000'000 &&
              kMaxDurationNs == int64_t{31622400} * 1'000'000'000 && ThreadFilter::kMaxItems == 32 &&
              ThreadFilter::kItemBytes == 64);

}  // namespace

std::string_view StartHelpText() { return kText; }

void PrintStartHelpAndExit() {
  std::string_view rest = kText;
  while (!rest.empty()) {
    const long written = RawSyscall(SYS_write, kStandardError, rest.data(), rest.size());
    if (written == -EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  for (;;) RawSyscall(SYS_exit_group, 0);
}

}  // namespace geckoprof
