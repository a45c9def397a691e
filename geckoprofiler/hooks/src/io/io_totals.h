#ifndef GECKOPROF_HOOKS_IO_IO_TOTALS_H_
#define GECKOPROF_HOOKS_IO_IO_TOTALS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace geckoprof {

// The kind of object behind a descriptor. Calls with a path, such as stat and rename, are a class of their own.
enum class IoClass : uint8_t { kFile, kSocket, kPipe, kTerminal, kOther, kPath };
inline constexpr size_t kIoClasses = 6;
inline constexpr std::string_view kIoClassNames[kIoClasses] = {"file", "socket", "pipe", "terminal", "other", "path"};

struct IoFigures {
  uint64_t calls = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t ns = 0;
};

// IoTotals: the sums of all calls by class and path. Each process has one table of a fixed size.
//
//   index_  | 0 | 7 | 0 | 12 | ...        by hash of class and path: the number of a row
//   rows_   | the rest of each class | file "/etc/hosts", 3 calls, ... | socket "tcp 127.0.0.1:80", ... | ...
//
// A class has at most kMostRowsOfClass rows. Later paths count in the rest of their class. Rows are never removed.
// Invariants: the class and the path of a row are constant from the time at which the index has it. The sums are those
// since the row was drained last. Threads: any, without a lock. Two threads that add the same path at a time may make
// a row in vain, which stays empty. Context: any, signal context included. Lifetime: all bytes are zero at first.
class IoTotals {
 public:
  static constexpr uint32_t kRows = 4096;  // row 0 is none
  static constexpr uint32_t kMostRowsOfClass = 1024;
  static constexpr size_t kMostPathBytes = 216;

  static constexpr uint32_t RestOf(IoClass io_class) { return 1 + static_cast<uint32_t>(io_class); }

  // Returns the row of the path, or the rest of the class. Long paths lose their beginning.
  uint32_t FindOrAdd(IoClass io_class, std::string_view path);

  // `since` is the geckoprof_time at which the figures began.
  void Add(uint32_t row, const IoFigures& figures, uint64_t since);
  IoClass ClassOf(uint32_t row) const { return row <= kIoClasses ? IoClass(row - 1) : rows_[row].io_class; }
  // Empty for the rest of a class.
  std::string_view PathOf(uint32_t row) const { return {rows_[row].path, rows_[row].path_bytes}; }

  // Rows 1 to this one, without it, may have figures.
  uint32_t RowsEnd() const;
  // Takes the figures of a row. Returns false if there are none.
  bool Drain(uint32_t row, IoFigures& figures, uint64_t& since);

 private:
  static constexpr uint32_t kFirstRow = 1 + kIoClasses;
  static constexpr uint32_t kIndexSlots = 2 * kRows;
  struct Row {
    std::atomic<uint64_t> calls, read_bytes, written_bytes, ns, since;
    uint64_t hash;
    IoClass io_class;
    uint8_t path_bytes;
    char path[kMostPathBytes];
  };
  static_assert(kMostPathBytes < 256 && kRows <= 1u << 12);

  std::atomic<uint32_t> used_rows_;  // behind kFirstRow
  std::atomic<uint32_t> rows_of_class_[kIoClasses];
  std::atomic<uint16_t> index_[kIndexSlots];
  Row rows_[kRows];
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_TOTALS_H_
