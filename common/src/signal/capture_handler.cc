#include "geckoprof/signal/capture_handler.h"

#include <string.h>

#include "geckoprof/arch/cycle_counter.h"

namespace geckoprof {
namespace {

// Below the stack pointer a leaf function may keep data without moving it (System V ABI for x86-64, 3.2.2; harmless
// elsewhere).
constexpr uintptr_t kRedZoneBytes = 128;
constexpr uintptr_t kSmallestPage = 4096;

void CopyStack(CaptureBuffer& buffer) {
  const uintptr_t sp = buffer.registers.sp;
  const bool known = sp >= buffer.stack.low && sp < buffer.stack.high;
  // An unknown stack (a coroutine's): the page that sp lies in is surely mapped, the next one nobody vouches for.
  const uintptr_t end = known ? buffer.stack.high : (sp | (kSmallestPage - 1)) + 1;
  const uintptr_t from = known && sp - buffer.stack.low >= kRedZoneBytes ? sp - kRedZoneBytes : sp;
  const uintptr_t wanted = end - from;
  const uint32_t bytes = wanted < buffer.capacity_bytes ? static_cast<uint32_t>(wanted) : buffer.capacity_bytes;
  memcpy(buffer.stack_copy, reinterpret_cast<const void*>(from), bytes);
  buffer.copied_from = from;
  buffer.copied_bytes = bytes;
  buffer.unknown_stack = !known;
  buffer.reached_stack_end = known && bytes == wanted;
}

// Appends `text` up to `limit` bytes; returns the new end.
uint32_t AppendText(CaptureBuffer& buffer, uint32_t at, uint32_t limit, const char* text) {
  while (at < limit && *text != '\0') buffer.label_text[at++] = *text++;
  return at;
}

void CopyLabels(CaptureBuffer& buffer) {
  buffer.label_count = 0;
  buffer.labels_missing = 0;
  if (buffer.labels == nullptr) return;
  const uint32_t depth = buffer.labels->depth();
  uint32_t used = 0;
  uint32_t count = 0;
  const uint32_t stored = depth < ProfilingStack::kCapacity ? depth : ProfilingStack::kCapacity;
  for (; count < stored && count < CaptureBuffer::kMaxLabels; ++count) {
    const LabelFrame& frame = buffer.labels->frame(count);
    const uint32_t limit = used + CaptureBuffer::kMaxLabelBytes < CaptureBuffer::kLabelTextBytes
                               ? used + CaptureBuffer::kMaxLabelBytes
                               : CaptureBuffer::kLabelTextBytes;
    uint32_t end = AppendText(buffer, used, limit, frame.label);
    if (frame.dynamic != nullptr && frame.dynamic[0] != '\0') {
      if (end > used) end = AppendText(buffer, end, limit, " ");
      end = AppendText(buffer, end, limit, frame.dynamic);
    }
    buffer.label[count] = {frame.stack_address, frame.category_pair, static_cast<uint16_t>(used),
                           static_cast<uint16_t>(end - used)};
    used = end;
  }
  buffer.label_count = static_cast<uint8_t>(count);
  buffer.labels_missing = static_cast<uint16_t>(depth - count);
}

}  // namespace

bool CaptureSignalSafe(const CaptureTable& table, const siginfo_t& info, void* context) {
  const uint64_t begin_cycles = ReadCycleCounter();
  const int32_t pid = table.pid.load(std::memory_order_relaxed);
  if (info.si_code != SI_QUEUE || info.si_pid != pid || pid == 0) return false;
  const uint64_t value = reinterpret_cast<uint64_t>(info.si_value.sival_ptr);
  CaptureBuffer* const buffer = table.buffers[value & 0xff].load(std::memory_order_acquire);
  if (buffer == nullptr) return false;
  const uint64_t token = value >> 8;
  RepairInterruptedCall(context, table.own_syscall_return.load(std::memory_order_relaxed));
  if (buffer->word.load(std::memory_order_acquire) != MakeCaptureWord(token, CaptureState::kRequested)) return true;
  ReadInterruptedRegisters(context, buffer->registers);
  CopyStack(*buffer);
  CopyLabels(*buffer);
  buffer->begin_cycles = begin_cycles;
  buffer->end_cycles = ReadCycleCounter();
  buffer->word.store(MakeCaptureWord(token, CaptureState::kAnswered), std::memory_order_release);
  return true;
}

}  // namespace geckoprof
