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

// LibraryFinder finds the library that was mapped at an address, for times that do not decrease. It is a tree over the
// stretches of address space between the bounds of the libraries. A library is entered at the few nodes that cover its
// range.
//
//   bounds     0x1000        0x3000        0x5000        0x9000
//   stretches    | 0: leaf 4   | 1: leaf 5   | 2: leaf 6   |
//   above them   | node 2                    | node 3 ...        a library of 0x1000-0x5000 is entered at node 2 alone
//
// A node holds a heap of its libraries, with the last row on top. An unmapped library is removed when it comes to the
// top. Many libraries do not make a look-up slow, and neither does a library that comes and goes at one place. All
// look-ups together take O((libraries + look-ups) log^2).
//
// Lifetime: a view of `libraries`. Threads: one. Context: allocates.
class LibraryFinder {
 public:
  explicit LibraryFinder(const std::vector<LibraryRow>& libraries);

  // At() looks at [begin_ns, last_ns] from now on. A time before that of an earlier call is replaced by the earlier
  // call's.
  void MoveTo(int64_t begin_ns, int64_t last_ns);

  // Returns the last row among the libraries that were mapped there at any time of the stretch, or kNone.
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

// StackReader converts the frames of an entry to rows of the stack table.
//
// Threads: one. Context: allocates.
class StackReader {
 public:
  // A part of a stack. {} is the root.
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

  // Addresses are looked up at this time (LibraryFinder::MoveTo). A library may be noticed only after its use. If
  // nothing was mapped at that time, the look-up therefore extends to `noticed_ns`. If `exact_ns` is given, the address
  // means what it meant at that time, although other libraries were mapped there earlier or later in the stretch.
  void MoveTo(int64_t begin_ns, int64_t last_ns, int64_t noticed_ns) {
    libraries_.MoveTo(begin_ns, last_ns);
    noticed_later_.MoveTo(begin_ns, noticed_ns);
  }

  static constexpr int64_t kAnyTime = INT64_MIN;
  // Moves `node` along the next frame of the entry. Returns false if the frame makes no sense.
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

}  // namespace geckoprof

#endif  // GECKOPROF_READER_STACK_READER_H_
