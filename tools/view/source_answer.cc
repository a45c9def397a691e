#include "tools/view/source_answer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/text/concat.h"
#include "tools/view/source_text.h"

namespace geckoprof {

bool SourceAnswer::IsName(std::string_view name, const std::string& file) {
  return name == file || (!sources_.empty() && sources_.Find(name) == file);
}

bool SourceAnswer::IsNamed(const ProfileLibraries::Library& library, uint64_t address, const std::string& file) {
  const AddressSymbols* found = symbolizer_.FindRelative(library.path, library.build_id, address);
  if (found != nullptr && std::any_of(found->frames.begin(), found->frames.end(),
                                      [&](const SymbolFrame& frame) { return IsName(frame.file, file); })) {
    return true;
  }
  const auto [entry, is_new] = files_.try_emplace(&library);
  SymbolModule* module = is_new ? symbolizer_.Module(library.path, library.build_id) : nullptr;
  if (module != nullptr) {
    for (std::string& name : module->SourceFiles()) {
      if (!sources_.empty()) entry->second.insert(sources_.Find(name));
      entry->second.insert(std::move(name));
    }
  }
  return entry->second.contains(file);
}

ApiAnswer SourceAnswer::Answer(JsonView request) {
  const std::optional<uint64_t> address = ParseApiNumber(request["moduleOffset"].AsString());
  const std::string file(request["file"].AsString());
  if (!address || file.empty()) return ApiError("the request is not one of /source/v1", 400);
  const ProfileLibraries::Library* library =
      libraries_.Find(request["debugName"].AsString(), request["debugId"].AsString());
  if (library == nullptr) return ApiError("the profile has no such library");
  if (!IsNamed(*library, *address, file)) return ApiError("the debug information of this library names no such file");
  absl::StatusOr<std::string> text = ReadSourceText(sources_.Find(file));
  if (!text.ok() && !sources_.empty()) text = ReadSourceText(file);  // its name is the one that it has here
  if (!text.ok()) return ApiError(std::string(text.status().message()));
  return ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StringProperty("source", *text);
    writer.EndObject();
  });
}

}  // namespace geckoprof
