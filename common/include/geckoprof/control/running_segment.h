#ifndef GECKOPROF_CONTROL_RUNNING_SEGMENT_H_
#define GECKOPROF_CONTROL_RUNNING_SEGMENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "geckoprof/base/fd.h"
#include "geckoprof/control/controllable_process.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

// RunningSegment: the file in which a process records now. The process's mappings name it, so neither the session nor
// the process's id in its own namespace need be known.
//
//   /proc/PID/maps      .../4711-0.segment, the newest one that is not stopped
//   /proc/PID/root/...  opened, and compared with the mapping
struct RunningSegment {
  std::string path;  // as the process knows it
  Fd file;
  std::unique_ptr<SegmentView> view;  // of the file

  // Returns nothing, and the reason in `why`, if the process records nothing, or into memory that has no file.
  static std::optional<RunningSegment> Find(const ControllableProcess& process, std::string& why);

  SegmentState state() const { return static_cast<SegmentState>(view->header().state.load(std::memory_order_relaxed)); }
  bool is_paused() const { return view->header().paused_since_ns.load(std::memory_order_relaxed) != 0; }
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_RUNNING_SEGMENT_H_
