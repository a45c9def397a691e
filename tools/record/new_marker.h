#ifndef GECKOPROF_TOOLS_RECORD_NEW_MARKER_H_
#define GECKOPROF_TOOLS_RECORD_NEW_MARKER_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// NewMarker is a marker of the recorder in the making. No process has recorded it.
class NewMarker {
 public:
  // Adds the name to the strings of the process, and its type, unless it has one with that name.
  NewMarker(ProcessProfile& process, std::string_view name, const MarkerTypeRow& type, int64_t time_ns);

  void Text(std::string_view key, std::string_view text);
  void Number(std::string_view key, MarkerFieldKind kind, int64_t value);
  void Number(std::string_view key, double value);
  void Stack(int32_t stack) { row_.stack = stack; }
  // Makes an interval of it, with another value of the last number. AddTo may be called for each.
  void BecomeInterval(int64_t start_ns, int64_t end_ns, double value);
  void AddTo(ThreadRow& thread) { thread.markers.push_back(row_); }

 private:
  int32_t AddString(std::string_view text);

  ProcessProfile& process_;
  MarkerRow row_;
};

// REQUIRES: the process has a thread.
ThreadRow& MainThread(ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_NEW_MARKER_H_
