#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_MADE_CODE_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_MADE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/symbols/jit_map.h"

namespace geckoprof {

// MadeCode names the code that the processes of a session made at run time.
//
//   process        its jitdump and perf map, as the recorder held them open; else its perf map in /tmp
//     parent       where the process was forked from it and runs the same program: what the parent had by then
//       parent     ...
//
// The files of a process are read when one of its addresses is asked for. Lifetime: a view of the session.
// Threads: one at a time.
class MadeCode {
 public:
  explicit MadeCode(const RecordedSession& session);

  // Returns the name of the code at an address of a process at a time. It is empty if it is unknown.
  std::string_view Find(size_t process, uint64_t avma, int64_t time_ns);
  // Returns whether the name at this address depends on the time.
  bool MayChange(size_t process, uint64_t avma);

 private:
  static constexpr size_t kNoProcess = SIZE_MAX;
  struct Process {
    int64_t start_ns = 0;
    std::vector<std::unique_ptr<JitMap>> maps;  // the best first
    size_t parent = kNoProcess;                 // whose code it has, too
  };

  const Process& Read(size_t process);
  size_t ParentOf(size_t row, const ProcessFacts& child);

  const HeldFiles* const held_files_;
  const RecordedProcesses& processes_;
  absl::node_hash_map<size_t, Process> read_;       // by row
  std::vector<std::pair<int32_t, size_t>> by_pid_;  // pid and row, sorted; made when a parent is looked for
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_MADE_CODE_H_
