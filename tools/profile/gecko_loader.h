#ifndef GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/profile/gecko_location.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {

// GeckoLoader: reads a profile of the Gecko format (as Firefox and our libraries write it) into a ProfileModel.
// Subprocesses are whole profiles one level below; their times are shifted to the parent's, category numbers are the
// parent's. Threads:   one. An object reads one profile.
class GeckoLoader {
 public:
  explicit GeckoLoader(ProfileModel* model, ProfileDetail detail = ProfileDetail::kSummary)
      : builder_(model, detail), marker_data_(&builder_) {}

  absl::Status Load(JsonView profile);

 private:
  absl::Status LoadProcess(JsonView profile, double shift_ms, const JsonPath& path);
  absl::Status LoadLibraries(JsonView profile, const JsonPath& path);
  absl::Status LoadThread(JsonView thread, const JsonPath& path);
  absl::Status LoadFrames(JsonView thread, const JsonPath& path);
  absl::Status LoadStacks(JsonView thread, const JsonPath& path);
  absl::Status LoadSamples(JsonView thread, const JsonPath& path, ProfileThread* out);
  absl::Status LoadMarkers(JsonView thread, const JsonPath& path, ProfileThread* out);
  void LoadLog(JsonView log);
  ProfileFrame FullFrame(const GeckoLocation& parsed);

  ModelBuilder builder_;
  MarkerDataLoader marker_data_;
  std::vector<GeckoLibrary> libraries_;  // of the process being read
  bool is_firefox_ = false;              // the process being read
};

// Returns true if Firefox wrote the profile of this process.
bool IsFirefoxProfile(JsonView profile);

// Returns the name of a thread as readers want it. The format calls each main thread kMainThreadName. Outside Firefox
// it is shown by the name of its process, if that is known.
std::string_view ShownThreadName(JsonView thread, bool is_firefox);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_
