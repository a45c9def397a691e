#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_GATHERING_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_GATHERING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// ChildSegment: the data of one program of a child.
struct ChildSegment {
  std::string path;
  int32_t pid = 0;
  uint32_t image = 0;      // a later program of the same process has a larger one
  bool has_ended = false;  // the process
};

// EventLog: what happened, and when. `pid` and `number` are 0 if they are unknown.
struct LogEvent {
  int64_t time_ns = 0;
  std::string_view text;  // static
  int32_t pid = 0;
  uint64_t number = 0;
};
class EventLog {
 public:
  // The oldest events make room for later ones.
  static constexpr size_t kMostEvents = 1000;

  void Add(std::string_view text, int32_t pid = 0, uint64_t number = 0);
  bool empty() const { return events_.empty(); }
  // Writes the property "events", an array of [time in ms, text, pid, number]. Numbers that are 0 are left out.
  void Write(int64_t time_zero_ns, JsonWriter& writer) const;

 private:
  std::vector<LogEvent> events_;
};

// Gathering: the way from the segments of children to their profiles, as part of one profile.
//
//   begin ---> ask all children to write ---> read each segment ---> write each process ---> end
//   0                                   0.1                     0.5                        1
//              the caller is told how far it is, and may cancel, at each step
//
// A segment that cannot be read is left out, and the log says so. Segments are files of other processes, so they may
// hold anything. The tables of the first ones stay in memory, and the others are read once more when they are written.
//
// Threads: one at a time.
// Context: the function of the program is called outside of the library.
class Gathering {
 public:
  // Returns false to cancel. It may be empty.
  using Progress = std::function<bool(double fraction, std::string_view text)>;

  explicit Gathering(Progress progress) : progress_(std::move(progress)) {}

  // Tells the caller. Returns false if the gathering was cancelled, now or before.
  bool Report(double fraction, const std::string& text);
  bool is_cancelled() const { return is_cancelled_; }
  EventLog& log() { return log_; }

  // Reads the segments. Data before `since_ns` is left out, and children that ended before.
  void Read(std::vector<ChildSegment> segments, int64_t since_ns);
  bool has_read() const { return has_read_; }
  size_t size() const { return children_.size(); }
  // The result is valid until the next call. After a cancel it is an empty profile.
  const ProcessProfile& at(size_t child);

  // Called when the parent (0) or a child (1 ...) has been written.
  void NoteWritten(size_t process, uint64_t bytes);
  // Writes the property "profileGatheringLog".
  void WriteLog(int64_t parent_pid, int64_t time_zero_ns, JsonWriter& writer);

 private:
  struct Child {
    ChildSegment segment;
    bool ends_with_exec = false;
    std::unique_ptr<ProcessProfile> held;
  };
  // The segments whose tables stay in memory take so much together.
  static constexpr uint64_t kMostHeldBytes = uint64_t{64} << 20;

  // Returns nothing if the file is none of this user's segments. `bytes` is what it takes.
  std::unique_ptr<ProcessProfile> ReadOne(const Child& child, uint64_t& bytes) const;

  const Progress progress_;
  bool is_cancelled_ = false, has_read_ = false;
  int64_t since_ns_ = 0;
  int64_t begin_ns_ = 0;
  EventLog log_;
  std::vector<Child> children_;
  std::unique_ptr<ProcessProfile> loaded_;  // the one that was asked for last, if it is not held
  uint64_t written_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_GATHERING_H_
