// The head of a processed profile.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_META_WRITER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_META_WRITER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/json_file.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// Returns the instant that all times of the file are relative to. It is the first exec or start of any process.
int64_t SessionZeroNs(const RecordedSession& session);

// InitialThreads has the threads that the viewer shows first, by their numbers over all processes in order.
struct InitialThreads {
  // The main thread of the first pid's busiest image, and the threads that used at least 5 % of the busiest one's CPU
  // time. There are at most 15, the busiest. A thread without samples and markers is in the list only if there is no
  // other. The list is empty only if there are no threads.
  std::vector<uint32_t> visible;
  // The first visible thread with that much CPU time, because a main thread may only wait. Otherwise the first one.
  std::optional<uint32_t> selected;
};

// ThreadUse has the facts of a thread by which it is chosen to be shown first.
struct ThreadUse {
  uint32_t image = 0;     // the number of its process, or of the program of a process
  bool is_main = false;   // of an image of the first pid
  bool is_empty = false;  // neither samples nor markers
  int64_t cpu_ns = 0;
  int64_t samples = 0;
};

// ThreadCandidates chooses the threads that are shown first. It keeps a few numbers of each thread.
class ThreadCandidates {
 public:
  // Must be called for each thread, in order.
  void Add(const ThreadUse& use) { candidates_.push_back({use, static_cast<uint32_t>(candidates_.size())}); }
  // Does so for the threads of the next process.
  void Add(const ProcessProfile& process);
  InitialThreads Choose() const;

 private:
  struct Candidate : ThreadUse {
    uint32_t number = 0;
    bool is_forced = false;
  };
  static void ForceFirstMain(std::vector<Candidate>& candidates);

  std::vector<Candidate> candidates_;
  uint32_t images_ = 0;
  int32_t first_pid_ = 0;
};

// Writes meta.initialVisibleThreads and meta.initialSelectedThreads.
void WriteInitialThreads(const InitialThreads& threads, JsonWriter& writer);

// ProcessedMeta writes the members of "meta", and collects what they say of all processes.
// Lifetime: a view of the session.
// Threads: one at a time.
class ProcessedMeta {
 public:
  explicit ProcessedMeta(const RecordedSession& session);

  // Must be called for each process, in order.
  void Add(const ProcessProfile& process);
  // The symbolizer tells which libraries had no symbols. Returns false if a part was lost.
  [[nodiscard]] bool Write(const GeckoCategories& categories, const Symbolizer& symbolizer, JsonWriter& writer);

 private:
  bool WriteExtra(const Symbolizer& symbolizer, JsonWriter& writer);

  const RecordedSession& session_;
  const int64_t zero_ns_;
  int64_t begin_ns_ = INT64_MAX, end_ns_;
  int64_t samplers_ns_ = 0;
  bool walked_stacks_ = false;
  std::vector<MarkerTypeRow> marker_types_;  // the first of each name
  std::set<std::string> marker_type_names_;
  ThreadCandidates threads_;
  SpooledJson sections_;  // of the processes in "extra"
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_META_WRITER_H_
