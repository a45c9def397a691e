#include "geckoprof/control/running_segment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/segment_name.h"

namespace geckoprof {
namespace {

// Opens the file of a mapping, or nothing if it is another one or no segment. The process could map any file under such
// a name, so a device or a FIFO is not waited for.
std::optional<RunningSegment> Open(const ControllableProcess& process, const MapsLine& line) {
  RunningSegment segment;
  segment.path = UnescapeMapsPath(line.path);
  segment.file = Fd::Open((process.folder() + "/root" + segment.path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info = {};
  const bool is_same = segment.file.ok() && fstat(segment.file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_ino == line.inode;
  if (!is_same) return std::nullopt;
  Fd copy(fcntl(segment.file.number(), F_DUPFD_CLOEXEC, 0));
  segment.view = std::make_unique<SegmentView>();
  if (segment.view->OpenDescriptor(std::move(copy)) != SegmentView::OpenResult::kOk) return std::nullopt;
  return segment;
}

}  // namespace

std::optional<RunningSegment> RunningSegment::Find(const ControllableProcess& process, std::string& why) {
  std::string maps;
  why = process.title() + " has ended";
  if (ReadWholeFile((process.folder() + "/maps").c_str(), maps) != 0 || process.HasEnded()) return std::nullopt;
  std::optional<RunningSegment> found;
  uint32_t image = 0;
  bool is_gone = false;
  for (std::string_view rest = maps; !rest.empty();) {
    MapsLine line;
    if (!NextMapsLine(rest, line) || !line.writable || line.file_offset != 0) continue;
    SegmentName name;
    if (!name.Parse(line.path.substr(line.path.rfind('/') + 1))) continue;
    is_gone |= line.deleted;
    if (line.deleted || (found.has_value() && name.image < image)) continue;
    std::optional<RunningSegment> segment = Open(process, line);
    if (!segment.has_value() || segment->state() == SegmentState::kStopped) continue;
    found = std::move(segment);
    image = name.image;
  }
  if (found.has_value()) why.clear();
  if (!found.has_value()) {
    why = process.title() + (is_gone ? " is not recorded, or its data has no file any more" : " is not recorded");
  }
  return found;
}

}  // namespace geckoprof
