#include "tools/processed_format/end_text.h"

#include <signal.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("signals have a shell's words and names") {
  CHECK(SignalDescription(SIGSEGV) == "Segmentation fault");
  CHECK(SignalDescription(SIGKILL) == "Killed");
  CHECK(SignalName(SIGABRT) == "SIGABRT");
  CHECK(SignalDescription(70) == "Signal 70");
  CHECK(SignalName(70) == "signal 70");
}

TEST_CASE("the cause of a crash") {
  ProcessProfile process;
  process.pid = 12;
  const auto cause = [&process](int signal, int code, uint64_t address) {
    process.crash = {.signal = signal, .code = code, .address = address, .sender = process.crash.sender};
    return CrashCause(process);
  };
  CHECK(cause(SIGSEGV, SEGV_ACCERR, 0x401000) == "the memory's protection forbids the access to address 0x401000");
  CHECK(cause(SIGFPE, FPE_INTDIV, 0x401000) == "integer division by zero at address 0x401000");
  CHECK(cause(SIGSEGV, SI_KERNEL, 0) == "an address that no memory can have");
  CHECK(cause(SIGSEGV, SI_USER, 12) == "sent by process 12");
  CHECK(cause(SIGABRT, SI_TKILL, 12).empty());
  CHECK(cause(SIGABRT, SI_TKILL, 13) == "sent by process 13");
  CHECK(cause(SIGSEGV, SI_TIMER, 3) == "sent by a timer or a message queue (code -2)");
  CHECK(cause(SIGSEGV, SI_QUEUE, 0) == "sent by a process that this one cannot see");
  process.crash.sender = "kill";
  CHECK(cause(SIGSEGV, SI_QUEUE, 12) == "sent by process 12 (kill)");
  CHECK(cause(SIGBUS, 77, 0x10) == "code 77 at address 0x10");  // of a later kernel
}

TEST_CASE("the end of a process: what is known best") {
  ProcessProfile process;
  process.end_reason = "alive";
  CHECK(EndText(process) == "alive");
  process.end_reason = "killed by signal 15";
  CHECK(EndText(process) == "Terminated");
  process.end_reason = "exited";
  CHECK(EndText(process) == "exited");
  process.exit.status = 0;
  CHECK(EndText(process) == "exit status 0");
  process.end_reason = "stopped";  // the recording, and not the process
  CHECK(EndText(process) == "stopped");
  process.threads.emplace_back().tid = 5;
  process.threads.back().name = "worker";
  process.pid = 5;
  process.crash = {.signal = SIGABRT, .code = SI_TKILL, .address = 5, .tid = 5};
  CHECK(EndText(process) == "Aborted of thread worker (5)");
  process.crash.tid = 6;
  CHECK(EndText(process) == "Aborted of thread 6");
}

}  // namespace
}  // namespace geckoprof
