#include "tools/view/symbolicate_answer.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostFrames = 100'000;  // of one request; the viewer asks for a tenth at a time

// A library of a job.
struct Module {
  std::string_view debug_name, breakpad_id;
  const ProfileLibraries::Library* library = nullptr;  // null: not of this profile
  SymbolModule* symbols = nullptr;                     // null: none
};

class JobAnswer {
 public:
  JobAnswer(const ProfileLibraries& libraries, Symbolizer& symbolizer, size_t* frames_left, JsonWriter& writer)
      : libraries_(libraries), symbolizer_(symbolizer), frames_left_(frames_left), writer_(writer) {}

  // False: it makes no sense, or asks for too much.
  bool Write(JsonView job) {
    if (!job["memoryMap"].IsArray() || !job["stacks"].IsArray()) return false;
    writer_.StartObject();
    const bool is_sound = WriteModules(job["memoryMap"]) && WriteStacks(job["stacks"]);
    writer_.EndObject();
    return is_sound;
  }

 private:
  bool WriteModules(JsonView memory_map) {
    absl::flat_hash_set<std::string> told;
    writer_.StartObjectProperty("found_modules");
    for (size_t i = 0; i < memory_map.size(); ++i) {
      const JsonView names = memory_map.At(i);
      if (!names.At(0).IsString() || !names.At(1).IsString()) return false;
      Module module{names.At(0).AsString(), names.At(1).AsString()};
      module.library = libraries_.Find(module.debug_name, module.breakpad_id);
      if (module.library != nullptr) {
        module.symbols = symbolizer_.Module(module.library->path, module.library->build_id);
      }
      const std::string key = Concat(module.debug_name, "/", module.breakpad_id);
      if (told.insert(key).second) writer_.BoolProperty(key, module.symbols != nullptr);
      modules_.push_back(module);
    }
    writer_.EndObject();
    return true;
  }

  bool WriteStacks(JsonView stacks) {
    writer_.StartArrayProperty("stacks");
    for (size_t i = 0; i < stacks.size(); ++i) {
      const JsonView stack = stacks.At(i);
      if (!stack.IsArray()) return false;
      writer_.StartArray();
      for (size_t number = 0; number < stack.size(); ++number) {
        if (!WriteFrame(number, stack.At(number))) return false;
      }
      writer_.EndArray();
    }
    writer_.EndArray();
    return true;
  }

  bool WriteFrame(size_t number, JsonView frame) {
    if ((*frames_left_)-- == 0) return false;
    const std::optional<int64_t> module_number = frame.At(0).AsInteger(), address = frame.At(1).AsInteger();
    if (!module_number || !address || *module_number < 0 || *address < 0) return false;
    if (static_cast<uint64_t>(*module_number) >= modules_.size()) return false;
    const Module& module = modules_[static_cast<size_t>(*module_number)];
    writer_.StartObject();
    writer_.UintProperty("frame", number);
    writer_.StringProperty("module", module.debug_name);
    writer_.StringProperty("module_offset", ApiNumber(static_cast<uint64_t>(*address)));
    if (module.symbols != nullptr) WriteSymbols(module, static_cast<uint64_t>(*address));
    writer_.EndObject();
    return true;
  }

  void WriteSymbols(const Module& module, uint64_t address) {
    const AddressSymbols* found = symbolizer_.FindRelative(module.library->path, module.library->build_id, address);
    if (found == nullptr) return;
    const uint64_t svma = address + module.symbols->first_mapped_svma();
    writer_.StringProperty("function", found->symbol);
    writer_.StringProperty("function_offset", ApiNumber(svma >= found->start_svma ? svma - found->start_svma : 0));
    if (found->size_bytes != 0) writer_.StringProperty("function_size", ApiNumber(found->size_bytes));
    WriteLine(found->frames[0]);
    if (found->frames.size() < 2) return;
    writer_.StartArrayProperty("inlines");
    for (size_t i = found->frames.size(); i-- > 1;) {
      writer_.StartObject();
      writer_.StringProperty("function", found->frames[i].name);
      WriteLine(found->frames[i]);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void WriteLine(const SymbolFrame& frame) {
    if (!frame.file.empty()) writer_.StringProperty("file", frame.file);
    if (frame.line != 0) writer_.UintProperty("line", frame.line);
  }

  const ProfileLibraries& libraries_;
  Symbolizer& symbolizer_;
  size_t* const frames_left_;
  JsonWriter& writer_;
  std::vector<Module> modules_;
};

}  // namespace

ApiAnswer AnswerSymbolicate(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer) {
  const JsonView jobs = request["jobs"];
  bool is_sound = true;
  size_t frames_left = kMostFrames;
  ApiAnswer answer = ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StartArrayProperty("results");
    const size_t count = jobs.IsArray() ? jobs.size() : 1;  // a job may stand alone
    for (size_t i = 0; i < count && is_sound; ++i) {
      is_sound = JobAnswer(libraries, symbolizer, &frames_left, writer).Write(jobs.IsArray() ? jobs.At(i) : request);
    }
    writer.EndArray();
    writer.EndObject();
  });
  if (!is_sound) return ApiError("the request is not one of /symbolicate/v5", 400);
  return answer;
}

}  // namespace geckoprof
