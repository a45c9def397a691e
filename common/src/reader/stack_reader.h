#ifndef GECKOPROF_READER_STACK_READER_H_
#define GECKOPROF_READER_STACK_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "metadata_reader.h"
#include "segment_tables.h"

namespace geckoprof {

// LibraryFinder: which library was mapped at an address, for times that only move on. A tree over the stretches of
// address space between which the libraries' bounds lie; a library is entered at the few nodes that make up its range.
//
//   bounds     0x1000        0x3000        0x5000        0x9000
//   stretches    | 0: leaf 4   | 1: leaf 5   | 2: leaf 6   |
//   above them   | node 2                    | node 3 ...        a library of 0x1000-0x5000 is entered at node 2 alone
//
// A node holds a heap of its libraries, the last row on top; one that was unmapped is thrown out when it comes to the
// top. So neither many libraries nor one that comes and goes at one place makes a look-up slow: all of them together
// take O((libraries + look-ups) log^2). Lifetime: a view of `libraries`. Threads: one. Context: allocates.
class LibraryFinder {
 public:
  explicit LibraryFinder(const std::vector<LibraryRow>& libraries);

  // From here on At() speaks of [begin_ns, last_ns]. A time before that of an earlier call counts as that one's.
  void MoveTo(int64_t begin_ns, int64_t last_ns);

  // The last row among the libraries that were mapped there at any time of the stretch; kNone: there is none.
  int32_t At(uint64_t address);

 private:
  void Enter(int32_t row);
  bool IsGone(int32_t row) const;

  const std::vector<LibraryRow>& libraries_;
  std::vector<uint64_t> bounds_;             // sorted, each once
  std::vector<std::vector<int32_t>> nodes_;  // children of node k: 2k, 2k + 1; leaf of stretch i: bounds_.size() + i
  std::vector<int32_t> by_mapping_;          // rows in order of mapped_ns
  size_t entered_ = 0;                       // of by_mapping_
  int64_t begin_ns_ = 0;
};

// StackReader: from the frames of an entry to rows of the stack table. Threads: one. Context: allocates.
class StackReader {
 public:
  // A stack so far; {} is the root.
  struct Node {
    int32_t stack = 0;
    uint64_t address = 0;
  };

  StackReader(ProcessProfile* profile, SegmentTables* tables, const MetadataReader* metadata)
      : profile_(*profile),
        tables_(*tables),
        metadata_(*metadata),
        libraries_(profile->libraries),
        noticed_later_(profile->libraries) {}

  // Addresses are looked up as of this time (LibraryFinder::MoveTo); where nothing was mapped then, as of up to
  // `noticed_ns`, for a library may be noticed only after it was used. Where `exact_ns` is given they are what they
  // were then, although others were mapped in the same place earlier or later in the stretch.
  void MoveTo(int64_t begin_ns, int64_t last_ns, int64_t noticed_ns) {
    libraries_.MoveTo(begin_ns, last_ns);
    noticed_later_.MoveTo(begin_ns, noticed_ns);
  }

  static constexpr int64_t kAnyTime = INT64_MIN;
  // Makes `node` the one that the next frame in the entry leads to. False: it makes no sense.
  bool ReadFrame(Leb128Reader& reader, Node& node, int64_t exact_ns = kAnyTime);

 private:
  bool ReadLabel(uint64_t word, Leb128Reader& reader, FrameRow& frame);
  int32_t LibraryAt(uint64_t address, int64_t exact_ns);

  ProcessProfile& profile_;
  SegmentTables& tables_;
  const MetadataReader& metadata_;
  LibraryFinder libraries_;
  LibraryFinder noticed_later_;
};

// Returns the text of the frame that stands where a stack is incomplete. `number` is an UnwindEnd or a StackProblem.
std::string_view StackReasonText(uint64_t number);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_STACK_READER_H_
