#ifndef GECKOPROF_READER_STACK_READER_H_
#define GECKOPROF_READER_STACK_READER_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "library_finder.h"
#include "metadata_reader.h"
#include "segment_tables.h"

namespace geckoprof {

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
