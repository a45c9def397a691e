#ifndef GECKOPROF_HOOKS_LIBRARIES_LIBRARY_TABLE_H_
#define GECKOPROF_HOOKS_LIBRARIES_LIBRARY_TABLE_H_

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// LibraryTable: the libraries that the dynamic linker has loaded, with copies of what is gone after an unload.
//
//   dl_iterate_phdr --Update--> rows; `gone` hears of the libraries that are no longer loaded
//
// Invariants: a row's number stays the same while the library is loaded. A row of a library that was unloaded gets
// another serial when it is used again. The table has room for kMostLibraries. Further ones have no row.
//
// Threads: any, each inside Locked. The lock is the dynamic linker's own for its list. A thread that holds it calls
// nothing that takes the dynamic linker's other lock: neither dlopen nor dlsym nor dladdr.
// Context: not signal context.
class LibraryTable {
 public:
  static constexpr size_t kMostLibraries = 1024;
  static constexpr int kNone = -1;

  struct Row {
    uintptr_t begin = 0, end = 0;  // of its segments; both 0: the row is free
    uint64_t serial = 0;           // no two loads have the same
    uint64_t relocations = 0;      // entries with an addend; packed relative ones are not counted
    uint32_t walk = 0;             // the last Update that met it
    bool is_program = false;
    bool has_rpath = false;    // DT_RPATH: the loader searches it for whatever the library loads, directly or not
    bool has_runpath = false;  // DT_RUNPATH: the loader searches it for what the library itself loads
    bool is_reported = false;  // for the caller: there is a marker of the load
    uint16_t path_bytes = 0;
    char path[213] = {};  // as the dynamic linker has it; a longer one has its end

    std::string_view Path() const { return {path, path_bytes}; }
    uint64_t SizeBytes() const { return end - begin; }
  };

  // Update calls it for each unloaded library. The row is still whole during the call.
  using Gone = void (*)(const Row& row, geckoprof_time start, geckoprof_time end);

  explicit constexpr LibraryTable(Gone gone) : gone_(gone) {}

  // Calls `call` while no thread changes the list of libraries.
  template <typename Call>
  static void Locked(Call call) {
    dl_iterate_phdr(
        [](dl_phdr_info*, size_t, void* context) {
          (*static_cast<Call*>(context))();
          return 1;  // the list has at least the program, so this is the only call
        },
        &call);
  }

  // Makes the rows those of the libraries that are loaded now. Libraries that are gone were unloaded from `start` to
  // `end`. A start of 0 means at any time before `end`.
  void Update(geckoprof_time start, geckoprof_time end);
  // Returns whether a library was loaded or unloaded since the last Update.
  bool IsOutOfDate() const;

  // Returns the number of the row whose library has the address, or kNone.
  int Find(uintptr_t address) const;
  // Returns whether a library other than the program has DT_RPATH.
  bool HasLibraryWithRpath() const { return rpaths_ != 0; }

  Row& row(int number) { return rows_[number]; }
  int size() const { return size_; }  // rows below it may be free
  uint64_t left_out() const { return left_out_; }

 private:
  static int Visit(dl_phdr_info* info, size_t bytes, void* walk);
  int RowFor(const dl_phdr_info& info, uintptr_t begin, uintptr_t end);
  void Free(Row& row);

  const Gone gone_;
  geckoprof_time gone_start_ = 0, gone_end_ = 0;  // of the present Update
  Row rows_[kMostLibraries];
  int size_ = 0;
  uint32_t walk_ = 0;
  int rpaths_ = 0;
  uint64_t last_serial_ = 0;
  uint64_t loads_ = 0, unloads_ = 0;  // the dynamic linker's counts at the last Update
  uint64_t left_out_ = 0;             // libraries without a row at the last Update
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_LIBRARIES_LIBRARY_TABLE_H_
