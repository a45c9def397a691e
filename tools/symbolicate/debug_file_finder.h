#ifndef GECKOPROF_TOOLS_SYMBOLICATE_DEBUG_FILE_FINDER_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_DEBUG_FILE_FINDER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/symbolicate/debuginfod_client.h"
#include "tools/symbolicate/elf_image.h"
#include "tools/symbolicate/file_identity.h"

namespace geckoprof {

// Where files with symbols are looked for.
struct SymbolPlaces {
  std::string debug_folder = "/usr/lib/debug";
  std::vector<std::string> symbol_folders;  // before all others
  bool debuginfod = true;                   // ask the servers that DEBUGINFOD_URLS names; none if it is not set
};

// DebugFileFinder: the file of an object that was recorded, and the files with its debug information, wherever they
// have come to lie. Everything is matched by build id, else by the checksum of .gnu_debuglink; what does not match is
// left out, and told.
//
//   object       the recorded path; DIR/path, DIR/name, DIR/.build-id/ab/cdef... of each symbol folder; debuginfod
//   debug file   .build-id/ab/cdef.debug of each folder; .gnu_debuglink's name beside the object, in its .debug folder,
//                below the debug folder, in the symbol folders; debuginfod
//   alternate    what dwz moved out of several files into one (.gnu_debugaltlink)
//
// Threads: one at a time.
class DebugFileFinder {
 public:
  explicit DebugFileFinder(SymbolPlaces places) : places_(std::move(places)) {}

  // `build_id`: raw bytes, or the first 16 of them; empty: unknown, any is taken. FailedPrecondition: there is a file,
  // but none is the recorded one. `path` "[vdso]" or "linux-vdso.so.1" is this process's vDSO.
  absl::StatusOr<std::unique_ptr<ElfImage>> FindObject(const std::string& path, std::string_view build_id);

  // A separate file with more than `object` itself; null if there is none.
  std::unique_ptr<ElfImage> FindDebugFile(const ElfImage& object, const std::string& path);

  // The file with this name and build id that `debug` refers to; null if there is none.
  std::unique_ptr<ElfImage> FindAlternate(const ElfImage& debug, const std::string& name, std::string_view build_id);

  // Paths at which a file named by debug information (a .dwo) may lie: as it is, from its compilation's folder, beside
  // the object, in the symbol folders.
  std::vector<std::string> SplitCandidates(const std::string& name, const std::string& compilation_folder,
                                           const std::string& object_path) const;

  // That a file is about to be opened that this did not open: one of SplitCandidates.
  void NoteAsked(const std::string& path) { asked_files_.push_back(FileIdentity::Of(path)); }
  // Every file that was looked for, there or not, as it was just before: where all are so still and the settings are
  // the same, the same would be found again, but for what a server had not.
  const std::vector<FileIdentity>& asked_files() const { return asked_files_; }
  bool server_had_none() const { return server_had_none_; }
  std::vector<std::string> Settings(const std::string& path) const;

  // One sentence for each file that was found and cannot be used: broken, or not of what was recorded.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  absl::StatusOr<std::unique_ptr<ElfImage>> Open(const std::string& path);
  std::string Fetch(std::string_view build_id, DebuginfodClient::Kind kind);
  std::unique_ptr<ElfImage> OpenWithId(const std::string& path, std::string_view build_id);
  void TellBroken(const absl::Status& status);
  std::vector<std::string> BuildIdPaths(std::string_view build_id, std::string_view suffix) const;

  const SymbolPlaces places_;
  std::vector<std::string> problems_;
  std::vector<FileIdentity> asked_files_;
  bool server_had_none_ = false;
};

// Whether a file's build id is the wanted one, of which only the first 16 bytes may be known.
bool IsBuildId(std::string_view found, std::string_view wanted);

// Whether the path is that of the kernel's own library, which is in no file.
bool IsVdso(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_DEBUG_FILE_FINDER_H_
