#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_TABLES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_TABLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/made_code.h"
#include "tools/processed_format/missing_names.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/symbols/code_timeline.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// The kind of code of a native frame. It follows from the library, and gives the viewer's graphs their colours.
enum class NativeCategory : int32_t { kOther, kProgram, kLibrary, kSystemLibrary, kLoader, kVdso, kProfiler };

// Returns the categories in the order of the enum. The first one is grey.
const std::vector<CategoryRow>& NativeCategories();

// Returns the category of a library's code. Null stands for code without a file, which was generated at run time.
// `executable` is the path of the process's program.
NativeCategory NativeCategoryOf(const LibraryRow* library, std::string_view executable);

// ProcessedTables fills the shared tables of a processed profile with the rows that the threads of a session refer to.
//
// An instruction plays one of two roles. The innermost frame of a sample is where the thread was. Every other frame is
// a return address, and is looked up one byte before. A recorded stack therefore becomes up to two stacks here, as the
// end of a sample and as a caller. A frame becomes as many rows as functions are inlined there. Rows of different
// processes are one where they mean the same. What it knows of one process is given up when it is asked about another,
// so callers ask about one process after the other.
// Lifetime: a view of session and symbolizer.
class ProcessedTables {
 public:
  ProcessedTables(const RecordedSession& session, Symbolizer& symbolizer);

  // Returns the row for the stack of a sample. A waiting thread has one with a frame of its own (StateLook). kNone: a
  // running thread's sample has no stack. The time matters for code made at run time.
  int32_t SampleStack(size_t process, int32_t stack, StateLook look = StateLook::FromNumber(StateLook::kRunning),
                      int64_t time_ns = CodeTimeline::kLatestNs);
  // Returns the row for a stack of a process, which is made for the first call. Returns kNone if there is no such
  // stack.
  int32_t MarkerStack(size_t process, int32_t stack, int64_t time_ns = CodeTimeline::kLatestNs) {
    return tables_.WithoutMarkingCode(Stack(process, stack, /*is_sample=*/false, time_ns));
  }

  uint32_t String(std::string_view text) { return tables_.String(text); }
  int32_t Category(size_t process, int32_t category);
  const GeckoCategories& categories() const { return categories_; }

  // The tables are complete when every stack and string has been asked for.
  const SharedTables& tables() const { return tables_; }
  // The names that samples lack, complete at the same time.
  const MissingNames& missing_names() const { return missing_names_; }

 private:
  // The rows here for the rows of a process. kUnknown stands for a row that was not asked for yet, and kChanging for
  // one that depends on the time.
  struct Process {
    size_t row = SIZE_MAX;  // of the session
    std::vector<int32_t> sample_stacks, caller_stacks, libs, categories;
    std::vector<bool> is_labelled;  // by stack: there is a label with a category among its callers
    // By Use and frame: the frame's rows, outermost first. An empty list was not asked for yet.
    std::vector<std::vector<int32_t>> frames[4];
    std::vector<bool> is_unnamed;         // by frame: it has no name
    std::vector<SymbolLibrary*> symbols;  // by library; null until it is needed
    // Whether the name of an address without a library depends on the time.
    absl::flat_hash_map<uint64_t, bool> changes;
  };
  using Frame = SharedTables::Frame;
  // Use is the role of a frame. Native frames below a label have no category of their own, so that the viewer gives
  // them the label's. Elsewhere they have that of their library.
  struct Use {
    bool is_sample, is_labelled;
    size_t number() const { return (is_sample ? 1 : 0) + (is_labelled ? 2 : 0); }
  };

  // `category` is the number here of the frame's category.
  Process& StateOf(size_t process);
  int32_t Subcategory(size_t process, int32_t category, const FrameRow& frame) const;
  int32_t Stack(size_t process, int32_t stack, bool is_sample, int64_t time_ns);
  int32_t AddStack(int32_t prefix, const std::vector<int32_t>& frames);
  // Returns the rows of a frame. They are valid until the next call.
  const std::vector<int32_t>& FramesOf(size_t process, int32_t frame, Use use, int64_t time_ns);
  void AddFrames(size_t process, const FrameRow& frame, Use use, int64_t time_ns, std::vector<int32_t>* frames);
  void AddInstruction(size_t process, const FrameRow& frame, Use use, int64_t time_ns, std::vector<int32_t>* frames);
  // Returns whether the code has a name.
  bool AddMadeCode(size_t process, uint64_t avma, int64_t time_ns, Frame* frame);
  void CountSample(size_t process, int32_t stack);
  // Returns whether the rows of a frame depend on the time.
  bool MayChange(size_t process, int32_t frame, bool is_sample);
  SymbolLibrary& SymbolsOf(size_t process, int32_t library);
  int32_t LibOf(size_t process, int32_t library);

  const RecordedSession& session_;
  Symbolizer& symbolizer_;
  GeckoCategories categories_;
  Process process_;  // the one that was asked about last
  MadeCode made_code_;
  MissingNames missing_names_;
  SharedTables tables_;
  std::vector<int32_t> path_;             // scratch of Stack
  std::vector<int32_t> changing_frames_;  // scratch of FramesOf
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_TABLES_H_
