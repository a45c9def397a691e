#ifndef GECKOPROF_TOOLS_DISASSEMBLE_DISASSEMBLER_H_
#define GECKOPROF_TOOLS_DISASSEMBLE_DISASSEMBLER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

enum class CodeArch : uint8_t { kX86_64, kAarch64 };

// One machine instruction.
struct CodeInstruction {
  uint64_t offset = 0;             // from the first byte of the code
  std::string text;                // "mov rax, rdi"; ".byte 0x06" for what is no instruction
  std::optional<uint64_t> target;  // the address that it jumps to or calls, where the code itself says it
};

// The instructions of `code`, whose first byte lies at `address`; x86 in Intel's syntax. Every byte is covered but
// those of a last instruction that is cut off, which is left out. The one place where Capstone is seen.
absl::StatusOr<std::vector<CodeInstruction>> Disassemble(CodeArch arch, std::span<const uint8_t> code,
                                                         uint64_t address);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_DISASSEMBLE_DISASSEMBLER_H_
