#ifndef GECKOPROF_READER_SEGMENT_TABLES_H_
#define GECKOPROF_READER_SEGMENT_TABLES_H_

#include <cstdint>
#include <string_view>

#include "category_rows.h"
#include "geckoprof/reader/process_profile.h"
#include "index_map.h"

namespace geckoprof {

// SegmentTables: fills the tables of a ProcessProfile that are shared by all threads, each row once: strings, frames,
// stacks. Threads: one. Context: allocates.
class SegmentTables {
 public:
  explicit SegmentTables(ProcessProfile* profile);

  int32_t String(std::string_view text);
  // The row of an equal frame, or a new one.
  int32_t Frame(const FrameRow& frame);
  int32_t Stack(int32_t prefix, int32_t frame);

  CategoryRows& categories() { return categories_; }

 private:
  ProcessProfile& profile_;
  IndexMap strings_, frames_, stacks_;
  CategoryRows categories_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_TABLES_H_
