#include "tools/disassemble/disassembler.h"

#include <capstone/capstone.h>

#include <utility>

#include "absl/status/status.h"

namespace geckoprof {
namespace {

// Where a jump or a call goes, if the instruction has the address itself.
std::optional<uint64_t> TargetOf(csh handle, const cs_insn& instruction, CodeArch arch) {
  if (instruction.id == 0 || instruction.detail == nullptr) return std::nullopt;  // data
  if (!cs_insn_group(handle, &instruction, CS_GRP_JUMP) && !cs_insn_group(handle, &instruction, CS_GRP_CALL)) {
    const bool is_branch_with_link = arch == CodeArch::kAarch64 && instruction.id == ARM64_INS_BL;  // in no group
    if (!is_branch_with_link) return std::nullopt;
  }
  if (arch == CodeArch::kX86_64) {
    const cs_x86& x86 = instruction.detail->x86;
    if (x86.op_count == 0 || x86.operands[0].type != X86_OP_IMM) return std::nullopt;
    return static_cast<uint64_t>(x86.operands[0].imm);
  }
  const cs_arm64& arm64 = instruction.detail->arm64;
  if (arm64.op_count == 0 || arm64.operands[arm64.op_count - 1].type != ARM64_OP_IMM) return std::nullopt;
  return static_cast<uint64_t>(arm64.operands[arm64.op_count - 1].imm);
}

void Append(csh handle, std::span<const uint8_t> code, uint64_t address, CodeArch arch,
            std::vector<CodeInstruction>* instructions) {
  cs_insn* instruction = cs_malloc(handle);
  if (instruction == nullptr) return;
  const uint8_t* at = code.data();
  size_t left_bytes = code.size();
  uint64_t here = address;
  while (cs_disasm_iter(handle, &at, &left_bytes, &here, instruction)) {
    std::string text = instruction->mnemonic;
    if (instruction->op_str[0] != '\0') text.append(" ").append(instruction->op_str);
    instructions->push_back({instruction->address - address, std::move(text), TargetOf(handle, *instruction, arch)});
  }
  cs_free(instruction, 1);
}

}  // namespace

absl::StatusOr<std::vector<CodeInstruction>> Disassemble(CodeArch arch, std::span<const uint8_t> code,
                                                         uint64_t address) {
  csh handle = 0;
  const cs_err error = arch == CodeArch::kX86_64 ? cs_open(CS_ARCH_X86, CS_MODE_64, &handle)
                                                 : cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle);
  if (error != CS_ERR_OK) return absl::InternalError(cs_strerror(error));
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  std::vector<CodeInstruction> instructions;
  Append(handle, code, address, arch, &instructions);
  cs_close(&handle);
  return instructions;
}

}  // namespace geckoprof
