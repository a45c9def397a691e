#include "tools/view/asm_answer.h"

#include <elf.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/disassemble/disassembler.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kMaxCodeBytes = 256 << 10;  // some 60,000 instructions: what a page can still show
constexpr uint64_t kMostAddress = uint64_t{1} << 56;

// A function's code, by addresses from the library's first mapped byte.
struct CodeRange {
  uint64_t start = 0, size_bytes = 0;
};

// What the request asks for; a function of unknown size is taken to the end that its symbol has.
CodeRange RangeOf(JsonView request, uint64_t start, uint64_t size_bytes, uint64_t first_svma,
                  const AddressSymbols* symbols) {
  const uint64_t svma = start + first_svma;
  if (request["continueUntilFunctionEnd"].IsTrue() && symbols != nullptr && symbols->start_svma <= svma) {
    const uint64_t skipped = svma - symbols->start_svma;
    if (symbols->size_bytes > skipped) size_bytes = std::max(size_bytes, symbols->size_bytes - skipped);
  }
  return {start, std::min(size_bytes, kMaxCodeBytes)};
}

// " ; memcpy" or " ; memcpy+0x10" for a jump out of the function; empty where nothing is known.
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
