#include "tools/convert/ipc_peers.h"

#include <algorithm>
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
  size_t process, thread, marker;
  size_t field;  // of the other end's pid
  int64_t time_ns;
  Message message;
  int32_t peer_name;  // row of `strings`, or kNone
};

// False: it names no process.
bool Read(const ProcessProfile& process, const MarkerRow& marker, MessageMarker& found) {
  int32_t other_pid = 0;
  int64_t number = 0;
  std::string type;
  for (const MarkerField& field : marker.fields) {
    const std::string_view key = process.strings[static_cast<size_t>(field.key)];
    const bool is_text = field.kind == MarkerFieldKind::kText;
    if (key == "otherPid" && is_text) {
      found.field = static_cast<size_t>(&field - marker.fields.data());
      if (!absl::SimpleAtoi(std::string(process.strings[static_cast<size_t>(field.text)]), &other_pid)) return false;
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

// In order of processes, threads and markers.
std::vector<MessageMarker> AllMessages(std::span<const ProcessProfile> processes) {
  std::vector<MessageMarker> found;
  for (size_t i = 0; i < processes.size(); ++i) {
    const ProcessProfile& process = processes[i];
    for (size_t thread = 0; thread < process.threads.size(); ++thread) {
      size_t next = 0;
      for (const MarkerRow& marker : process.threads[thread].markers) {
        const size_t at = next++;
        if (marker.type == kNone || process.marker_types[static_cast<size_t>(marker.type)].name != "IPC") continue;
        MessageMarker message{i, thread, at, 0, 0, {}, kNone};
        if (Read(process, marker, message)) found.push_back(std::move(message));
      }
    }
  }
  return found;
}

// Makes the thread's markers anew. `messages`: those of the thread.
void Rename(std::span<const MessageMarker> messages, ThreadRow& thread) {
  MarkerList renamed;
  auto message = messages.begin();
  for (const MarkerRow& marker : thread.markers) {
    if (message == messages.end() || message->marker != renamed.size()) {
      renamed.push_back(marker);
      continue;
    }
    MarkerRow changed = marker;
    if (message->peer_name != kNone) changed.fields[message->field].text = message->peer_name;
    renamed.push_back(changed);
    ++message;
  }
  thread.markers = std::move(renamed);
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
  std::vector<MessageMarker> messages = AllMessages(processes);
  absl::flat_hash_map<Message, size_t> marked_by;
  for (const MessageMarker& each : messages) marked_by.try_emplace(each.message, each.process);
  absl::flat_hash_map<std::pair<size_t, const ProcessProfile*>, int32_t> names;  // rows of `strings`
  for (MessageMarker& each : messages) {
    const auto end = marked_by.find(FromOtherEnd(each.message));
    const ProcessProfile* const other =
        end != marked_by.end() ? &processes[end->second] : RanAt(processes, std::get<1>(each.message), each.time_ns);
    if (other == nullptr) continue;
    StringTable& strings = processes[each.process].strings;
    const auto [row, is_new] = names.try_emplace({each.process, other}, static_cast<int32_t>(strings.size()));
    if (is_new) strings.push_back(name(*other));
    each.peer_name = row->second;
  }
  for (auto first = messages.begin(); first != messages.end();) {
    const auto last = std::find_if(first, messages.end(), [first](const MessageMarker& message) {
      return message.process != first->process || message.thread != first->thread;
    });
    Rename({first, last}, processes[first->process].threads[first->thread]);
    first = last;
  }
}

}  // namespace geckoprof
