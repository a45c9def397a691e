#include "children/children_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "geckoprof/control/process_state.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// Returns the folder that holds the folder of a file, or an empty text. Memory without a file has no such folder.
std::string GrandParent(const std::string& path) {
  const size_t folder_end = path.rfind('/');
  if (folder_end == std::string::npos || folder_end == 0) return "";
  const size_t end = path.rfind('/', folder_end - 1);
  return end == std::string::npos ? "" : path.substr(0, end);
}

bool IsSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

bool ChildrenFolder::Make(const std::string& own_segment) {
  Close();
  for (const std::string& parent : {GrandParent(own_segment), std::string("/dev/shm"), std::string("/tmp")}) {
    if (parent.empty()) continue;
    std::string path = parent + "/geckoprof-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) continue;
    chmod(path.c_str(), 0700);  // the umask may have taken rights away
    path_ = path;
    if (!own_segment.empty()) Link(own_segment, getpid());
    return true;
  }
  return false;
}

void ChildrenFolder::Share(const std::string& path) {
  Close();
  path_ = path;
  is_shared_ = true;
}

// The folder gets another name first. A process that begins to record just now then finds no folder. It does not put a
// file into a folder that is being emptied.
void ChildrenFolder::Close() {
  if (is_open() && !is_shared_) {
    const std::string old = path_ + ".old";
    if (rename(path_.c_str(), old.c_str()) == 0) path_ = old;
    int error = 0;
    for (const std::string& name : NamesIn(path_, error)) unlink((path_ + "/" + name).c_str());
    rmdir(path_.c_str());
  }
  path_.clear();
  is_shared_ = false;
}

std::string ChildrenFolder::PathOf(const SegmentName& name) const {
  return path_ + "/" + std::to_string(name.pid) + "-" + std::to_string(name.image) + kSegmentSuffix;
}

std::vector<SegmentName> ChildrenFolder::List() const {
  constexpr time_t kOldS = 10;
  std::vector<SegmentName> found;
  int error = 0;
  for (const std::string& text : NamesIn(path_, error)) {
    SegmentName name;
    if (name.Parse(text)) {
      found.push_back(name);
    } else if (!is_shared_ && text.starts_with(kChildPrefix)) {
      struct stat info = {};
      const std::string path = path_ + "/" + text;
      if (lstat(path.c_str(), &info) == 0 && time(nullptr) - info.st_ctim.tv_sec > kOldS) unlink(path.c_str());
    }
  }
  std::ranges::sort(found, {}, [](const SegmentName& name) { return std::tuple(name.pid, name.image); });
  return found;
}

bool ChildrenFolder::IsHere(const std::string& path) const {
  struct stat file = {}, here = {};
  const std::string name = path_ + path.substr(std::min(path.rfind('/'), path.size()));
  return stat(path.c_str(), &file) == 0 && lstat(name.c_str(), &here) == 0 && IsSame(file, here);
}

bool ChildrenFolder::Link(const std::string& path, int32_t pid) const {
  constexpr uint32_t kMostImages = 1000;
  if (IsHere(path)) return true;
  for (SegmentName name{pid, 0}; name.image < kMostImages; ++name.image) {
    if (link(path.c_str(), PathOf(name).c_str()) == 0) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

void ChildrenFolder::Remove(const SegmentName& name) const {
  if (!is_shared_) unlink(PathOf(name).c_str());
}

}  // namespace geckoprof
