#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_IPC_PEERS_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_IPC_PEERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/recorded_processes.h"

namespace geckoprof {

// Returns whether a marker type is that of messages between processes.
bool IsMessageType(const MarkerTypeRow& type);

// IpcPeers gives the other process in markers of messages (type IPC, key otherPid) the name that it has in the profile.
// The viewer joins the two ends of a message by it. A program that marks knows only the system's pid, of which a
// profile has several processes where it ran several programs:
//
//   4711 sends to "4712"          ->  "4712.1"      4712    forked, does not look at the connection yet
//                                                   4712.1  after exec: has a marker of the same message, to "4711"
//
// The process that marked the same message is meant. If none did, it is the one that ran when the message was marked.
// Threads: one.
class IpcPeers {
 public:
  // `name` gives a process its name in the format that is written.
  IpcPeers(const RecordedProcesses& processes, std::string (*name)(const ProcessProfile& process));

  // Puts the names into the process of a row. It must have no names yet.
  void NameIn(size_t row, ProcessProfile& process) const;

 private:
  struct Peer {
    size_t thread, marker, field;  // field: of the other end's pid
    std::string name;
  };
  // By row, in order of threads and markers.
  absl::flat_hash_map<size_t, std::vector<Peer>> peers_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_IPC_PEERS_H_
