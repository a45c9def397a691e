// Markers for messages between processes. The viewer shows each message as one interval, from the sender to the
// receiver.
//
//   sender:    profiler_add_ipc_marker({child, "Job", 7}, IpcDirection::kSending);
//   receiver:  profiler_add_ipc_marker({parent, "Job", 7, true}, IpcDirection::kReceiving);
#ifndef GECKOPROF_BASEPROFILER_IPC_MARKER_H_
#define GECKOPROF_BASEPROFILER_IPC_MARKER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/markers.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {

namespace markers {

// The viewer has its own schema for this type, and reads these fields.
struct IPC : BaseMarkerType<IPC> {
  static constexpr const char* Name = "IPC";
  static constexpr bool HasSchema = false;
  static constexpr MS::PayloadField PayloadFields[] = {
      {"startTime", MS::InputType::TimeStamp, nullptr, MS::Format::Time},
      {"endTime", MS::InputType::TimeStamp, nullptr, MS::Format::Time},
      {"otherPid", MS::InputType::CString, nullptr, MS::Format::Pid},
      {"messageType", MS::InputType::CString},
      {"messageSeqno", MS::InputType::Int64, nullptr, MS::Format::Integer},
      {"side", MS::InputType::CString},
      {"direction", MS::InputType::CString},
      {"phase", MS::InputType::CString},
      {"sync", MS::InputType::Boolean}};
};

}  // namespace markers

// IpcMessage is the same on both sides. Each sender counts its own messages, and does not use a number twice.
struct IpcMessage {
  int32_t other_pid = 0;
  MarkerText type = {};
  int64_t number = 0;
  bool is_child = false;        // this process is the child's end of the connection
  bool is_synchronous = false;  // the sender waits for an answer
};
enum class IpcDirection : uint8_t { kSending, kReceiving };
// Threads that write and read the message may mark that, beside the endpoints.
enum class IpcPhase : uint8_t { kEndpoint, kTransferStart, kTransferEnd };

// Adds a marker of this thread, now. Returns false if nothing is recorded, or if the marker was dropped and counted.
inline bool profiler_add_ipc_marker(const IpcMessage& message, IpcDirection direction,
                                    IpcPhase phase = IpcPhase::kEndpoint) {
  if (geckoprof_base_wants_markers() == 0) return false;
  constexpr std::string_view kPhases[] = {"endpoint", "transferStart", "transferEnd"};
  char digits[16];
  const std::string_view other_pid = TextBuilder(digits).Number(message.other_pid).view();
  const TimeStamp now = TimeStamp::Now();
  return profiler_add_marker("IPC", MarkerCategory::IPC, MarkerTiming::InstantAt(now), markers::IPC{}, now, now,
                             other_pid, message.type, message.number, message.is_child ? "child" : "parent",
                             direction == IpcDirection::kSending ? "sending" : "receiving",
                             kPhases[static_cast<size_t>(phase)], message.is_synchronous);
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_IPC_MARKER_H_
