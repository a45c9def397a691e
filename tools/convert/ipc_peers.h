#ifndef GECKOPROF_TOOLS_CONVERT_IPC_PEERS_H_
#define GECKOPROF_TOOLS_CONVERT_IPC_PEERS_H_

#include <span>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Gives the other process in markers of messages (type IPC, key otherPid) the name that it has in the profile, by which
// the viewer joins the two ends of a message. What marks knows only the system's pid, of which a profile has several
// processes where it ran several programs:
//
//   4711 sends to "4712"          ->  "4712.1"      4712    forked, does not look at the connection yet
//                                                   4712.1  after exec: has a marker of the same message, to "4711"
//
// The one that marked the same message is meant; if none did, the one that ran when the message was marked. `name`: of
// a process, in the format that is written. To be called once. Threads: one.
void NameIpcPeers(std::span<ProcessProfile> processes, std::string (*name)(const ProcessProfile& process));

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_IPC_PEERS_H_
