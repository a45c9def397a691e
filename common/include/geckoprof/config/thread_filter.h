#ifndef GECKOPROF_CONFIG_THREAD_FILTER_H_
#define GECKOPROF_CONFIG_THREAD_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// The outcome of ThreadFilter::Add.
enum class FilterAddResult : uint8_t { kAdded, kShortened, kFull };

// ThreadFilter: which threads are sampled, by name. A value without pointers, copied with the rest of the start
// parameters.
//
// A thread is selected if the list is empty or one item of it says so:
//   "*" or ""   every thread
//   text        threads whose name contains it, ASCII letters of either case alike
//   "pid:123"   every thread of process 123 (decimal, no leading zero)
// The main thread is selected by each of its names: that of its registration, the kernel's (the program's, unless it
// was given another one), and kMainThreadName, which it has in profiles and with the full library. A list that holds
// nothing but pid: items, none of them ours, excludes the process: recording should not start at all. An item longer
// than kItemBytes - 1 is shortened: it can then select more threads, never fewer.
//
// Threads: const after start. Context: any.
class ThreadFilter {
 public:
  static constexpr size_t kMaxItems = 32;
  static constexpr size_t kItemBytes = 64;  // with the terminating zero

  // False: it begins with "pid:", and no number follows that a process may have.
  static bool IsWellFormed(std::string_view item);
  [[nodiscard]] FilterAddResult Add(std::string_view item);
  void Clear() { count_ = 0; }

  bool Matches(std::string_view thread_name, ProcessId own_pid) const;
  // Opens a file (the kernel's name of it) where its other names do not match; errno stays.
  bool MatchesMain(std::string_view registered_name, ProcessId own_pid) const;
  bool ExcludesProcess(ProcessId own_pid) const;

  size_t size() const { return count_; }
  // Zero terminated.
  std::string_view item(size_t index) const { return std::string_view(items_[index]); }

 private:
  uint32_t count_ = 0;
  char items_[kMaxItems][kItemBytes] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_THREAD_FILTER_H_
