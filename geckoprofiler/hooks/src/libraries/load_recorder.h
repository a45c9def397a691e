#ifndef GECKOPROF_HOOKS_LIBRARIES_LOAD_RECORDER_H_
#define GECKOPROF_HOOKS_LIBRARIES_LOAD_RECORDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "libraries/library_table.h"
#include "runtime/mapping_end.h"

namespace geckoprof {

// LoadRecorder: writes a marker for each load and unload of a library, and for each dlopen.
//
//   dlopen --> search, map --> relocate --> _init: __gmon_start__ --> constructors --> _init of the next library
//        |     mapping       | relocation |  constructors of the first library       | ...
//      Begin          MappingEnd    BeginConstructors                     BeginConstructors ... End
//
// _init is what the linker puts in front of the constructors of nearly every library. It calls __gmon_start__ if a
// library defines it, and the hooks library does. Constructors of a library without _init count for the library before
// it. So do the loader's steps in between, which are short.
//
// At the start of a program, there is no dlopen. Its libraries' constructors follow each other on the main thread, and
// those of the hooks library are the last.
//
// Invariants: a constructor that never returns, or that leaves by a jump or an exception, has no marker. A call that
// was left so is forgotten when an outer function of the thread begins or ends another.
//
// Threads: any. Context: not signal context, as dlopen itself.
class LoadRecorder {
 public:
  // One dlopen. The frame tells whether a jump has left it.
  struct Call {
    const void* frame = nullptr;
    geckoprof_time start = 0;
    geckoprof_time first_constructor = 0;  // 0: none yet
    geckoprof_time constructor = 0;        // since when those of `row` run; 0: none run
    int row = LibraryTable::kNone;
    uint64_t serial = 0;  // of the row
    uint32_t libraries = 0;
    bool is_alone = false;  // no other call ran when it began
    MappingEnd mapping = {};
  };

  constexpr LoadRecorder();

  // Ends the start of the program. The constructor of the hooks library calls it.
  void FinishStart();

  // Returns whether the loader does the same for the hooks library as for the function at `caller`. `name` is the
  // argument of dlopen, and not null.
  bool MayCallFor(const char* name, const void* caller);

  // Returns null if the thread is in too many calls.
  Call* Begin(const void* frame);
  // Ends what Begin returned, which is not null. `was_loaded` says whether dlopen succeeded. The marker has the stack
  // without the innermost `skipped_frames`.
  void End(Call* call, const void* frame, const char* function, const char* name, bool was_loaded,
           uint32_t skipped_frames);
  // The constructors of the library at `address` begin.
  void BeginConstructors(const void* address, const void* frame);
  // A dlclose from `start` to `end`.
  void Close(geckoprof_time start, geckoprof_time end);

 private:
  // These are called with the table locked.
  void Refresh(geckoprof_time start, geckoprof_time end);
  void EndConstructors(Call& call, geckoprof_time now);
  void ReportOthers(Call* call, geckoprof_time now);

  LibraryTable table_;
  Call start_;  // the start of the program
  std::atomic<bool> has_started_{false};
  std::atomic<uint32_t> calls_{0};  // that run, of all threads
  uint64_t told_left_out_ = 0;
};

extern constinit LoadRecorder g_load_recorder;

// Look up the functions behind the hooks.
void FindNextLibraryFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LIBRARIES_LOAD_RECORDER_H_
