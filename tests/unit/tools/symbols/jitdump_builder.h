#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_JITDUMP_BUILDER_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_JITDUMP_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {

// JitdumpBuilder makes the bytes of a jitdump file.
class JitdumpBuilder {
 public:
  explicit JitdumpBuilder(uint64_t flags = 0) {
    Words32({0x4a695444, 1, 40, 62, 0, 1234});
    Words64({0, flags});
  }

  void Load(uint64_t time_ns, uint64_t avma, uint64_t code_bytes, uint64_t number, std::string_view name) {
    Record(0, static_cast<uint32_t>(56 + name.size() + 1 + code_bytes), time_ns);
    Words32({1234, 1234});
    Words64({avma, avma, code_bytes, number});
    bytes.append(name).push_back('\0');
    bytes.append(code_bytes, '\x90');
  }
  void Move(uint64_t time_ns, uint64_t from, uint64_t to, uint64_t code_bytes, uint64_t number) {
    Record(1, 64, time_ns);
    Words32({1234, 1234});
    Words64({to, from, to, code_bytes, number});
  }
  // A record of another kind.
  void Other(uint32_t id, uint64_t time_ns) {
    Record(id, 32, time_ns);
    Words64({0, 0});
  }

  std::string bytes;

 private:
  void Record(uint32_t id, uint32_t size_bytes, uint64_t time_ns) {
    Words32({id, size_bytes});
    Words64({time_ns});
  }
  void Words32(std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words) bytes += BytesOf(word);
  }
  void Words64(std::initializer_list<uint64_t> words) {
    for (const uint64_t word : words) bytes += BytesOf(word);
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLS_JITDUMP_BUILDER_H_
