#include "tools/http/open_connections.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

namespace geckoprof {
namespace {

thread_local int t_client_port = 0;

int PortOf(int (*get_name)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_in address = {};
  socklen_t bytes = sizeof(address);
  const bool is_found = get_name(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
  return is_found && address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

struct Connection {
  int client_port, fd;
  ino_t inode;
};

std::vector<Connection> FindConnections(int port) {
  std::vector<Connection> found;
  DIR* const descriptors = opendir("/proc/self/fd");
  if (descriptors == nullptr) return found;
  while (const dirent* const entry = readdir(descriptors)) {
    const int fd = atoi(entry->d_name);
    const int client_port = PortOf(getpeername, fd);  // 0: no socket, or the one that listens
    struct stat status;
    const bool is_ours = client_port != 0 && PortOf(getsockname, fd) == port && fstat(fd, &status) == 0;
    if (is_ours) found.push_back({client_port, fd, status.st_ino});
  }
  closedir(descriptors);
  return found;
}

}  // namespace

void OpenConnections::Begin(int client_port) {
  const std::lock_guard<std::mutex> lock(mutex_);
  t_client_port = client_port;
  answered_.insert(client_port);
}

void OpenConnections::End() {
  if (t_client_port == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  answered_.erase(t_client_port);
  t_client_port = 0;
}

void OpenConnections::CloseOldest(size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<ino_t, uint64_t> waiting;
  std::map<uint64_t, Connection> by_order;
  for (const Connection& connection : FindConnections(port_)) {
    if (answered_.contains(connection.client_port)) continue;
    const auto before = waiting_.find(connection.inode);
    const uint64_t order = before != waiting_.end() ? before->second : ++seen_;
    waiting.emplace(connection.inode, order);
    if (order != 0) by_order.emplace(order, connection);
  }
  waiting_ = std::move(waiting);
  if (by_order.empty()) return;
  by_order.erase(std::prev(by_order.end()));  // the client for whom there is no thread yet
  for (const auto& [order, connection] : by_order) {
    if (count-- == 0) return;
    shutdown(connection.fd, SHUT_RDWR);
    waiting_[connection.inode] = 0;
  }
}

}  // namespace geckoprof
