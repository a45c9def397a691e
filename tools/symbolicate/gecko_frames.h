#ifndef GECKOPROF_TOOLS_SYMBOLICATE_GECKO_FRAMES_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_GECKO_FRAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/profile/gecko_table.h"
#include "tools/symbolicate/library_symbols.h"

namespace geckoprof {

// The tables that all threads of one process of a Gecko profile share.
struct GeckoProcessTables {
  struct Lib {
    uint64_t start_avma, end_avma, offset;
    SharedTables::Lib names;
    int32_t row = SharedTables::kNoTableRow;  // of the shared tables, once an address needs it
  };

  // `tables` outlives this.
  static GeckoProcessTables Read(JsonView process, SharedTables& tables);

  std::vector<Lib> libs;         // by start
  std::vector<int32_t> sources;  // rows of the shared tables
  double start_epoch_ms = 0;
  int64_t pid = 0;               // the system's; 0: of another namespace
  std::string name;              // of the process; empty: unknown
  int64_t zero_ns = kUnknownNs;  // the process's time zero on CLOCK_MONOTONIC

  static constexpr int64_t kUnknownNs = INT64_MIN;
  // Returns the time of a row of the profile on that clock. The latest time stands for an unknown one.
  int64_t MonotonicNs(JsonView time_ms) const;
};

// GeckoFrames adds the stacks of one thread of a Gecko profile to the tables that all threads share.
//
//   "0x7f7971cf1c15"                  an address of a library: its functions, by LibrarySymbols
//   "run() (in libdemo.so) + 4"       a function of a library by its name
//   "tick (file:///a.js:1:2)[7]"      a script's function; the number is a row of the process's sources
//   "Layout"                          a label
//
// The innermost address of a sample is the place of the thread. Every other one is a return address, which is looked up
// one byte before. Lifetime: a view of everything given. Threads: one at a time.
class GeckoFrames {
 public:
  GeckoFrames(JsonView thread, GeckoProcessTables& process, SharedTables& tables, LibrarySymbols& symbols);

  // An error names the row that makes no sense. `path`: of the thread.
  absl::Status Check(const JsonPath& path) const;

  // Each returns the shared tables' row for a stack of the thread, or none for a stack that does not exist. The time
  // counts in ms from the process's zero. It matters for code made at run time. REQUIRES: Check was OK.
  int32_t SampleStack(JsonView stack, JsonView time_ms = {}) {
    return Stack(stack, /*is_sample=*/true, process_.MonotonicNs(time_ms));
  }
  int32_t MarkerStack(JsonView stack, JsonView time_ms = {}) {
    return tables_.WithoutMarkingCode(Stack(stack, /*is_sample=*/false, process_.MonotonicNs(time_ms)));
  }

  // Returns the shared tables' number for a string of the thread.
  uint32_t String(JsonView number) const;

 private:
  using Rows = std::vector<int32_t>;

  int32_t Stack(JsonView stack, bool is_sample, int64_t time_ns);
  int32_t AddStack(int32_t prefix, const Rows& frames);
  int32_t PrefixOf(int32_t row) const;
  // Returns the rows of a stack's frame, which are valid until the next call. Sets `is_changing` if they depend on the
  // time.
  const Rows& FramesOf(int32_t stack_row, bool is_sample, int64_t time_ns, bool* is_changing);
  // Each returns whether the rows depend on the time.
  bool AddFrames(JsonView frame, bool is_sample, int64_t time_ns, Rows* rows);
  bool AddAddress(uint64_t avma, int64_t time_ns, SharedTables::Frame frame, Rows* rows);
  bool AddNamed(std::string_view location, SharedTables::Frame* frame);
  int32_t TakeSource(std::string_view* location) const;
  void AddScript(std::string_view location, bool is_relevant, SharedTables::Frame* frame);
  int32_t ScriptResource(std::string_view url);

  GeckoProcessTables& process_;
  SharedTables& tables_;
  LibrarySymbols& symbols_;
  const JsonView strings_;
  const GeckoTable frame_table_, stack_table_;
  const std::optional<size_t> location_, relevant_, window_, line_, column_, category_, subcategory_, prefix_, frame_;
  std::vector<Rows> sample_frames_, caller_frames_;     // by frame row; empty: not asked for yet, or changing
  std::vector<int32_t> sample_stacks_, caller_stacks_;  // by stack row
  std::vector<int32_t> path_;                           // scratch of Stack
  Rows changing_frames_;                                // scratch of FramesOf
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_GECKO_FRAMES_H_
