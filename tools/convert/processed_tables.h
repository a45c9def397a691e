#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/json/unique_strings.h"
#include "geckoprof/streaming/gecko_categories.h"
#include "tools/convert/recorded_session.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

// ProcessedTables: the tables that all threads of a processed profile share, filled with what the threads refer to and
// nothing else.
//
//   sample/marker -> stack -> frame -> func -> resource -> lib
//                               \--> nativeSymbol ----------^
//
// An instruction plays one of two roles: the innermost frame of a sample is where the thread was, every other one is a
// return address, looked up one byte before. So a recorded stack becomes up to two rows here: as the end of a sample,
// and as a caller. Rows of different processes are one where they mean the same. Lifetime: a view of session and
// symbolizer.
class ProcessedTables {
 public:
  ProcessedTables(const RecordedSession& session, Symbolizer& symbolizer);

  // The row for a stack of a process, built when first asked for; kNone where there is no such stack.
  int32_t SampleStack(size_t process, int32_t stack) { return Stack(process, stack, /*is_sample=*/true); }
  int32_t MarkerStack(size_t process, int32_t stack) { return Stack(process, stack, /*is_sample=*/false); }

  uint32_t String(std::string_view text) { return strings_.Intern(text); }
  int32_t Category(size_t process, int32_t category) const;
  const GeckoCategories& categories() const { return categories_; }

  // "libs" and "shared": complete once every stack and string has been asked for.
  void WriteLibs(JsonWriter& writer) const;
  void WriteShared(JsonWriter& writer) const;

 private:
  struct Lib {
    const LibraryRow* row;
    int32_t resource;
  };
  struct Frame {
    int64_t address;
    int32_t category, subcategory, func, native_symbol;
    bool operator==(const Frame&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Frame& f) {
      return H::combine(std::move(h), f.address, f.category, f.subcategory, f.func, f.native_symbol);
    }
  };
  struct Func {
    uint32_t name;
    int32_t resource;
  };
  struct NativeSymbol {
    int32_t lib;
    uint64_t address, size_bytes;
    uint32_t name;
  };
  // What a process's rows have become; kUnknown: not asked for yet.
  struct Process {
    std::vector<int32_t> sample_stacks, caller_stacks, sample_frames, caller_frames, libs, categories;
  };

  // `category`: the number here of the frame's.
  int32_t Subcategory(size_t process, int32_t category, const FrameRow& frame) const;
  int32_t Stack(size_t process, int32_t stack, bool is_sample);
  int32_t AddStack(int32_t prefix, int32_t frame);
  int32_t FrameOf(size_t process, int32_t frame, bool is_sample);
  Frame MakeFrame(size_t process, const FrameRow& frame, bool is_sample);
  Frame MakeInstruction(size_t process, const FrameRow& frame, bool is_sample);
  int32_t LibOf(size_t process, int32_t library);
  int32_t AddFunc(std::string_view name, int32_t resource);
  int32_t AddNativeSymbol(int32_t lib, const LibraryRow& library, const SymbolTable::Function& function);

  const RecordedSession& session_;
  Symbolizer& symbolizer_;
  GeckoCategories categories_;
  std::vector<Process> processes_;
  UniqueStrings strings_;
  std::vector<Lib> libs_;
  std::vector<Frame> frames_;
  std::vector<Func> funcs_;
  std::vector<NativeSymbol> native_symbols_;
  std::vector<std::pair<int32_t, int32_t>> stacks_;  // prefix, frame
  absl::flat_hash_map<std::pair<std::string, std::string>, int32_t> lib_numbers_;
  absl::flat_hash_map<Frame, int32_t> frame_numbers_;
  absl::flat_hash_map<std::tuple<uint32_t, int32_t>, int32_t> func_numbers_;
  absl::flat_hash_map<std::pair<int32_t, uint64_t>, int32_t> native_symbol_numbers_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> stack_numbers_;
  std::vector<int32_t> path_;  // scratch of Stack
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_TABLES_H_
