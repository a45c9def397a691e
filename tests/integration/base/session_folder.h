// A session directory for one test, and what was recorded into it.
#ifndef GECKOPROF_TESTS_INTEGRATION_BASE_SESSION_FOLDER_H_
#define GECKOPROF_TESTS_INTEGRATION_BASE_SESSION_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const std::string& path() const { return path_; }
  // "GECKOPROF_SESSION_DIR=..."
  std::string variable() const { return "GECKOPROF_SESSION_DIR=" + path_; }

  // All segments that were finished, by pid and image. Throws, naming the file, if one is not in order.
  std::vector<ProcessProfile> Read() const;
  // That of a process that recorded once; throws if there is none or another number.
  ProcessProfile ReadOnly(int32_t pid, uint32_t image = 0) const;

 private:
  std::string path_;
};

// --- questions to a profile ---

const ThreadRow* FindThread(const ProcessProfile& profile, std::string_view name);
const ThreadRow& MainThread(const ProcessProfile& profile);
size_t CountSamples(const ProcessProfile& profile);

// Frames of a stack, outermost first.
std::vector<const FrameRow*> FramesOf(const ProcessProfile& profile, int32_t stack);
std::string_view TextOf(const ProcessProfile& profile, int32_t string);
// The file name of a frame's library, empty for none.
std::string LibraryOf(const ProcessProfile& profile, const FrameRow& frame);
bool StackHasLibrary(const ProcessProfile& profile, int32_t stack, std::string_view library);
bool StackHasLabel(const ProcessProfile& profile, int32_t stack, std::string_view label);

// All markers of this name, of all threads.
std::vector<MarkerRow> MarkersNamed(const ProcessProfile& profile, std::string_view name);
// Without the markers of gaps, in which a busy machine left no samples of the thread.
std::vector<MarkerRow> OwnMarkers(const ProcessProfile& profile, const ThreadRow& thread);
// The text field of a marker, empty for none.
std::string MarkerText(const ProcessProfile& profile, const MarkerRow& marker);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_INTEGRATION_BASE_SESSION_FOLDER_H_
