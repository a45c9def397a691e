// Random bytes as .eh_frame, .eh_frame_hdr, .debug_frame and stack. Nothing may be read outside them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "geckoprof/unwind/unwinder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace geckoprof;
  constexpr uint64_t kBias = 0x7f0000000000;
  constexpr uint64_t kStackAvma = 0x7ffe00000000;
  if (size < 8) return 0;
  // The first bytes say how the rest is divided and where in the code the thread is.
  uint16_t header_bytes, eh_frame_bytes, pc_offset;
  std::memcpy(&header_bytes, data, 2);
  std::memcpy(&eh_frame_bytes, data + 2, 2);
  std::memcpy(&pc_offset, data + 4, 2);
  data += 8;
  size -= 8;
  const size_t header_size = header_bytes % (size + 1);
  const size_t eh_frame_size = eh_frame_bytes % (size - header_size + 1);
  ModuleTable modules;
  auto module = Module::ForTest(1, {kBias, kBias + 0x100000}, kBias, {data, header_size, 0x1000},
                                {data + header_size, eh_frame_size, 0x1000 + header_size});
  // The same bytes serve as .debug_frame, for addresses that .eh_frame does not describe.
  module->SetDebugFrameForTest({data + header_size, eh_frame_size, 0, true});
  modules.AddForTest(std::move(module));
  Unwinder unwinder(modules);
  const size_t rest = header_size + eh_frame_size;
  const StackView stack{data + rest, kStackAvma, size - rest};
  Registers registers = Registers::FromPcAndSp(kBias + pc_offset, kStackAvma);
  registers.known = Registers::kAllKnown;
  UnwoundFrame frames[64];
  unwinder.Unwind(registers, stack, frames);
  return 0;
}
