#include "tools/view/api_answer.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/disassemble/disassembler.h"
#include "tools/text/concat.h"

namespace geckoprof {

ApiAnswer ApiError(std::string_view what, int status) {
  ApiAnswer answer = ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StringProperty("error", what);
    writer.EndObject();
  });
  answer.status = status;
  return answer;
}

ApiAnswer ApiResult(const std::function<void(JsonWriter& writer)>& write) {
  ApiAnswer answer;
  JsonWriter writer(StringSink(&answer.body));
  write(writer);
  if (!writer.Finish()) return {500, R"({"error":"internal error"})"};
  return answer;
}

std::optional<uint64_t> ParseApiNumber(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string ApiNumber(uint64_t number) { return "0x" + HexText(number); }

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

namespace {

constexpr uint64_t kMaxCodeBytes = 256 << 10;  // some 60,000 instructions: what a page can still show
constexpr uint64_t kMostAddress = uint64_t{1} << 56;

// A function's code, by addresses from the library's first mapped byte.
struct CodeRange {
  uint64_t start = 0, size_bytes = 0;
};

// Returns the code that the request asks for. A function of unknown size goes to the end of its symbol.
CodeRange RangeOf(JsonView request, uint64_t start, uint64_t size_bytes, uint64_t first_svma,
                  const AddressSymbols* symbols) {
  const uint64_t svma = start + first_svma;
  if (request["continueUntilFunctionEnd"].IsTrue() && symbols != nullptr && symbols->start_svma <= svma) {
    const uint64_t skipped = svma - symbols->start_svma;
    if (symbols->size_bytes > skipped) size_bytes = std::max(size_bytes, symbols->size_bytes - skipped);
  }
  return {start, std::min(size_bytes, kMaxCodeBytes)};
}

// Returns the target of a jump out of the function, such as "memcpy" or "memcpy+0x10" behind a semicolon. The text is
// empty if nothing is known.
std::string TargetNote(uint64_t target, const CodeRange& code, const ProfileLibraries::Library& library,
                       uint64_t first_svma, Symbolizer& symbolizer) {
  if (target >= code.start && target - code.start < code.size_bytes) return "";
  const AddressSymbols* found = symbolizer.FindRelative(library.path, library.build_id, target);
  if (found == nullptr || target + first_svma < found->start_svma) return "";
  const uint64_t offset = target + first_svma - found->start_svma;
  return Concat(" ; ", found->symbol, offset != 0 ? "+" + ApiNumber(offset) : "");
}

}  // namespace

ApiAnswer AnswerAsm(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer) {
  const std::optional<uint64_t> start = ParseApiNumber(request["startAddress"].AsString());
  const std::optional<uint64_t> size_bytes = ParseApiNumber(request["size"].AsString());
  if (!start || !size_bytes || *start >= kMostAddress) return ApiError("the request is not one of /asm/v1", 400);
  const ProfileLibraries::Library* library =
      libraries.Find(request["debugName"].AsString(), request["debugId"].AsString());
  if (library == nullptr) return ApiError("the profile has no such library");
  const SymbolModule* module = symbolizer.Module(library->path, library->build_id);
  if (module == nullptr) return ApiError(Concat("the file that was recorded is not here: ", library->path));
  const int machine = module->Machine();
  if (machine != EM_X86_64 && machine != EM_AARCH64) return ApiError("machine code of this processor is not known");

  const uint64_t first_svma = module->first_mapped_svma();
  const AddressSymbols* symbols = symbolizer.FindRelative(library->path, library->build_id, *start);
  CodeRange range = RangeOf(request, *start, *size_bytes, first_svma, symbols);
  const std::vector<uint8_t> code = module->Code(*start + first_svma, range.size_bytes);
  if (code.empty()) return ApiError("there is no code at this address");
  range.size_bytes = code.size();
  const CodeArch arch = machine == EM_X86_64 ? CodeArch::kX86_64 : CodeArch::kAarch64;
  const absl::StatusOr<std::vector<CodeInstruction>> instructions = Disassemble(arch, code, *start);
  if (!instructions.ok()) return ApiError(std::string(instructions.status().message()), 500);

  return ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StringProperty("startAddress", ApiNumber(*start));
    writer.StringProperty("size", ApiNumber(range.size_bytes));
    writer.StringProperty("arch", arch == CodeArch::kX86_64 ? "x86_64" : "arm64");
    writer.StartArrayProperty("syntax");
    writer.String(arch == CodeArch::kX86_64 ? "Intel" : "ARM");
    writer.EndArray();
    writer.StartArrayProperty("instructions");
    for (const CodeInstruction& instruction : *instructions) {
      const std::string note =
          instruction.target ? TargetNote(*instruction.target, range, *library, first_svma, symbolizer) : "";
      writer.StartArray();
      writer.Uint(instruction.offset);
      writer.String(instruction.text + note);
      writer.EndArray();
    }
    writer.EndArray();
    writer.EndObject();
  });
}

}  // namespace geckoprof
