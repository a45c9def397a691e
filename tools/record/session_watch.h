#ifndef GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/segment/segment_format.h"
#include "tools/record/segment_archive.h"
#include "tools/support/process_state.h"

namespace geckoprof {

// SessionWatch holds the memory of a whole recording below a limit while the program runs. The oldest data goes first,
// of any process, so that new processes and new data are always recorded.
//
//   a process has ended                       its segments go to the archive (SegmentArchive), a hundredth of the size
//   a process runs its next program           the segment of the one before gives back the pages without entries
//   the files take more than the limit        data before a time is dropped:
//                                               of ended processes, by the archive
//                                               of live ones, by their samplers (SegmentHeader::release_before_ns)
//   nothing gives way (stopped processes)     at several limits the session is closed, and new processes record nothing
//
// The limit is at least 64 KiB for each live process (SessionLimit). Memory that a live process cannot give up does not
// count for it (LiveSegmentUse), and it displaces no data of others. Only the session is closed for all bytes together.
//
// A flight recorder has a window of time, and nothing that is older by a quarter of it stays:
//
//   data of live processes                    their samplers are asked to release it
//   ended processes                           each half window has an archive of its own, which is removed as a whole
//   marks, notes, files that are no segments  removed, unless their process may live
//   a closed session                          opened again below the limit
//
// Threads: one.
class SessionWatch {
 public:
  // `window_ns` is 0 without a window.
  SessionWatch(std::string path, uint64_t limit_bytes, int64_t window_ns = 0)
      : path_(std::move(path)), limit_bytes_(limit_bytes), window_ns_(window_ns) {}

  // Calls `look` with the name of each segment before it goes to the archive.
  using LookAtEnded = std::function<void(const std::string& segment)>;
  void BeforeArchiving(LookAtEnded look) { before_archiving_ = std::move(look); }

  // Returns the ns until the next look, which are more if there are more files.
  int64_t Look();

 private:
  struct File;
  // A finished chunk of a live process.
  struct Chunk {
    int64_t newest_ns;
    uint64_t bytes;
    const File* segment;
  };

  std::vector<File> ListFiles() const;
  bool HasEnded(const File& segment) const;
  bool Archive(const File& segment);
  SegmentArchive* ArchiveFor(int64_t now_ns);
  uint64_t ArchiveBytes() const;
  SegmentArchive* OldestArchive() const;
  // Removes the segments to which no program writes any more from `live`, and returns them.
  static std::vector<const File*> RemoveFollowed(std::vector<const File*>& live);
  // Gives back the unused pages of such segments. Returns the bytes.
  uint64_t Compact(const std::vector<const File*>& followed);
  // Returns the bytes of live segments that do not count for the limit. Appends the chunks that can be released.
  uint64_t CollectReleasable(const std::vector<const File*>& live, std::vector<Chunk>& chunks) const;
  bool Release(std::vector<Chunk> chunks, uint64_t excess_bytes, DroppedFor reason);
  // Asks a live process to release data. Returns false if it was asked for the same before. `reason` is missing if the
  // data is older than the window.
  bool Ask(const File& segment, int64_t before_ns, int64_t now_ns, std::optional<DroppedFor> reason);
  void Close();
  void Reopen();
  void Forget(const std::vector<const File*>& live, int64_t now_ns);
  void ForgetLinks(int64_t before_ns) const;
  std::string PathOf(const File& file) const;

  // A request to a live process to release data.
  struct Asked {
    int64_t before_ns = 0;  // data before this time
    int64_t since_ns = 0;
    uint32_t reasons = 0;  // bits of DroppedFor
  };
  // An archive, of the processes that ended from `begin_ns` on.
  struct Part {
    std::unique_ptr<SegmentArchive> archive;
    int64_t begin_ns = 0;
    int64_t last_ns = 0;  // when the last segment came
  };

  const std::string path_;
  const uint64_t limit_bytes_;
  const int64_t window_ns_;
  const PidNamespaces namespaces_;
  LookAtEnded before_archiving_;
  std::deque<Part> parts_;                  // the oldest one first; without a window there is one at most
  uint32_t next_part_ = 0;                  // the number of its archive
  std::map<std::string, int64_t> refused_;  // segments that the archive could not take, and when
  std::set<std::string> compacted_;
  std::map<std::string, Asked> asked_;  // by the names of segments
  int64_t forget_due_ns_ = 0;
  bool is_closed_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_
