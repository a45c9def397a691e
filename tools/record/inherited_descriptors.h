#ifndef GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_
#define GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace geckoprof {

// InheritedDescriptors: the descriptors that the recorder was started with. They are meant for the program. While the
// recorder has a copy, nobody sees that the program closes its own. A pipe's reader then waits for the end, and a lock
// of flock(2) stays.
//
//   recorder starts    program runs                     program has ended
//   constructor        GiveUp: 0 and 1 lead to          the profile is written
//                      /dev/null, those above 2 are
//                      closed
//
// Some descriptors stay:
// - Standard error stays, because the recorder prints there.
// - The file of the profile stays (`-o /dev/fd/3`).
// - All of them stay if the recorder holds a record lock (fcntl(2)) of its life before exec. The kernel releases such a
//   lock with the first descriptor of the file that is closed.
//
// Libraries that are preloaded into the recorder may have opened files before main, as profilers do. These descriptors
// are not inherited. They stay open for their library, and close at the exec of the program, which has its own.
//
// Threads: one.
class InheritedDescriptors {
 public:
  // Finds the descriptors that were open at the exec of this program, and marks the others to close at an exec. With
  // kNow it finds all that are open. It must be called before the recorder opens anything. Without /proc none is found.
  enum class Since : uint8_t { kExec, kNow };
  explicit InheritedDescriptors(Since since = Since::kExec);

  // Called when the program has its own. `output` is the name of the profile's file.
  void GiveUp(const std::string& output) const;

 private:
  std::vector<int> numbers_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_INHERITED_DESCRIPTORS_H_
