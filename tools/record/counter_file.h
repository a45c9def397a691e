#ifndef GECKOPROF_TOOLS_RECORD_COUNTER_FILE_H_
#define GECKOPROF_TOOLS_RECORD_COUNTER_FILE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/control/counter_file_name.h"
#include "geckoprof/control/process_usage.h"

namespace geckoprof {

inline constexpr char kCounterFileNextName[] = "counters.next";  // while it is made anew

inline constexpr size_t kCounterRowBytes = 88;
using CounterRowBytes = std::array<uint8_t, kCounterRowBytes>;

// ProcessCounterRow is a row of the file: what a process had used at a time.
struct ProcessCounterRow {
  int64_t time_ns = 0;         // on CLOCK_MONOTONIC
  int32_t pid = 0;             // as the process knows it; never 0 in the file
  uint32_t pid_namespace = 0;  // the kernel's number of the namespace of `pid`; 0: unknown
  ProcessUsage usage;
};

// Rows of the machine have no pid.
enum class MachineRowKind : uint16_t { kValues = 1, kSeries = 2, kNote = 3 };

// Values of some series of the machine at a time.
struct MachineValueRow {
  static constexpr size_t kMost = 7;

  int64_t time_ns = 0;  // on CLOCK_MONOTONIC
  int32_t no_pid = 0;
  MachineRowKind kind = MachineRowKind::kValues;
  uint16_t count = 0;
  uint16_t series[kMost] = {};
  uint16_t unused = 0;
  uint64_t values[kMost] = {};
};

// The meaning of a series, or a reason why something is missing.
struct MachineTextRow {
  int64_t time_ns = 0;
  int32_t no_pid = 0;
  MachineRowKind kind = MachineRowKind::kSeries;
  uint16_t number = 0;  // of the series; of a note: errno
  uint16_t what = 0;    // a MachineMeasure, or a MachineFault
  char text[70] = {};   // ends at the first zero
};

static_assert(sizeof(ProcessCounterRow) == kCounterRowBytes && sizeof(MachineValueRow) == kCounterRowBytes &&
              sizeof(MachineTextRow) == kCounterRowBytes);
inline constexpr uint64_t kMostCounterRows = (uint64_t{64} << 20) / kCounterRowBytes;

// CounterFile writes the file. It is there when the recorder was killed.
//
//   header | row | row | row |               limit: the newer half of the rows stays, behind the kept ones
//
// Threads: one.
class CounterFile {
 public:
  // The file takes at most a sixteenth of `limit_bytes`, and 64 MiB.
  CounterFile(std::string folder, uint64_t limit_bytes);

  // Makes the file. Processes that start from now on know that the recorder counts for them. Without it the first row
  // makes the file.
  bool Make() { return MakeFile(); }

  // Rows of one call are written at once. A reader takes whole rows alone. Allocates nothing below the limit.
  template <typename Row>
  void Append(std::span<const Row> rows) {
    static_assert(sizeof(Row) == kCounterRowBytes);
    AppendBytes({reinterpret_cast<const uint8_t*>(rows.data()), rows.size_bytes()});
  }
  // The row stays for the life of the file. At most a quarter of the rows are kept ones. Others do not stay.
  void AppendKept(const MachineTextRow& row);

 private:
  void AppendBytes(std::span<const uint8_t> rows);
  bool MakeFile();
  bool Halve();

  const std::string folder_;
  const uint64_t most_rows_;
  Fd file_;
  uint64_t row_count_ = 0;
  std::vector<MachineTextRow> kept_;
};

// Calls visit(bytes) for each whole row of a session's file, in order. A file that is missing, or of another version,
// has none.
void VisitCounterRows(const std::string& session, const std::function<void(const CounterRowBytes&)>& visit);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_COUNTER_FILE_H_
