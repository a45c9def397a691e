#include "tools/convert/ipc_peers.h"

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"

namespace geckoprof {
namespace {

// What both ends say of a message: pids of this end and of the other one, number, type.
using Message = std::tuple<int32_t, int32_t, int64_t, std::string>;

Message FromOtherEnd(Message message) {
  std::swap(std::get<0>(message), std::get<1>(message));
  return message;
}

struct MessageMarker {
  size_t process;
  MarkerField* other_pid;
  int64_t time_ns;
  Message message;
};

// False: it names no process.
bool Read(const ProcessProfile& process, MarkerRow& marker, MessageMarker& found) {
  int32_t other_pid = 0;
  int64_t number = 0;
  std::string type;
  for (MarkerField& field : marker.fields) {
    const std::string_view key = process.strings[static_cast<size_t>(field.key)];
    const bool is_text = field.kind == MarkerFieldKind::kText;
    if (key == "otherPid" && is_text) {
      found.other_pid = &field;
      if (!absl::SimpleAtoi(process.strings[static_cast<size_t>(field.text)], &other_pid)) return false;
    } else if (key == "messageSeqno" && field.kind == MarkerFieldKind::kInteger) {
      number = field.integer;
    } else if (key == "messageType" && is_text) {
      type = process.strings[static_cast<size_t>(field.text)];
    }
  }
  found.time_ns = marker.phase == MarkerPhase::kIntervalEnd ? marker.end_ns : marker.start_ns;
  found.message = {process.pid, other_pid, number, std::move(type)};
  return other_pid != 0;
}

std::vector<MessageMarker> AllMessages(std::span<ProcessProfile> processes) {
  std::vector<MessageMarker> found;
  for (size_t i = 0; i < processes.size(); ++i) {
    ProcessProfile& process = processes[i];
    for (ThreadRow& thread : process.threads) {
      for (MarkerRow& marker : thread.markers) {
        if (marker.type == kNone || process.marker_types[static_cast<size_t>(marker.type)].name != "IPC") continue;
        MessageMarker message{i, nullptr, 0, {}};
        if (Read(process, marker, message)) found.push_back(std::move(message));
      }
    }
  }
  return found;
}

// Of all that have the pid the last that had begun by then, else the first; null: there is none.
const ProcessProfile* RanAt(std::span<const ProcessProfile> processes, int32_t pid, int64_t time_ns) {
  const ProcessProfile* found = nullptr;
  for (const ProcessProfile& process : processes) {
    if (process.pid != pid) continue;
    const bool is_later = found != nullptr && process.start_ns > found->start_ns && process.start_ns <= time_ns;
    const bool is_earlier = found != nullptr && process.start_ns < found->start_ns && found->start_ns > time_ns;
    if (found == nullptr || is_later || is_earlier) found = &process;
  }
  return found;
}

}  // namespace

void NameIpcPeers(std::span<ProcessProfile> processes, std::string (*name)(const ProcessProfile& process)) {
  const std::vector<MessageMarker> messages = AllMessages(processes);
  absl::flat_hash_map<Message, size_t> marked_by;
  for (const MessageMarker& each : messages) marked_by.try_emplace(each.message, each.process);
  absl::flat_hash_map<std::pair<size_t, const ProcessProfile*>, int32_t> names;  // rows of `strings`
  for (const MessageMarker& each : messages) {
    const auto end = marked_by.find(FromOtherEnd(each.message));
    const ProcessProfile* const other =
        end != marked_by.end() ? &processes[end->second] : RanAt(processes, std::get<1>(each.message), each.time_ns);
    if (other == nullptr) continue;
    std::vector<std::string>& strings = processes[each.process].strings;
    const auto [row, is_new] = names.try_emplace({each.process, other}, static_cast<int32_t>(strings.size()));
    if (is_new) strings.push_back(name(*other));
    each.other_pid->text = row->second;
  }
}

}  // namespace geckoprof
