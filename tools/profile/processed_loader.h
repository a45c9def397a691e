#ifndef GECKOPROF_TOOLS_PROFILE_PROCESSED_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_PROCESSED_LOADER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {

// ProcessedLoader: reads a profile of the processed format into a ProfileModel. Tables are structs of arrays; from
// version 60 they are shared by all threads, before that each thread has its own (strings: 56). Prefixes are rows up to
// version 65 and distances ("prefixOffset") from 66; either is read whatever the version says. Threads:   one. An
// object reads one profile.
class ProcessedLoader {
 public:
  // `text_bytes` is ModelBuilder's.
  ProcessedLoader(JsonView profile, ProfileModel* model, ProfileDetail detail = ProfileDetail::kSummary,
                  size_t text_bytes = 0)
      : profile_(profile), builder_(model, detail, text_bytes), marker_data_(&builder_) {}

  absl::Status Load();

 private:
  // The tables that stacks are made of: those of the file, or of one thread.
  absl::Status LoadTables(JsonView tables, const JsonPath& path);
  absl::Status LoadStrings(JsonView array, const JsonPath& path);
  absl::Status LoadFunctions(JsonView tables, const JsonPath& path);
  absl::Status LoadFrames(JsonView tables, const JsonPath& path);
  void LoadLibraries();
  void LoadSources(JsonView tables);
  void AddFullFrame(size_t row, JsonView table, const ProfileFrame& known, int64_t lib);
  absl::Status LoadStacks(JsonView tables, const JsonPath& path);
  absl::Status LoadThread(JsonView thread, const JsonPath& path);
  absl::Status LoadSamples(JsonView thread, const JsonPath& path, ProfileThread* out);
  absl::Status LoadMarkers(JsonView thread, const JsonPath& path, ProfileThread* out);
  absl::Status LoadAllocations(JsonView thread, const JsonPath& path, ProfileThread* out);
  int32_t ProcessRow(JsonView thread);
  std::string_view LibraryName(JsonView index) const;
  // A function's source as a row of the model's strings, or kNoRow: `row` of the sources, or `file`, the name itself.
  int32_t SourceOf(JsonView row, JsonView file, const JsonPath& path) const;
  // Functions of scripts have the names that they have in a Gecko profile, which tell those of one name apart:
  // "init (resource://a.js:12:3)", and of a script's own code "resource://a.js:1:1".
  int32_t ScriptName(int32_t name, int32_t source, JsonView line, JsonView column);
  // "libc.so.6+0x1c15" for a function that is named by its address.
  int32_t NamedFunction(int32_t function, std::string_view library);

  JsonView profile_;
  ModelBuilder builder_;
  MarkerDataLoader marker_data_;
  absl::flat_hash_map<std::string, int32_t> process_rows_;
  std::vector<std::string> library_names_;
  std::vector<int32_t> library_rows_;  // of the model

  struct Function {
    int32_t name = 0;
    std::string_view library;
    int64_t lib = -1;         // row of the file's libraries
    int32_t source = kNoRow;  // row of the model's strings
  };
  std::vector<Function> functions_;
  std::vector<int32_t> sources_;  // paths, rows of the model's strings
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_PROCESSED_LOADER_H_
