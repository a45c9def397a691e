#ifndef GECKOPROF_BASEPROFILER_CONTROL_RECEIVED_REQUEST_H_
#define GECKOPROF_BASEPROFILER_CONTROL_RECEIVED_REQUEST_H_

#include <cstdint>
#include <span>

#include "geckoprof/base/fd.h"
#include "geckoprof/config/control_request.h"

namespace geckoprof {

// ReceivedRequest: the request that a signal has announced, as its file has it (docs/formats/control-request.md).
//
//   Open: find the file, check its owner, copy it   --> the copy is what counts   --> Answer
//
// The sender may write to the file at any time. Nothing is read from it after the copy was made.
// Threads: the control thread, with descriptors of its own. There is one object at a time.
// Context: kernel calls only.
class ReceivedRequest {
 public:
  // Returns false if there is no such file, or if another user could have made it or can write to it. A signal may come
  // twice for one request, so the result is also false for an answered one.
  bool Open(uint64_t number);

  // Returns false if the sender belongs to another version. The command and the settings then mean nothing.
  bool IsOfThisVersion() const;
  ControlCommand command() const;
  // Copies the addresses of the settings' lines to `lines`, which end with a null pointer. Further lines are left out.
  void GetSettings(std::span<const char*> lines) const;

  void Answer(ControlAnswer answer) const;

 private:
  Fd file_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CONTROL_RECEIVED_REQUEST_H_
