#include "tools/recover/left_session_list.h"

#include <string.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/session_contents.h"
#include "tools/recover/left_folder.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// A process says what it is in its first metadata. Only a made-up file needs more rows than this, which
// are twice those of 2 GiB in the usual chunks.
constexpr uint32_t kMostRows = uint32_t{1} << 16;
constexpr uint64_t kMostMetadataBytes = uint64_t{4} << 20;

std::string_view Text(Leb128Reader& reader) {
  const std::span<const uint8_t> bytes = reader.Bytes(reader.Uleb());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the text of a kProcess entry among these blocks, or an empty one.
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

namespace {

// Of a session of thousands of processes; the first ones say what it is.
constexpr size_t kMostSegmentsRead = 8;

std::string ProgramOf(const LeftSession& session) {
  if (!session.only_file.empty()) return session.only_file;
  const LeftFolder folder(session.parent, session.folder);
  if (!folder.ok()) return "?";
  if (session.file.empty()) {
    const std::vector<std::string> command = ReadSessionCommand(folder.path());
    if (!command.empty()) return command.front().substr(command.front().rfind('/') + 1);  // npos + 1 is 0
  }
  for (size_t i = 0; i < std::min(session.segments.size(), kMostSegmentsRead); ++i) {
    std::string program = SegmentProgram(Concat(folder.path(), "/", session.segments[i]));
    if (!program.empty()) return program;
  }
  return "?";
}

std::string LocalTime(int64_t seconds) {
  const auto when = static_cast<time_t>(seconds);
  struct tm local = {};
  localtime_r(&when, &local);
  char text[32] = "";
  strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local);
  return text;
}

}  // namespace

std::string MebibytesText(uint64_t bytes) {
  const uint64_t tenths = bytes * 10 / (uint64_t{1} << 20);
  return Concat(tenths / 10, ".", tenths % 10, " MiB");
}

std::string LeftSessionText(const LeftSession& session) {
  return Concat(PadLeft(MebibytesText(session.bytes), 10), "  ", LocalTime(session.changed_s), "  ",
                CleanText(session.path), "  ", CleanText(ProgramOf(session)));
}

int ListLeftSessions(const std::vector<std::string>& parents, bool quiet) {
  const std::vector<LeftSession> sessions = FindLeftSessions(parents);
  for (const LeftSession& session : sessions) {
    printf("%-12s %s\n", session.in_use ? "in use" : "left behind", LeftSessionText(session).c_str());
  }
  if (sessions.empty() && !quiet) fputs("geckoprof recover: no recording has left anything behind\n", stderr);
  return 0;
}

int RemoveLeftSessions(const std::vector<std::string>& parents, bool quiet) {
  int exit_status = 0;
  size_t told = 0;
  const auto tell = [&told](const LeftSession& session, std::string_view what) {
    ++told;
    fputs(Concat("geckoprof recover: ", CleanText(session.path), ": ", what, "\n").c_str(), stderr);
  };
  for (const LeftSession& session : FindLeftSessions(parents)) {
    if (session.in_use) continue;
    const LeftSession::Removal removal = session.Remove();
    if (removal.outcome == LeftSession::Outcome::kFailed) {
      tell(session, Concat("cannot be removed: ", strerror(removal.error)));
      exit_status = 1;
    } else if (quiet) {
      continue;
    } else if (removal.outcome == LeftSession::Outcome::kRemoved) {
      tell(session, Concat("removed (", MebibytesText(session.bytes), ")"));
    } else {
      tell(session,
           removal.outcome == LeftSession::Outcome::kInUse ? "came into use, left alone" : "has changed, left alone");
    }
  }
  if (told == 0 && !quiet) fputs("geckoprof recover: nothing to remove\n", stderr);
  return exit_status;
}

}  // namespace geckoprof
