#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "tools/convert/recorded_session.h"
#include "tools/convert/shared_tables.h"
#include "tools/symbolicate/jit_map.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

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
  // running thread's sample has no stack.
  int32_t SampleStack(size_t process, int32_t stack, StateLook look = StateLook::FromNumber(StateLook::kRunning));
  // Returns the row for a stack of a process, which is made for the first call. Returns kNone if there is no such
  // stack.
  int32_t MarkerStack(size_t process, int32_t stack) {
    return tables_.WithoutMarkingCode(Stack(process, stack, /*is_sample=*/false));
  }

  uint32_t String(std::string_view text) { return tables_.String(text); }
  int32_t Category(size_t process, int32_t category);
  const GeckoCategories& categories() const { return categories_; }

  // The tables are complete when every stack and string has been asked for.
  const SharedTables& tables() const { return tables_; }

 private:
  // The rows here for the rows of a process. kUnknown stands for a row that was not asked for yet.
  struct Process {
    size_t row = SIZE_MAX;  // of the session
    std::vector<int32_t> sample_stacks, caller_stacks, libs, categories;
    std::vector<bool> is_labelled;  // by stack: there is a label with a category among its callers
    // By Use and frame: the frame's rows, outermost first. An empty list was not asked for yet.
    std::vector<std::vector<int32_t>> frames[4];
    std::unique_ptr<JitMap> jit_map;
    bool jit_map_read = false;
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
  int32_t Stack(size_t process, int32_t stack, bool is_sample);
  int32_t AddStack(int32_t prefix, const std::vector<int32_t>& frames);
  const std::vector<int32_t>& FramesOf(size_t process, int32_t frame, Use use);
  void AddFrames(size_t process, const FrameRow& frame, Use use, std::vector<int32_t>* frames);
  void AddInstruction(size_t process, const FrameRow& frame, Use use, std::vector<int32_t>* frames);
  std::string JitName(size_t process, uint64_t avma);
  int32_t LibOf(size_t process, int32_t library);

  const RecordedSession& session_;
  Symbolizer& symbolizer_;
  GeckoCategories categories_;
  Process process_;  // the one that was asked about last
  SharedTables tables_;
  std::vector<int32_t> path_;  // scratch of Stack
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_
