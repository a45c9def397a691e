#ifndef GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// SessionWatch: sees to it that a program which starts processes for ever does not fill the memory with segments. Each
// is bounded by its capacity; what all of them take together is looked at while the program runs, and when it has
// reached the limit the session is closed: processes that start later record nothing. Those that record go on.
//
// Threads: one.
class SessionWatch {
 public:
  SessionWatch(std::string path, uint64_t limit_bytes) : path_(std::move(path)), limit_bytes_(limit_bytes) {}

  // Returns after how many ns to look again: the more files there are, the later.
  int64_t Look();

 private:
  const std::string path_;
  const uint64_t limit_bytes_;
  bool closed_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_WATCH_H_
