#ifndef GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {

// A row of a Gecko profile's `libs`.
struct GeckoLibrary {
  uint64_t start_avma = 0;
  uint64_t end_avma = 0;
  uint64_t offset = 0;  // relative address = avma - (start - offset)
  std::string name;
  int32_t row = -1;  // of the model's libraries, where they are kept
};

// GeckoLocation is the meaning of a frame's location string of the Gecko format.
struct GeckoLocation {
  std::string name;
  std::string library;   // empty: none or unknown
  int64_t address = -1;  // relative, of an address without a symbol; -1: none
  int32_t row = -1;      // GeckoLibrary::row
};

// `libraries` are in order of start_avma.
//
//   "0x7f7971cf1c15"               {"libxul.so+0x1c15", "libxul.so", 0x1c15}  an address without a symbol; alone where
//   no
//                                                                     library has it
//   "Run() (in libdemo.so) + 4"    {"Run()", "libdemo.so"}
//   "tick (file:///a.js:1:2)[7]"   {"tick (file:///a.js:1:2)", ""}    the number of the source is taken off
GeckoLocation ParseGeckoLocation(std::string_view location, const std::vector<GeckoLibrary>& libraries);

// GeckoLoader: reads a profile of the Gecko format (as Firefox and our libraries write it) into a ProfileModel.
// Subprocesses are whole profiles one level below; their times are shifted to the parent's, category numbers are the
// parent's. Threads:   one. An object reads one profile.
class GeckoLoader {
 public:
  // `text_bytes` is ModelBuilder's.
  explicit GeckoLoader(ProfileModel* model, ProfileDetail detail = ProfileDetail::kSummary, size_t text_bytes = 0)
      : builder_(model, detail, text_bytes), marker_data_(&builder_) {}

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
  std::vector<GeckoLibrary> libraries_;                        // of the process being read
  absl::flat_hash_map<std::string, int32_t> named_libraries_;  // GeckoLibrary::row by name
  bool is_firefox_ = false;                                    // the process being read
};

// Returns true if Firefox wrote the profile of this process.
bool IsFirefoxProfile(JsonView profile);

// Returns the name of a thread as readers want it. The format calls each main thread kMainThreadName. Outside Firefox
// it is shown by the name of its process, if that is known.
std::string_view ShownThreadName(JsonView thread, bool is_firefox);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_GECKO_LOADER_H_
