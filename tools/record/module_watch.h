#ifndef GECKOPROF_TOOLS_RECORD_MODULE_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_MODULE_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/modules/memory_map.h"
#include "tools/symbols/held_files.h"

namespace geckoprof {

// ModuleWatch opens the files of recorded processes while they are mapped, because a file may be gone or another one
// when the profile is made. It opens programs, libraries, jitdumps and perf maps.
//
//   a segment appears in the session  ->  its process is looked at, at once
//   /proc/PID/maps                    ->  executable mappings of files that are not open yet
//   /proc/PID/root/PATH               ->  opened, and taken if device and inode are those of the mapping
//
// Processes are looked at again and again, young ones more often. The looks cost at most some percent of one core.
// A flight recorder has a window. Files that no process had mapped since before it are closed, and so are the JIT files
// of processes that ended before it. A file of a file system that was mounted since the start is copied, because an
// open file would keep it from being unmounted. Devices are never opened. Threads: one.
class ModuleWatch {
 public:
  // The numbers of mounts, as statx(2) gives them.
  using Mounts = std::set<uint64_t>;
  static Mounts MountsNow();

  // `session` is the directory. `signal_number` reports a new segment: the caller blocks it, and calls Look when it
  // arrives. `files` outlives this. `mounts` were there before the program started. `window_ns` is 0 without a window.
  ModuleWatch(std::string session, int signal_number, HeldFiles* files, Mounts mounts, int64_t window_ns = 0);
  ModuleWatch(const ModuleWatch&) = delete;
  ModuleWatch& operator=(const ModuleWatch&) = delete;

  // Looks at new processes, and at some of the others, unless it is not due at `now_ns` (MonotonicNs). Returns after
  // how many ns it is due again.
  int64_t Look(int64_t now_ns);

 private:
  struct Process {
    pid_t pid;                // in our pid namespace
    HeldFiles::ProcessId id;  // as the process itself counts
    int64_t since_ns;
    bool is_of_session;  // by its environment, or by a segment that it had mapped
    int misses = 0;      // looks in a row that did not find such a segment
  };
  // One file at its mapping.
  struct Mapping {
    std::tuple<uint32_t, uint32_t, uint64_t> device_and_inode;
    std::string path;
    AddressRange first;  // lines of the maps: the first one of the file, and
    AddressRange code;   // an executable one
    bool is_deleted = false;
  };
  struct Known {
    const HeldFile* file = nullptr;  // null: it is no object, or cannot be opened
    bool is_open = false;            // so its inode is not used again for another file
    FileIdentity identity = {};      // where it is not open
    uint64_t copied_bytes = 0;       // 0: it is no copy
    int64_t seen_ns = 0;             // mapped
  };
  struct Ended {
    HeldFiles::ProcessId id;
    int64_t seen_ns;
  };

  void WatchFolder(int signal_number);
  void ReadNews();
  void AddSegment(std::string_view name);
  void ListFolder();
  pid_t FindInOtherNamespace(int32_t pid);
  // Returns false if the process is not there any more.
  bool LookAt(Process& process);
  std::vector<Mapping> CodeOf(std::string_view maps, bool* has_segment) const;
  void LookAtMapping(const Process& process, const Mapping& mapping);
  void Hold(const Process& process, const Mapping& mapping, Known* known);
  void LookAtPerfMap(const Process& process);
  Fd OpenMapped(const Process& process, const Mapping& mapping) const;
  Fd Keep(Fd file);
  void Forget(int64_t now_ns);

  const std::string session_;
  HeldFiles* const files_;
  const Mounts mounts_;  // that were there at the start
  const size_t most_files_;
  const int64_t window_ns_;
  Fd news_;  // an inotify descriptor
  std::vector<Process> processes_;
  size_t news_count_ = 0;  // of the last ones of these, which have not been looked at
  size_t next_ = 0;        // to be looked at of the others
  int64_t not_before_ns_ = 0, others_looked_for_ns_ = 0;
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint64_t, std::string>, Known> known_;
  absl::flat_hash_map<int32_t, pid_t> others_;  // of other pid namespaces: our number by theirs
  std::deque<Ended> ended_;                     // processes, if there is a window
  std::vector<Known> replaced_;                 // by other files at the same place, likewise
  int64_t forget_due_ns_ = 0;
  uint64_t copied_bytes_ = 0;
  bool is_full_ = false;  // no more files are held
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MODULE_WATCH_H_
