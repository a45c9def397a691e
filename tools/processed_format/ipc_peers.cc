#include "tools/processed_format/ipc_peers.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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
std::vector<MessageMarker> AllMessages(const RecordedProcesses& processes) {
  std::vector<size_t> senders;
  processes.VisitFacts([&senders](size_t row, const ProcessFacts& facts) {
    if (facts.sends_messages) senders.push_back(row);
  });
  std::vector<MessageMarker> found;
  for (const size_t row : senders) {
    const ProcessProfile& process = processes[row];
    for (size_t thread = 0; thread < process.threads.size(); ++thread) {
      size_t next = 0;
      for (const MarkerRow& marker : process.threads[thread].markers) {
        const size_t at = next++;
        if (marker.type == kNone || !IsMessageType(process.marker_types[static_cast<size_t>(marker.type)])) continue;
        MessageMarker message{row, thread, at, 0, 0, {}};
        if (Read(process, marker, message)) found.push_back(std::move(message));
      }
    }
  }
  return found;
}

// The ids of a process, which make its name, and when it began.
struct Program {
  ProcessProfile ids;
  size_t row;
};

// Of all that have the pid the last that had begun by then, else the first. Null: there is none.
const Program* RanAt(const std::vector<Program>& programs, int32_t pid, int64_t time_ns) {
  const Program* found = nullptr;
  for (const Program& program : programs) {
    if (program.ids.pid != pid) continue;
    const int64_t start_ns = program.ids.start_ns;
    const bool is_later = found != nullptr && start_ns > found->ids.start_ns && start_ns <= time_ns;
    const bool is_earlier = found != nullptr && start_ns < found->ids.start_ns && found->ids.start_ns > time_ns;
    if (found == nullptr || is_later || is_earlier) found = &program;
  }
  return found;
}

// The programs that take part in messages, in the order of the rows.
std::vector<Program> ProgramsOf(const std::vector<MessageMarker>& messages, const RecordedProcesses& processes) {
  absl::flat_hash_set<int32_t> pids;
  for (const MessageMarker& each : messages) {
    pids.insert(std::get<0>(each.message));
    pids.insert(std::get<1>(each.message));
  }
  std::vector<Program> programs;
  processes.VisitFacts([&](size_t row, const ProcessFacts& facts) {
    if (!pids.contains(facts.pid)) return;
    programs.push_back({{}, row});
    facts.ApplyTo(programs.back().ids);
  });
  return programs;
}

}  // namespace

bool IsMessageType(const MarkerTypeRow& type) { return type.name == "IPC"; }

IpcPeers::IpcPeers(const RecordedProcesses& processes, std::string (*name)(const ProcessProfile& process)) {
  const std::vector<MessageMarker> messages = AllMessages(processes);
  if (messages.empty()) return;
  const std::vector<Program> programs = ProgramsOf(messages, processes);
  absl::flat_hash_map<Message, size_t> marked_by;
  for (const MessageMarker& each : messages) marked_by.try_emplace(each.message, each.process);
  for (const MessageMarker& each : messages) {
    const auto end = marked_by.find(FromOtherEnd(each.message));
    const Program* other = nullptr;
    if (end == marked_by.end()) {
      other = RanAt(programs, std::get<1>(each.message), each.time_ns);
    } else {
      other = &*std::ranges::lower_bound(programs, end->second, {}, &Program::row);
    }
    if (other == nullptr) continue;
    peers_[each.process].push_back({each.thread, each.marker, each.field, name(other->ids)});
  }
}

void IpcPeers::NameIn(size_t row, ProcessProfile& process) const {
  const auto found = peers_.find(row);
  if (found == peers_.end()) return;
  absl::flat_hash_map<std::string, int32_t> names;  // rows of `strings`
  auto peer = found->second.begin();
  for (size_t i = 0; i < process.threads.size(); ++i) {
    MarkerList renamed;
    for (const MarkerRow& marker : process.threads[i].markers) {
      MarkerRow changed = marker;
      const bool is_message = peer != found->second.end() && peer->thread == i && peer->marker == renamed.size();
      if (is_message && peer->field < changed.fields.size()) {
        const auto [name, is_new] = names.try_emplace(peer->name, static_cast<int32_t>(process.strings.size()));
        if (is_new) process.strings.push_back(peer->name);
        changed.fields[peer->field].text = name->second;
      }
      if (is_message) ++peer;
      renamed.push_back(changed);
    }
    process.threads[i].markers = std::move(renamed);
  }
}

}  // namespace geckoprof
