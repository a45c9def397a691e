#ifndef GECKOPROF_TOOLS_SYMBOLICATE_JIT_MAP_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_JIT_MAP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

// JitMap: names of functions that a program made at run time, as it wrote them for perf: /tmp/perf-PID.map with lines
// "START SIZE NAME", both numbers hexadecimal. Memory is used again: where lines overlap the later one is right.
// Threads: one at a time.
class JitMap {
 public:
  // Lines that follow no rules are left out. An error: the file cannot be read, or has no line that does.
  static absl::StatusOr<std::unique_ptr<JitMap>> Load(const std::string& path);

  // The file of a process that started at `start_epoch_s`. Anybody may put files there, and pids are given again: it is
  // taken only if it is the user's own or root's, no link, and no older than the process. Null: there is none.
  static std::unique_ptr<JitMap> OfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder = "/tmp");

  struct Function {
    std::string_view name;  // lives as long as this
    uint64_t start_avma = 0;
    uint64_t size_bytes = 0;
  };
  // The name is empty where none covers the address.
  Function Find(uint64_t avma) const;

  size_t function_count() const { return functions_.size(); }

 private:
  struct Piece {
    uint64_t end;
    uint32_t line;
  };

  JitMap() = default;
  static std::unique_ptr<JitMap> Read(int fd);
  void AddLine(std::string_view line);
  void Insert(uint64_t start, uint64_t end, uint32_t line);

  std::string text_;
  std::vector<Function> functions_;
  std::map<uint64_t, Piece> pieces_;  // by start; they do not overlap
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_JIT_MAP_H_
