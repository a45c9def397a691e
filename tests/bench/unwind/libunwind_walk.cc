#include "libunwind_walk.h"

#include <libunwind-ptrace.h>

#include <cstring>

namespace geckoprof {

LibunwindWalk* LibunwindWalk::current_ = nullptr;

LibunwindWalk::LibunwindWalk(pid_t pid) : memory_(pid), accessors_(_UPT_accessors), process_(_UPT_create(pid)) {
  accessors_.access_mem = ReadWord;
  accessors_.access_reg = ReadRegister;
  space_ = unw_create_addr_space(&accessors_, 0);
  unw_set_caching_policy(space_, UNW_CACHE_GLOBAL);
}

LibunwindWalk::~LibunwindWalk() {
  unw_destroy_addr_space(space_);
  _UPT_destroy(process_);
}

void LibunwindWalk::Flush() { unw_flush_cache(space_, 0, 0); }

int LibunwindWalk::ReadWord(unw_addr_space_t, unw_word_t avma, unw_word_t* value, int write, void*) {
  if (write != 0) return -UNW_EINVAL;
  uint64_t word = 0;
  if (current_->sample_->View().ReadWord(avma, word)) {
    *value = word;
    return 0;
  }
  uint8_t bytes[sizeof *value];
  if (!current_->memory_.Read(avma, bytes)) return -UNW_EINVAL;
  std::memcpy(value, bytes, sizeof bytes);
  return 0;
}

int LibunwindWalk::ReadRegister(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write, void*) {
  // libunwind numbers the general registers as DWARF does.
  if (write != 0 || number < 0 || static_cast<size_t>(number) >= kDwarfRegisterCount) return -UNW_EBADREG;
  *value = current_->sample_->registers.values[number];
  return 0;
}

size_t LibunwindWalk::Walk(const StackSample& sample, std::span<UnwoundFrame> out, int& last_error) {
  sample_ = &sample;
  current_ = this;
  unw_cursor_t cursor;
  last_error = unw_init_remote(&cursor, space_, process_);
  if (last_error != 0) return 0;
  size_t count = 0;
  bool interrupted = false;
  while (count < out.size()) {
    unw_word_t ip = 0;
    unw_word_t sp = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &ip);
    unw_get_reg(&cursor, UNW_REG_SP, &sp);
    if (ip == 0) break;
    out[count++] = {ip + (interrupted ? 1 : 0), sp};
    last_error = unw_step(&cursor);
    // libunwind says of the interrupted frame, not of the trampoline, that it is a signal frame.
    interrupted = unw_is_signal_frame(&cursor) > 0;
    if (interrupted && count > 1) ++out[count - 1].address;  // see UnwoundFrame
    if (last_error <= 0) break;
  }
  return count;
}

}  // namespace geckoprof
