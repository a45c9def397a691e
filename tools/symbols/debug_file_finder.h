#ifndef GECKOPROF_TOOLS_SYMBOLS_DEBUG_FILE_FINDER_H_
#define GECKOPROF_TOOLS_SYMBOLS_DEBUG_FILE_FINDER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/symbols/demangle.h"
#include "tools/symbols/elf_image.h"
#include "tools/symbols/held_files.h"

namespace geckoprof {

// DebuginfodClient: elfutils' client of servers that have debug files by build id. Nothing is asked, and the library
// not even loaded, unless the variable DEBUGINFOD_URLS names servers. Without the library no file is found. Fetched
// files stay in the library's own cache.
class DebuginfodClient {
 public:
  enum class Kind { kExecutable, kDebugInfo };

  // The path of the file; empty: there is none. May take as long as DEBUGINFOD_TIMEOUT allows. If no server answered
  // as it should, none is asked again, and `problem` says why.
  static std::string Fetch(std::string_view build_id, Kind kind, std::string* problem);
};

// Where files with symbols are looked for, and what the names of all the files may cost.
struct SymbolPlaces {
  std::string debug_folder = "/usr/lib/debug";
  std::vector<std::string> symbol_folders;  // before all other places
  bool debuginfod = true;                   // whether to ask the servers of DEBUGINFOD_URLS
  std::shared_ptr<Demangler> demangler = std::make_shared<Demangler>();
};

// DebugFileFinder finds the file of a recorded object, and the files with its debug information. It compares build
// ids, or else the checksum of .gnu_debuglink. It does not use a file that does not match, and reports it.
//
//   object       the recorded path; DIR/path, DIR/name, DIR/.build-id/ab/cdef... of each symbol folder; debuginfod
//   debug file   .build-id/ab/cdef.debug of each folder; .gnu_debuglink's name beside the object, in its .debug folder,
//                below the debug folder, in the symbol folders; debuginfod
//   alternate    the parts that dwz moved out of several files into one (.gnu_debugaltlink)
//
// Threads: one at a time.
class DebugFileFinder {
 public:
  // `held` is the object's own file, opened while it was mapped. It comes before all places. Null: there is none.
  explicit DebugFileFinder(SymbolPlaces places, const HeldFile* held = nullptr)
      : places_(std::move(places)), held_(held) {}

  // Finds the object. `build_id` has raw bytes, at least the first 16. Any file fits an empty one.
  // `path` "[vdso]" or "linux-vdso.so.1" is this process's vDSO. The error is FailedPrecondition if there is a file
  // that is not the recorded one.
  absl::StatusOr<std::unique_ptr<ElfImage>> FindObject(const std::string& path, std::string_view build_id);

  const std::shared_ptr<Demangler>& demangler() const { return places_.demangler; }
  bool has_held() const { return held_ != nullptr; }

  // Finds a separate file with more than `object` itself has. Returns null if there is none.
  std::unique_ptr<ElfImage> FindDebugFile(const ElfImage& object, const std::string& path);

  // Finds the file with this name and build id that `debug` refers to. Returns null if there is none.
  std::unique_ptr<ElfImage> FindAlternate(const ElfImage& debug, const std::string& name, std::string_view build_id);

  // Returns the paths at which a .dwo file may lie that debug information names. They are the name itself, the
  // compilation's folder, the object's folder and the symbol folders.
  std::vector<std::string> SplitCandidates(const std::string& name, const std::string& compilation_folder,
                                           const std::string& object_path) const;

  // Notes that the caller is about to open one of SplitCandidates.
  void NoteAsked(const std::string& path) { asked_files_.push_back(FileIdentity::Of(path)); }
  // Returns every file that was looked for, also those that do not exist, with its identity just before. A look-up with
  // the same settings and identities finds the same again, unless a server has got a file since.
  const std::vector<FileIdentity>& asked_files() const { return asked_files_; }
  bool server_had_none() const { return server_had_none_; }
  std::vector<std::string> Settings(const std::string& path) const;

  // Returns one sentence for each file that is broken or not the recorded one.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  absl::StatusOr<std::unique_ptr<ElfImage>> Open(const std::string& path);
  std::string Fetch(std::string_view build_id, DebuginfodClient::Kind kind);
  std::unique_ptr<ElfImage> OpenWithId(const std::string& path, std::string_view build_id);
  void TellBroken(const absl::Status& status);
  std::vector<std::string> BuildIdPaths(std::string_view build_id, std::string_view suffix) const;

  const SymbolPlaces places_;
  const HeldFile* const held_;
  std::vector<std::string> problems_;
  std::vector<FileIdentity> asked_files_;
  bool server_had_none_ = false;
};

// Returns whether a file's build id is the wanted one, of which only the first 16 bytes may be known.
bool IsBuildId(std::string_view found, std::string_view wanted);

// Returns whether the path is that of the kernel's own library, which is in no file.
bool IsVdso(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DEBUG_FILE_FINDER_H_
