#ifndef GECKOPROF_TOOLS_SYMBOLICATION_GECKO_FRAMES_H_
#define GECKOPROF_TOOLS_SYMBOLICATION_GECKO_FRAMES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/convert/shared_tables.h"
#include "tools/profile/gecko_table.h"
#include "tools/profile/json_document.h"
#include "tools/profile/json_path.h"
#include "tools/symbolication/library_symbols.h"

namespace geckoprof {

// What all threads of one process of a Gecko profile have in common.
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
  int64_t pid = 0;  // the system's; 0: of another namespace
};

// GeckoFrames: the stacks of one thread of a Gecko profile, put into the tables that all threads share.
//
//   "0x7f7971cf1c15"                  an address of a library: its functions, by LibrarySymbols
//   "run() (in libdemo.so) + 4"       a function of a library by its name
//   "tick (file:///a.js:1:2)[7]"      a script's function; the number is a row of the process's sources
//   "Layout"                          a label
//
// An address plays one of two roles: the innermost of a sample is where the thread was, every other one is a return
// address, looked up one byte before. Lifetime: a view of everything given. Threads: one at a time.
class GeckoFrames {
 public:
  GeckoFrames(JsonView thread, GeckoProcessTables& process, SharedTables& tables, LibrarySymbols& symbols);

  // An error names the row that makes no sense. `path`: of the thread.
  absl::Status Check(const JsonPath& path) const;

  // The shared tables' row for a stack of the thread; none where there is no such stack. REQUIRES: Check was OK.
  int32_t SampleStack(JsonView stack) { return Stack(stack, /*is_sample=*/true); }
  int32_t MarkerStack(JsonView stack) { return tables_.WithoutMarkingCode(Stack(stack, /*is_sample=*/false)); }

  // The shared tables' number for a string of the thread.
  uint32_t String(JsonView number) const;

 private:
  using Rows = std::vector<int32_t>;

  int32_t Stack(JsonView stack, bool is_sample);
  int32_t AddStack(int32_t prefix, const Rows& frames);
  int32_t PrefixOf(int32_t row) const;
  const Rows& FramesOf(int32_t stack_row, bool is_sample);
  void AddFrames(JsonView frame, bool is_sample, Rows* rows);
  void AddAddress(uint64_t avma, SharedTables::Frame frame, Rows* rows);
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
  std::vector<Rows> sample_frames_, caller_frames_;     // by frame row; empty: not asked for yet
  std::vector<int32_t> sample_stacks_, caller_stacks_;  // by stack row
  std::vector<int32_t> path_;                           // scratch of Stack
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATION_GECKO_FRAMES_H_
