// Reads files with names of code made at run time. The input is a perf map and a jitdump. It also chooses the places at
// which a good jitdump is changed.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tools/symbols/jit_map.h"

namespace {

using namespace geckoprof;

template <typename Word>
void Put(std::string* bytes, std::initializer_list<Word> words) {
  for (const Word word : words) bytes->append(reinterpret_cast<const char*>(&word), sizeof(word));
}

std::string JitdumpHeader() {
  std::string bytes;
  Put<uint32_t>(&bytes, {0x4a695444, 1, 40, 62, 0, 1});
  Put<uint64_t>(&bytes, {0, 0});
  return bytes;
}

std::string GoodJitdump() {
  std::string bytes = JitdumpHeader();
  for (uint64_t i = 0; i < 8; ++i) {
    const std::string name = "code" + std::to_string(i);
    Put<uint32_t>(&bytes, {0, static_cast<uint32_t>(56 + name.size() + 1)});
    Put<uint64_t>(&bytes, {i * 10, 0, 0x1000, 0x1000 + i * 16, 64, i});
    bytes.append(name).push_back('\0');
    Put<uint32_t>(&bytes, {1, 64});
    Put<uint64_t>(&bytes, {i * 10 + 5, 0, 0, 0x1000 + i * 16, 0x2000 - i * 8, 64, i});
  }
  return bytes;
}

void Read(std::string_view bytes) {
  const Fd file(memfd_create("jit-map", MFD_CLOEXEC));
  if (write(file.number(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  const std::vector<FileGrowth> growth = {{10, bytes.size() / 3}, {20, bytes.size() / 2}, {30, bytes.size() / 4}};
  const auto map = JitMap::OfFile(file, growth);
  if (map == nullptr) return;
  for (uint64_t avma = 0xf80; avma < 0x2100; avma += 24) {
    const bool has_several = map->HasSeveral(avma);
    const std::string_view last = map->Find(avma).name;
    for (int64_t time_ns = -5; time_ns < 90; time_ns += 30) {
      const JitMap::Function found = map->Find(avma, time_ns);
      const bool covers = avma - found.start_avma < found.size_bytes || found.size_bytes == 0;
      if (!covers || (!has_several && found.name != last)) __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kGood = GoodJitdump();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Read(input);
  Read(JitdumpHeader().append(input));
  std::string changed = kGood;
  for (size_t i = 0; i + 2 < size && i < 24; i += 3) {
    changed[(data[i] | size_t{data[i + 1]} << 8) % changed.size()] = static_cast<char>(data[i + 2]);
  }
  Read(changed);
  return 0;
}
