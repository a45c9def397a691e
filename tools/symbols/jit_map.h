#ifndef GECKOPROF_TOOLS_SYMBOLS_JIT_MAP_H_
#define GECKOPROF_TOOLS_SYMBOLS_JIT_MAP_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "tools/symbols/code_timeline.h"

namespace geckoprof {

// Reads a jitdump file (the kernel's tools/perf/Documentation/jitdump-specification.txt), which node, Java, .NET,
// Julia, LLVM and wasmtime write for perf.
//
//   header        magic, version, size, machine, pid, time, flags
//   record        id, size, time | LOAD: address, size, number, name, machine code
//                                | MOVE: old address, new address, size, number
//                                | others are skipped
//
// Times are those of CLOCK_MONOTONIC, unless a flag says that they are of the processor's own clock. Then the order of
// the records alone counts, and the last code at an address wins for all times.
// Hostile bytes: only names are copied, up to a limit each. The records after one that cannot be are not read. They
// may have any order in time.

// Returns whether the file begins as one with the byte order of this machine.
bool IsJitdump(const Fd& file);
// Adds the functions of the file to `code`, which the caller builds. REQUIRES: IsJitdump.
void ReadJitdump(const Fd& file, CodeTimeline* code);

// The size of a file at a time.
struct FileGrowth {
  int64_t time_ns = 0;
  uint64_t size_bytes = 0;
};

// JitMap has the names of functions that a program made at run time, as it wrote them down for perf.
//
//   jitdump     functions with the time since when they are there (ReadJitdump)
//   perf map    lines "START SIZE NAME", both numbers hexadecimal
//
// The lines of a perf map have no time. A caller that watched the file grow passes the sizes that it saw. Then a line
// has a time between the looks before and after it, in proportion to its place. Otherwise later lines win for all
// times. Threads: any number may look names up.
class JitMap {
 public:
  using Function = CodeTimeline::Code;

  // Lines that follow no rules are left out. An error: the file cannot be read, or names no function.
  static absl::StatusOr<std::unique_ptr<JitMap>> Load(const std::string& path);

  // Reads an open file. Returns null if it cannot be read, or names no function. `growth` is in order of time.
  static std::unique_ptr<JitMap> OfFile(const Fd& file, std::span<const FileGrowth> growth = {});

  // Opens the perf map of a process that started at `start_epoch_s`. Anybody may put files into `folder`, and pids are
  // given again. So the file must be the user's own, root's or `process_user`'s, no link, and no older than the
  // process.
  static Fd OpenOfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder = "/tmp",
                          std::optional<uid_t> process_user = std::nullopt);
  // Reads that file. Returns null if there is none.
  static std::unique_ptr<JitMap> OfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder = "/tmp");

  // Returns what lay at the address at a time of CLOCK_MONOTONIC; without a name where nothing is known.
  Function Find(uint64_t avma, int64_t time_ns = CodeTimeline::kLatestNs) const { return code_.Find(avma, time_ns); }
  // Returns whether the name at this address depends on the time.
  bool HasSeveral(uint64_t avma) const { return code_.HasSeveral(avma); }

  size_t function_count() const { return code_.named_count(); }

 private:
  JitMap() = default;
  bool ReadPerfMap(const Fd& file, std::span<const FileGrowth> growth);
  void AddLine(std::string_view line, int64_t from_ns);

  CodeTimeline code_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_JIT_MAP_H_
