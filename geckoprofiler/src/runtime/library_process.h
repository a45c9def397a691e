#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_LIBRARY_PROCESS_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_LIBRARY_PROCESS_H_

namespace geckoprof {

// LibraryProcess: which process the library's memory belongs to. The child of a vfork, and of a raw clone that shares
// it, runs in its parent's. Threads: any. Context: any, signal context included.
class LibraryProcess {
 public:
  // The library was loaded, or this is the child of a fork.
  static void Adopt();
  // True where nothing was adopted yet.
  static bool IsThis();
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_LIBRARY_PROCESS_H_
