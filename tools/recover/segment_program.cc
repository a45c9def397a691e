#include "tools/recover/segment_program.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {
namespace {

// A process says what it is in its first metadata. Of more than this only a file that somebody made up is in need: the
// rows are those of 2 GiB in the usual chunks, twice.
constexpr uint32_t kMostRows = uint32_t{1} << 16;
constexpr uint64_t kMostMetadataBytes = uint64_t{4} << 20;

std::string_view Text(Leb128Reader& reader) {
  const std::span<const uint8_t> bytes = reader.Bytes(reader.Uleb());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What a kProcess entry among these blocks says; empty: nothing.
std::string ProgramIn(std::span<const uint8_t> blocks) {
  while (!blocks.empty()) {
    Leb128Reader block(blocks);
    Leb128Reader entry(block.Bytes(block.Uleb()));
    if (!block.ok()) break;
    blocks = blocks.last(block.remaining());
    if (static_cast<EntryType>(entry.Byte()) != EntryType::kProcess) continue;
    ProcessProfile process;
    process.executable = Text(entry);
    if (entry.Uleb() > 0) process.arguments.emplace_back(Text(entry));
    if (!entry.ok() || (process.executable.empty() && process.arguments.empty())) continue;
    return std::string(ProgramName(process));
  }
  return "";
}

}  // namespace

std::string SegmentProgram(const std::string& path) {
  SegmentView view;
  if (view.OpenFile(path.c_str()) != SegmentView::OpenResult::kOk) return "";
  const uint32_t prepared = view.header().prepared_chunks.load(std::memory_order_relaxed);
  const uint32_t rows = std::min({view.chunk_count(), prepared, kMostRows});
  uint64_t metadata_bytes = 0;
  SegmentView::ChunkCopy chunk;
  const auto is_metadata = [&chunk](SegmentView::CopyResult result) {
    return result == SegmentView::CopyResult::kCopied && chunk.stream == kMetadataStream;
  };
  for (uint32_t i = 0; i < rows && metadata_bytes < kMostMetadataBytes; ++i) {
    if (!is_metadata(view.DescribeChunk(i, chunk)) || !is_metadata(view.CopyChunk(i, chunk))) continue;
    metadata_bytes += chunk.bytes.size();
    std::string program = ProgramIn(chunk.bytes);
    if (!program.empty()) return program;
  }
  return "";
}

}  // namespace geckoprof
