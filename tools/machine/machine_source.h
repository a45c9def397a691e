#ifndef GECKOPROF_TOOLS_MACHINE_MACHINE_SOURCE_H_
#define GECKOPROF_TOOLS_MACHINE_MACHINE_SOURCE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace geckoprof {

// The trees of the kernel, and the system call that opens a perf event. Tests have their own.
struct MachineRoots {
  std::string sys = "/sys", proc = "/proc";
  // Opens a counting event for all processes on a core. Returns a descriptor, or -errno. Reading it gives 8 bytes.
  std::function<int(uint32_t type, uint64_t config, int cpu)> open_event;

  // Returns the kernel's own, below a folder that has `sys` and `proc`. An empty text is the root folder.
  static MachineRoots Below(const std::string& folder);
};

// The meaning of a series. Files hold these numbers (docs/formats/process-counters.md).
enum class MachineMeasure : uint16_t {
  kEnergy = 1,          // uJ that a zone used since the first reading
  kFrequency = 2,       // MHz, of cores
  kCpuPressure = 3,     // us in which a task waited for a core ("some" of the kernel)
  kMemoryPressure = 4,  // us in which a task waited for memory
  kMemoryStall = 5,     // us in which all tasks did ("full")
  kIoPressure = 6,      // likewise, for input and output
  kIoStall = 7,
  kReceivedBytes = 8,
  kSentBytes = 9,
};
inline constexpr uint16_t kLastMachineMeasure = 9;

// A number of the machine that is read again and again.
struct MachineSeries {
  MachineMeasure measure;
  std::string name;  // of a zone, or the cores ("0-3,8"). Empty: the machine has one of this kind
};

// The value of a series that cannot be read at this time.
inline constexpr uint64_t kNoReading = UINT64_MAX;

// A reason why something is missing. Files hold these numbers, too.
enum class MachineFault : uint16_t {
  kNoZones = 1,       // neither powercap nor perf has zones
  kZonesDenied = 2,   // powercap
  kEventsDenied = 3,  // perf
  kNoFrequencies = 4,
  kNoPressure = 5,
  kNoNetwork = 6,
  // The detail is the path of the first file of this kind.
  kPowerUnreadable = 7,
  kFrequencyUnreadable = 8,
  kLoadUnreadable = 9,
  kPowerNonsense = 10,
  kFrequencyNonsense = 11,
  kLoadNonsense = 12,
};
inline constexpr uint16_t kLastMachineFault = 12;

struct MachineNote {
  MachineFault fault;
  int error = 0;  // errno, where there is one
  std::string detail;
};

// MachineSource reads some files of the machine again and again. The descriptors stay open. A file that was closed by
// the kernel is opened anew, once a second.
//
//   constructor: finds the files  -->  series [ package-0 | package-0 dram | ... ]     does not change later
//   Read         --each pause-->       values [   4711    |      12        | ... ]     kNoReading: not at this time
//                --first time-->       notes  [ why something is missing ]
//
// Threads: one. Context: Read allocates nothing but for a new note or a new network interface.
class MachineSource {
 public:
  MachineSource() = default;
  virtual ~MachineSource() = default;
  MachineSource(const MachineSource&) = delete;
  MachineSource& operator=(const MachineSource&) = delete;

  const std::vector<MachineSeries>& series() const { return series_; }
  // Has at most one row for each fault.
  const std::vector<MachineNote>& notes() const { return notes_; }

  // Reads the values of all series. REQUIRES: `values` has the size of `series`.
  virtual void Read(int64_t now_ns, std::span<uint64_t> values) = 0;

 protected:
  void AddSeries(MachineMeasure measure, std::string name = "") { series_.push_back({measure, std::move(name)}); }
  void Note(MachineFault fault, int error = 0, const std::string& detail = "") {
    if (std::ranges::find(notes_, fault, &MachineNote::fault) == notes_.end()) notes_.push_back({fault, error, detail});
  }

 private:
  std::vector<MachineSeries> series_;
  std::vector<MachineNote> notes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_MACHINE_SOURCE_H_
