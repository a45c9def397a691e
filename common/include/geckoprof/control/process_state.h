// This header reads facts of other processes from /proc.
#ifndef GECKOPROF_CONTROL_PROCESS_STATE_H_
#define GECKOPROF_CONTROL_PROCESS_STATE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/text_builder.h"

namespace geckoprof {

// ProcessState has fields of /proc/PID/stat (proc(5)).
struct ProcessState {
  char letter = 0;             // of the first thread: R, S, D, T, t, Z, ...
  pid_t parent = 0;            // 0: none in this pid namespace
  uint64_t start_ticks = 0;    // since the machine's start, in units of sysconf(_SC_CLK_TCK)
  bool is_of_kernel = false;   // a thread of the kernel
  int thread_count = 0;        // those that ended last and were not waited for included
  uint64_t stack_address = 0;  // the kernel chooses another one for each program; 0: this user may not know it
  int64_t user_cpu_ns = 0, system_cpu_ns = 0;  // so far, of all threads and all programs; in whole ticks
  int64_t waited_cpu_ns = 0;                   // of its children that were waited for, with theirs
  uint64_t resident_bytes = 0;
  uint64_t minor_faults = 0, major_faults = 0;  // page faults without and with a read from a disk

  // Returns the start in ns since the machine's start. The process began up to a tick later.
  int64_t StartNs() const;
  // Returns whether a thread may run again. A process that only waits to be waited for does not live.
  bool Lives() const { return letter != 'Z' || thread_count > 1; }
};

// Begins a path with the folder of a process, such as /proc/4711. The pid 0 stands for the own process here and in
// ReadProcessState. Its folder is right even if /proc is that of another pid namespace.
TextBuilder ProcFolder(pid_t pid, std::span<char> room);

// Returns nothing if there is no such process, or no /proc.
std::optional<ProcessState> ReadProcessState(pid_t pid);

// Returns the words of a process's command line. There are none where it has none, or has ended.
std::vector<std::string> ReadCommandLine(pid_t pid);

// Returns the effective user of a process, or nothing, likewise.
std::optional<uid_t> ReadProcessUser(pid_t pid);

// Returns a field of the file `status` below a folder such as /proc/4711, up to the end of its line. Returns nothing if
// there is no such field.
std::optional<std::string> ReadStatusField(const std::string& proc_folder, std::string_view name);

// Returns whether there is such a process, and a thread of it may run again. A process whose first thread alone has
// ended lives. Without /proc a zombie lives, too. No process has a number below 1.
bool ProcessLives(pid_t pid);

// Returns the children of a process. A thread's file in /proc lists the children that this thread made, or was left.
std::vector<pid_t> ChildrenOf(pid_t pid);

// Returns the names in a folder, without "." and "..". `error` is an errno, or 0 if all names could be read.
std::vector<std::string> NamesIn(const std::string& folder, int& error);

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_PROCESS_STATE_H_
