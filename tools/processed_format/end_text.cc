#include "tools/processed_format/end_text.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kKilled = "killed by signal ";

struct Cause {
  int signal, code;
  std::string_view text;  // the address follows
};
constexpr Cause kCauses[] = {
    {SIGSEGV, SEGV_MAPERR, "no memory is mapped at address "},
    {SIGSEGV, SEGV_ACCERR, "the memory's protection forbids the access to address "},
    {SIGBUS, BUS_ADRALN, "wrong alignment of address "},
    {SIGBUS, BUS_ADRERR, "no page, as beyond the end of a mapped file, at address "},
    {SIGILL, ILL_ILLOPN, "illegal instruction at address "},
    {SIGILL, ILL_ILLOPC, "illegal instruction at address "},
    {SIGFPE, FPE_INTDIV, "integer division by zero at address "},
    {SIGFPE, FPE_FLTDIV, "floating-point division by zero at address "},
};

// The signal of an end reason like "killed by signal 9", or 0.
int SignalIn(std::string_view end_reason) {
  int signal = 0;
  if (end_reason.starts_with(kKilled)) {
    std::from_chars(end_reason.data() + kKilled.size(), end_reason.data() + end_reason.size(), signal);
  }
  return signal;
}

std::string ThreadText(const ProcessProfile& process, int32_t tid) {
  const auto thread = std::ranges::find_if(process.threads,
                                           [tid](const ThreadRow& row) { return row.tid == tid && !row.name.empty(); });
  return thread == process.threads.end() ? Concat("thread ", tid) : Concat("thread ", thread->name, " (", tid, ")");
}

// Only some codes of signals that a process caused have its number (sigaction(2)).
std::string SenderText(const CrashRow& crash) {
  const bool has_pid = crash.code == SI_USER || crash.code == SI_QUEUE || crash.code == SI_TKILL;
  if (!has_pid) return Concat("sent by a timer or a message queue (code ", crash.code, ")");
  if (crash.address == 0) return "sent by a process that this one cannot see";
  const std::string name = crash.sender.empty() ? "" : Concat(" (", crash.sender, ")");
  return Concat("sent by process ", static_cast<int32_t>(crash.address), name);
}

}  // namespace

std::string SignalDescription(int signal) {
  const char* const text = sigdescr_np(signal);
  return text != nullptr ? text : Concat("Signal ", signal);
}

std::string SignalName(int signal) {
  const char* const text = sigabbrev_np(signal);
  return text != nullptr ? Concat("SIG", text) : Concat("signal ", signal);
}

std::string ExitText(int status) { return Concat("exit status ", status); }

std::string CrashCause(const ProcessProfile& process) {
  const CrashRow& crash = process.crash;
  const bool is_own = crash.address == static_cast<uint64_t>(process.pid);
  if (crash.signal == SIGABRT && crash.code == SI_TKILL && is_own) return "";  // by abort(3)
  if (crash.code <= 0) return SenderText(crash);
  const auto cause = std::ranges::find_if(
      kCauses, [&crash](const Cause& known) { return known.signal == crash.signal && known.code == crash.code; });
  if (cause != std::end(kCauses)) return Concat(cause->text, GeckoAddressText(crash.address));
  if (crash.signal == SIGSEGV && crash.code == SI_KERNEL) return "an address that no memory can have";
  return Concat("code ", crash.code, " at address ", GeckoAddressText(crash.address));
}

std::string EndText(const ProcessProfile& process) {
  const CrashRow& crash = process.crash;
  if (crash.signal != 0) {
    const std::string cause = CrashCause(process);
    return Concat(SignalDescription(crash.signal), " of ", ThreadText(process, crash.tid), cause.empty() ? "" : ": ",
                  cause);
  }
  if (const int signal = SignalIn(process.end_reason); signal != 0) return SignalDescription(signal);
  if (process.end_reason == "exited" && process.exit.status >= 0) return ExitText(process.exit.status);
  return process.end_reason;
}

}  // namespace geckoprof
