#ifndef GECKOPROF_HOOKS_IO_DESCRIPTOR_NAME_H_
#define GECKOPROF_HOOKS_IO_DESCRIPTOR_NAME_H_

#include <sys/socket.h>

#include <cstddef>
#include <string_view>

#include "geckoprof/base/text_builder.h"
#include "io/io_totals.h"

namespace geckoprof {

// DescriptorName: the kernel's answer to the question which object a descriptor has. A file has its absolute path. A
// socket has its protocol and its peer ("tcp 127.0.0.1:80", "tcp [::1]:80", "unix /run/a.sock"). A socket without a
// peer, or with a peer without a name, has its own address ("tcp listening on 0.0.0.0:80").
//
// Context: any, signal context included. It makes two to six system calls, and leaves errno alone.
class DescriptorName {
 public:
  explicit DescriptorName(int fd);
  // The name of an address that a call was given. It may be null.
  DescriptorName(const sockaddr* address, socklen_t bytes);
  DescriptorName(const DescriptorName&) = delete;
  DescriptorName& operator=(const DescriptorName&) = delete;

  bool is_open() const { return is_open_; }
  IoClass io_class() const { return io_class_; }
  std::string_view text() const { return text_.view(); }

 private:
  void AppendSocket(int fd);
  // Returns false if the address has no text.
  bool AppendAddress(const sockaddr_storage& address, size_t bytes);

  bool is_open_ = false;
  IoClass io_class_ = IoClass::kOther;
  char bytes_[1024];
  TextBuilder text_{bytes_};
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_DESCRIPTOR_NAME_H_
