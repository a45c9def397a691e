#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_PROCESSES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_PROCESSES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/symbols/held_files.h"

namespace geckoprof {

// SharedText is a text that many objects have, such as the path of a program that a thousand processes ran. The text is
// in memory once, and stays there until the program ends. An object has the size of a pointer.
//
// Threads: one at a time.
class SharedText {
 public:
  SharedText() : SharedText(std::string_view()) {}
  explicit SharedText(std::string_view text);
  SharedText& operator=(std::string_view text) { return *this = SharedText(text); }

  const std::string& operator*() const { return *text_; }
  const std::string* operator->() const { return text_; }
  bool operator==(const SharedText&) const = default;

 private:
  const std::string* text_;
};

// ProcessFacts is a process without its tables. The session decides on some facts, such as the end, because other
// processes of the session tell about it.
struct ProcessFacts {
  int32_t pid = 0, parent_pid = 0;
  uint32_t pid_namespace = 0, pid_space = 0, image = 0;
  uint64_t process_start_ticks = 0;
  uint64_t vdso_avma = 0;  // picked at random for each program; 0 if unknown
  double start_epoch_ms = 0;
  int64_t exec_ns = 0, before_exec_ns = 0, constructor_ns = 0, start_ns = 0;
  int64_t end_ns = 0;
  bool ran_to_end = true;  // the main thread was not seen waiting at the end
  bool is_separated = false;
  bool sends_messages = false;  // it has the marker type of messages to other processes (NameIpcPeers)
  bool has_samples = false;
  int crash_signal = 0;  // 0: it did not crash
  int exit_status = -1;  // -1: unknown
  int64_t cpu_ns = -1;   // with all its programs and their samplers, at its end; -1: unknown
  int64_t sampler_cpu_ns = 0;
  SharedText end_reason, command_name, executable;
  SharedText command;    // CommandText of at most kMostCommandBytes
  SharedText main_name;  // of the main thread, or the program's if there is none
  std::vector<SharedText> problems;

  static constexpr size_t kMostCommandBytes = 100;

  static ProcessFacts Of(const ProcessProfile& process);
  // Puts in the ids, the begin, the reason and status of the end, and the problems.
  void ApplyTo(ProcessProfile& process) const;
};

// Returns the command line of a process, or its name if it recorded none. A longer text is cut and ends with "...".
std::string CommandText(const ProcessProfile& process, size_t most_bytes);

// Returns false if the process ended before its first sample.
bool HasSamples(const ProcessProfile& process);

// RecordedProcesses has the processes of a session, in an order. The tables of the first ones stay in memory. The
// others keep their facts alone, and their segments are read again when they are asked for. A session of very many
// processes therefore needs the memory of a few hundred, and half a KiB for the facts of each.
//
//   row   0     1     2    ...   300      301
//         held  held  held       facts    facts
//                                  \__ segment file --Read, Amend--> the one process that is loaded
//
// A reference to a process is valid until another one is asked for. The files must stay while the object is used.
// Threads: one at a time.
class RecordedProcesses {
 public:
  static constexpr size_t kMostHeld = 256;
  // Reads a segment file once more. A file that cannot be read any more gives a process without tables.
  using Read = ProcessProfile (*)(const std::string& path);
  // Changes a process whenever it has been read.
  using Amend = std::function<void(size_t row, ProcessProfile& process)>;

  RecordedProcesses() = default;
  RecordedProcesses(std::initializer_list<ProcessProfile> processes);

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  ProcessProfile& operator[](size_t row) { return Load(row); }
  const ProcessProfile& operator[](size_t row) const { return Load(row); }
  ProcessProfile& back() { return (*this)[size() - 1]; }

  // These processes are held, however many there are.
  void push_back(ProcessProfile process) { rows_.emplace_back().held.push_back(std::move(process)); }
  ProcessProfile& emplace_back() { return push_back({}), back(); }
  // Adds a process that `read` has read from `folder`/`name`. REQUIRES: `read` is the same for all.
  void AddRead(ProcessProfile process, std::string_view folder, std::string_view name, Read read);

  ProcessFacts FactsOf(size_t row) const {
    return rows_[row].is_held() ? ProcessFacts::Of(rows_[row].held[0]) : rows_[row].facts;
  }
  // Calls visit(row, facts) for all rows in order.
  template <typename Visit>
  void VisitFacts(const Visit& visit) const {
    for (size_t row = 0; row < rows_.size(); ++row) visit(row, FactsOf(row));
  }
  // TakeAllFacts takes the facts of all rows out. SetAllFacts must put them back, changed, before anything else is
  // called.
  std::vector<ProcessFacts> TakeAllFacts();
  void SetAllFacts(std::vector<ProcessFacts> facts);
  // Row i becomes what row order[i] was. The other rows are removed. REQUIRES: no row is there twice.
  void Reorder(const std::vector<size_t>& order);
  // Amends the processes that are held now, and the others when they are read. To be called after the last Reorder.
  // `amend` must change nothing that facts have.
  void AmendAll(Amend amend);

  template <typename List, typename Process>
  class Iterator {
   public:
    Iterator(List* list, size_t row) : list_(list), row_(row) {}
    Process& operator*() const { return (*list_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    List* list_;
    size_t row_;
  };
  auto begin() { return Iterator<RecordedProcesses, ProcessProfile>(this, 0); }
  auto end() { return Iterator<RecordedProcesses, ProcessProfile>(this, size()); }
  auto begin() const { return Iterator<const RecordedProcesses, const ProcessProfile>(this, 0); }
  auto end() const { return Iterator<const RecordedProcesses, const ProcessProfile>(this, size()); }

 private:
  struct Row {
    ProcessFacts facts;                // of a process that is not held
    std::vector<ProcessProfile> held;  // one, or none if it is in the file
    uint32_t folder = 0;               // row of folders_
    std::string name;                  // of the file in the folder

    bool is_held() const { return !held.empty(); }
  };

  ProcessProfile& Load(size_t row);
  const ProcessProfile& Load(size_t row) const { return const_cast<RecordedProcesses*>(this)->Load(row); }

  std::vector<Row> rows_;
  std::vector<std::string> folders_;
  std::vector<Amend> amends_;
  Read read_ = nullptr;
  size_t held_from_files_ = 0;
  // The row that was asked for last, if it is not held. Loading it is all that a constant object does to itself.
  std::optional<ProcessProfile> loaded_;
  size_t loaded_row_ = 0;
};

// Everything that one recording left. The outputs are made from it.
struct RecordedSession {
  RecordedProcesses processes;         // the recorded program first, then by start
  std::string product;                 // name of the profile; empty: the first process's program
  std::vector<std::string> arguments;  // the command line; empty: the first process's
  int32_t exit_status = 0;             // in the form of a shell
  bool exit_status_known = false;
  std::string end;  // of the program, and of processes that crashed; empty: unknown
  // User and system time, if all of it was to be sampled.
  struct CpuTimes {
    int64_t program_ns;  // of the program and the children that it waited for, without the samplers
    int64_t sampled_ns;  // the part of it that the rows of all samples have
  };
  std::optional<CpuTimes> cpu_times;
  // The number of processes that ended before their first sample, and their CPU time.
  uint64_t unsampled_processes = 0;
  int64_t unsampled_cpu_ns = 0;
  std::string capture;                    // why and of which time, if this is a part of a recording
  const HeldFiles* held_files = nullptr;  // opened while they were mapped; may be null; outlives the session
  std::vector<LossRow> losses;            // of the recording as a whole (a segment that could not be read, ...)
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_RECORDED_PROCESSES_H_
