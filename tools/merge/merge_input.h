#ifndef GECKOPROF_TOOLS_MERGE_MERGE_INPUT_H_
#define GECKOPROF_TOOLS_MERGE_MERGE_INPUT_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/json/json_document.h"
#include "tools/merge/clock_offsets.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {

// MergeInput is one of the profiles to be merged. All inputs are in the processed format, with shared tables. Other
// profiles, in the Gecko format or older, are written in that format and read again.
// The loader of profiles has checked that its numbers of rows are in range.
struct MergeInput {
  std::string file;
  std::string label;  // what tells the processes of this input from those of other hosts
  JsonDocument document;
  ClockFacts clock;
  std::vector<ThreadUse> threads;
  std::vector<std::string> pids;  // one for each process
  size_t text_bytes = 0;          // of the file, unpacked

  JsonView profile() const { return ProfileRoot(document); }
};

// Reads a file of at most `most_bytes`, unpacked. An error does not name the file.
absl::StatusOr<MergeInput> ReadMergeInput(const std::string& file, size_t most_bytes);

// Returns a short name for each file. It is the name without folder and ending, such as "node7" for
// "run/node7.json.gz". If these are not all different, they have the name of the folder in front, and numbers if that
// does not help.
std::vector<std::string> LabelsOfFiles(std::span<const std::string> files);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGE_INPUT_H_
