#include "tools/view/profile_libraries.h"

#include "tools/symbolicate/library_symbols.h"

namespace geckoprof {

ProfileLibraries::ProfileLibraries(JsonView profile) { AddProcess(profile); }

const ProfileLibraries::Library* ProfileLibraries::Find(std::string_view debug_name,
                                                        std::string_view breakpad_id) const {
  const auto found = libraries_.find({std::string(debug_name), std::string(breakpad_id)});
  return found != libraries_.end() ? &found->second : nullptr;
}

void ProfileLibraries::Add(JsonView libs) {
  for (size_t i = 0; i < libs.size(); ++i) {
    const SharedTables::Lib lib = ReadLib(libs.At(i));
    if (lib.debug_name.empty() || lib.breakpad_id.empty()) continue;  // the viewer does not ask for these
    const std::string& path = !lib.path.empty() ? lib.path : lib.debug_path;
    libraries_.try_emplace({lib.debug_name, lib.breakpad_id}, Library{path.empty() ? lib.name : path, BuildIdOf(lib)});
  }
}

// The document's own limit of nesting bounds this.
void ProfileLibraries::AddProcess(JsonView profile) {
  Add(profile["libs"]);
  const JsonView processes = profile["processes"];
  for (size_t i = 0; i < processes.size(); ++i) AddProcess(processes.At(i));
}

}  // namespace geckoprof
