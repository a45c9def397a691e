#ifndef GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_
#define GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_

#include <string>
#include <vector>

namespace geckoprof {

// InheritedDescriptors: those that the recorder was started with, which are meant for the program. While the recorder
// has a copy nobody sees the program close its own: a pipe's reader waits for the end, a lock of flock(2) stays.
//
//   recorder starts    program runs                     program has ended
//   Find               GiveUp: 0 and 1 lead to          the profile is written
//                      /dev/null, those above 2 are
//                      closed
//
// Standard error stays: the recorder's lines go there. So does what the profile is to be written to (`-o /dev/fd/3`),
// and everything where the recorder holds a record lock (fcntl(2)), of its life before exec: the kernel gives that up
// with the first descriptor of the file that is closed.
// Threads: one.
class InheritedDescriptors {
 public:
  // Finds those that are open. To be called before anything is opened; none is found without /proc.
  InheritedDescriptors();

  // When the program has its own. `output`: the name of the profile's file.
  void GiveUp(const std::string& output) const;

 private:
  std::vector<int> numbers_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_
