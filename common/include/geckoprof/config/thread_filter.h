#ifndef GECKOPROF_CONFIG_THREAD_FILTER_H_
#define GECKOPROF_CONFIG_THREAD_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// The outcome of ThreadFilter::Add.
enum class FilterAddResult : uint8_t { kAdded, kShortened, kFull };

// ThreadFilter selects the threads to sample by name. It is a value without pointers and is copied with the other start
// parameters.
//
// A filter is a list of items. A thread is selected if the list is empty or if one item matches it:
//   "*" or ""   every thread
//   text        threads whose name contains the text, in upper or lower case (ASCII)
//   "pid:123"   every thread of process 123 (decimal, no leading zero)
//
// The main thread has three names, and an item may match any of them. They are the registered name, the kernel's name,
// and kMainThreadName, which profiles and the full library show. If all items are "pid:" items of other processes, the
// filter excludes this process. Recording should not start at all then. An item longer than kItemBytes - 1 is
// shortened. It can then select more threads, but never fewer.
//
// Threads: const after start.
// Context: any.
class ThreadFilter {
 public:
  static constexpr size_t kMaxItems = 32;
  static constexpr size_t kItemBytes = 64;  // including the terminating NUL

  // Returns false if `item` begins with "pid:" and a possible process id does not follow.
  static bool IsWellFormed(std::string_view item);
  [[nodiscard]] FilterAddResult Add(std::string_view item);
  void Clear() { count_ = 0; }

  bool Matches(std::string_view thread_name, ProcessId own_pid) const;
  // Tries the kernel's name of the main thread, too, if its other names do not match. This opens a file. It does not
  // touch errno.
  bool MatchesMain(std::string_view registered_name, ProcessId own_pid) const;
  bool ExcludesProcess(ProcessId own_pid) const;

  size_t size() const { return count_; }
  // The text is NUL terminated.
  std::string_view item(size_t index) const { return std::string_view(items_[index]); }

 private:
  uint32_t count_ = 0;
  char items_[kMaxItems][kItemBytes] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_THREAD_FILTER_H_
