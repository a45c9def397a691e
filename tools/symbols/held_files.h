#ifndef GECKOPROF_TOOLS_SYMBOLS_HELD_FILES_H_
#define GECKOPROF_TOOLS_SYMBOLS_HELD_FILES_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "tools/symbols/elf_image.h"
#include "tools/symbols/jit_map.h"

namespace geckoprof {

// FileIdentity has what stat says of a file, links followed. It tells later, without reading the file, whether a path
// still leads to the same bytes and rights. That there is no file is an identity, too. The time of the last change of
// the inode (ctime) stands here because nobody can set it back.
struct FileIdentity {
  std::string path;
  bool exists = false;
  uint64_t size_bytes = 0, inode = 0;
  int64_t modified_ns = 0, changed_ns = 0;

  static FileIdentity Of(std::string path);
  bool operator==(const FileIdentity&) const = default;

  bool IsStillSo() const { return Of(path) == *this; }
};

// HeldFile is an object's file, opened while a process had it mapped. Its path may lead to another file by now, or to
// none.
class HeldFile {
 public:
  // `file` is open for reading. `path` is the one that the process knows.
  HeldFile(Fd file, std::string path);

  // Opens the file as an image that calls itself by its path. FailedPrecondition: it has no build id, and
  // somebody has written to it since.
  absl::StatusOr<std::unique_ptr<ElfImage>> Open() const;

  const std::string& path() const { return path_; }
  // Raw bytes. They are empty if the file has no build id.
  const std::string& build_id() const { return build_id_; }
  // Whether the file was an object at all.
  bool is_object() const { return is_object_; }

 private:
  Fd file_;
  std::string path_, build_id_;
  bool is_object_ = false;
  FileIdentity identity_;  // by then
};

// A file with names of code made at run time, opened while the process that writes it was there.
struct HeldJitFile {
  Fd file;
  std::vector<FileGrowth> growth;  // empty for a jitdump, which has times itself
};

// HeldFiles: the files that a recording needs for names, held open from the time when processes used them.
//
//   objects    by path, and by build id where it is known
//              those without a build id: by the process and the address of its mapping
//   JIT files  by process
//
// Lifetime: what is found lives until it is removed. Threads: one at a time.
class HeldFiles {
 public:
  // The pid as the process itself knows it, and the kernel's number of its pid namespace (0: unknown).
  struct ProcessId {
    int32_t pid = 0;
    uint32_t pid_namespace = 0;
    bool operator==(const ProcessId&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const ProcessId& id) {
      return H::combine(std::move(h), id.pid, id.pid_namespace);
    }
  };

  // Adds an object, which is found by its path and build id from now on. Returns null if the file is no object.
  const HeldFile* AddObject(Fd file, std::string path);
  // Says that a process mapped `object`, which has no build id, at `start_avma`.
  void AddMapping(ProcessId process, uint64_t start_avma, const HeldFile* object) {
    mappings_[{process, start_avma}] = object;
  }
  // The JIT files of a process, to be added to.
  std::deque<HeldJitFile>& JitFilesOf(ProcessId process) { return jit_files_[process]; }

  // Remove an object that nothing finds any more, and what is known of a process that has ended.
  void RemoveObject(const HeldFile* object);
  void RemoveProcess(ProcessId process);

  // Counts a file that was too large to be held, or the first one of too many.
  void CountLeftOut() { ++left_out_count_; }
  uint64_t left_out_count() const { return left_out_count_; }

  // Returns the file that a process mapped, or null if it is not held.
  const HeldFile* FindObject(ProcessId process, uint64_t start_avma, const std::string& path,
                             const std::string& build_id) const;
  // Returns null where the process has none.
  const std::deque<HeldJitFile>* FindJitFiles(ProcessId process) const;

 private:
  absl::flat_hash_map<const HeldFile*, std::unique_ptr<HeldFile>> objects_;
  absl::flat_hash_map<std::pair<std::string, std::string>, const HeldFile*> by_build_id_;
  absl::flat_hash_map<std::pair<ProcessId, uint64_t>, const HeldFile*> mappings_;
  absl::flat_hash_map<ProcessId, std::deque<HeldJitFile>> jit_files_;
  uint64_t left_out_count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_HELD_FILES_H_
