#ifndef GECKOPROF_STREAMING_MARKER_READER_H_
#define GECKOPROF_STREAMING_MARKER_READER_H_

#include <cstdint>
#include <span>

#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "geckoprof/streaming/process_profile.h"
#include "metadata_reader.h"
#include "segment_tables.h"

namespace geckoprof {

// MarkerReader: takes in chunks of marker streams. A chunk may have had several writers one after the other; each
// begins with an entry that says who it is. Threads: one. Context: allocates.
class MarkerReader {
 public:
  MarkerReader(ProcessProfile* profile, SegmentTables* tables, MetadataReader* metadata)
      : profile_(*profile), tables_(*tables), metadata_(*metadata) {}

  // False: the chunk is damaged; what came before the fault was taken.
  bool ReadChunk(const SegmentView::ChunkCopy& chunk);

 private:
  bool ReadEntry(std::span<const uint8_t> entry);
  bool ReadMarker(Leb128Reader& reader);
  int32_t TextType();

  ProcessProfile& profile_;
  SegmentTables& tables_;
  MetadataReader& metadata_;
  int64_t chunk_begin_ns_ = 0;
  int32_t writer_tid_ = 0;
  int32_t text_type_ = kNone;
};

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_MARKER_READER_H_
