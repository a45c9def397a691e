#include "tools/record/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>

#include <cstring>
#include <span>

#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

constexpr size_t kFirstBytes = 256;           // the kernel reads as much of a script's first line
constexpr uint16_t kMaxProgramHeaders = 512;  // real programs have about 13

bool HasByte(const Fd& file, uint64_t offset) {
  uint8_t byte = 0;
  return offset <= INT64_MAX && file.ReadAt(offset, {&byte, 1}) == 1;
}

// The path in PT_INTERP, or empty. False: the headers point out of the file, or its end is missing.
bool ReadInterpreter(const Fd& file, const Elf64_Ehdr& header, std::string& interpreter) {
  if (header.e_phnum == 0) return true;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxProgramHeaders) return false;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t offset = header.e_phoff + uint64_t{i} * sizeof(segment);
    if (header.e_phoff > INT64_MAX - (1 << 20)) return false;
    const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(&segment), sizeof(segment));
    if (file.ReadAt(offset, bytes) != static_cast<int64_t>(sizeof(segment))) return false;
    const bool is_loaded = segment.p_type == PT_LOAD && segment.p_filesz > 0;
    if (is_loaded && !HasByte(file, segment.p_offset + segment.p_filesz - 1)) return false;
    if (segment.p_type != PT_INTERP || !interpreter.empty()) continue;
    if (segment.p_filesz < 2 || segment.p_filesz > PATH_MAX || segment.p_offset > INT64_MAX - PATH_MAX) return false;
    std::string path(segment.p_filesz, '\0');
    const std::span<uint8_t> out(reinterpret_cast<uint8_t*>(path.data()), path.size());
    if (file.ReadAt(segment.p_offset, out) != static_cast<int64_t>(path.size())) return false;
    interpreter = path.c_str();  // up to the first zero
    if (interpreter.empty()) return false;
  }
  return true;
}

}  // namespace

ElfProgram ElfProgram::Read(const std::string& path) {
  ElfProgram program;
  const Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (!file.ok()) return program;
  program.first_bytes.resize(kFirstBytes);
  const int64_t got = file.ReadAt(0, {reinterpret_cast<uint8_t*>(program.first_bytes.data()), kFirstBytes});
  if (got < 0) return program;
  program.first_bytes.resize(static_cast<size_t>(got));
  program.kind = Kind::kNotElf;
  if (!program.first_bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) return program;

  program.kind = Kind::kDamaged;
  if (program.first_bytes.size() < EI_NIDENT + 2 * sizeof(uint16_t)) return program;
  program.is_64_bit = program.first_bytes[EI_CLASS] == ELFCLASS64;
  program.is_little_endian = program.first_bytes[EI_DATA] == ELFDATA2LSB;
  if (program.is_little_endian) {  // e_machine lies at the same place in both classes
    std::memcpy(&program.machine, program.first_bytes.data() + offsetof(Elf64_Ehdr, e_machine), sizeof(uint16_t));
  }
  if (!program.is_64_bit || !program.is_little_endian) {
    program.kind = Kind::kElf;
    return program;
  }
  if (program.first_bytes.size() < sizeof(Elf64_Ehdr)) return program;
  Elf64_Ehdr header;
  std::memcpy(&header, program.first_bytes.data(), sizeof(header));
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return program;
  if (ReadInterpreter(file, header, program.interpreter)) program.kind = Kind::kElf;
  return program;
}

}  // namespace geckoprof
