#include "tools/record/crash_keeper.h"

#include <unistd.h>

#include <algorithm>

namespace geckoprof {
namespace {

std::array<char, 1000> g_text;
size_t g_text_bytes = 0;
int g_status = 0;
alignas(16) std::array<char, 64 * 1024> g_stack;  // a signal's frame may take 12 KiB (AMX)

void TellAndEnd(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, g_text.data(), g_text_bytes);
  _exit(g_status);
}

}  // namespace

CrashKeeper::CrashKeeper(std::string_view text, int status) {
  g_text_bytes = std::min(text.size(), g_text.size());
  std::copy_n(text.begin(), g_text_bytes, g_text.begin());
  g_status = status;
  const stack_t stack = {.ss_sp = g_stack.data(), .ss_flags = 0, .ss_size = g_stack.size()};
  sigaltstack(&stack, &stack_before_);
  struct sigaction action = {};
  action.sa_handler = &TellAndEnd;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

CrashKeeper::~CrashKeeper() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
}

}  // namespace geckoprof
