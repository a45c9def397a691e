#ifndef GECKOPROF_TOOLS_HTTP_OPEN_CONNECTIONS_H_
#define GECKOPROF_TOOLS_HTTP_OPEN_CONNECTIONS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace geckoprof {

// OpenConnections: the connections of this process to clients of one port. Where all threads wait for requests that
// never become complete, the oldest such connection is closed for the next client.
//
//   client --connect--> thread waits for the request --Begin(its port)--> thread answers --End--> closed
//                       ^ CloseOldest ends the wait
//
// cpp-httplib does not show its sockets. They are found among the descriptors of the process, by the two ports.
// A client whose request is being answered is never cut off. In a flood, a request that waits for a thread
// may be.
//
// Threads: any, but CloseOldest is called by the thread that accepts, so that no new connection takes a descriptor
// meanwhile.
class OpenConnections {
 public:
  void SetPort(int port) { port_ = port; }

  // The calling thread answers the request of the client with that port.
  void Begin(int client_port);
  // The calling thread has answered, if it has begun.
  void End();

  // Ends the waits of the `count` connections that were seen first. The thread of each finds its connection closed.
  void CloseOldest(size_t count);

 private:
  int port_ = 0;
  std::mutex mutex_;
  std::set<int> answered_;  // ports of clients
  // By the inodes of the sockets: the order in which they were seen, or 0 for those that were closed.
  std::map<ino_t, uint64_t> waiting_;
  uint64_t seen_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_HTTP_OPEN_CONNECTIONS_H_
