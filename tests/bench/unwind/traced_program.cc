#include "traced_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace geckoprof {

namespace {

constexpr size_t kMaxStackBytes = 512 * 1024;

Registers FromUser(const user_regs_struct& user) {
  Registers registers;
  const unsigned long long values[kDwarfRegisterCount] = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
                                                          user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
                                                          user.r12, user.r13, user.r14, user.r15, user.rip};
  for (size_t i = 0; i < kDwarfRegisterCount; ++i) registers.Set(i, values[i]);
  return registers;
}

}  // namespace

std::string ReadMaps(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TracedProgram::TracedProgram(const std::vector<std::string>& arguments) {
  int gate[2];
  if (pipe(gate) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) {
    char byte;
    (void)!read(gate[0], &byte, 1);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    close(gate[0]);
    close(gate[1]);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, pid_, nullptr, options) != 0) std::perror("PTRACE_SEIZE");
  threads_.push_back({pid_, false});
  (void)!write(gate[1], "x", 1);
  close(gate[0]);
  close(gate[1]);
  // The first stop is the exec: nothing of the program has run yet.
  int status = 0;
  waitpid(pid_, &status, __WALL);
  Handle(pid_, status);
}

TracedProgram::~TracedProgram() {
  kill(pid_, SIGKILL);
  for (const Thread& thread : threads_)
    ptrace(PTRACE_CONT, thread.tid, nullptr, nullptr);  // those stopped at their exit
  int status = 0;
  while (waitpid(pid_, &status, __WALL) == pid_ && !WIFEXITED(status) && !WIFSIGNALED(status)) {
    ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
  }
}

TracedProgram::Thread* TracedProgram::Find(pid_t tid) {
  for (Thread& thread : threads_) {
    if (thread.tid == tid) return &thread;
  }
  threads_.push_back({tid, false});
  return &threads_.back();
}

void TracedProgram::Handle(pid_t tid, int status) {
  if (WIFEXITED(status) || WIFSIGNALED(status)) {
    std::erase_if(threads_, [&](const Thread& thread) { return thread.tid == tid; });
    if (tid == pid_) alive_ = false;
    return;
  }
  Find(tid)->stopped = true;
  const int event = status >> 16;
  if (event == PTRACE_EVENT_EXIT) {
    if (tid == pid_) {
      alive_ = false;
    } else {
      std::erase_if(threads_, [&](const Thread& thread) { return thread.tid == tid; });
      ptrace(PTRACE_CONT, tid, nullptr, nullptr);
    }
  } else if (event == 0) {
    // A signal for the program: delivered, not sampled here.
    ptrace(PTRACE_CONT, tid, nullptr, WSTOPSIG(status));
    Find(tid)->stopped = false;
  }
}

void TracedProgram::Resume() {
  for (Thread& thread : threads_) {
    if (thread.stopped) ptrace(PTRACE_CONT, thread.tid, nullptr, nullptr);
    thread.stopped = false;
  }
}

void TracedProgram::Stop() {
  for (const Thread& thread : threads_) {
    if (!thread.stopped) ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr);
  }
  while (alive_ && std::any_of(threads_.begin(), threads_.end(), [](const Thread& t) { return !t.stopped; })) {
    int status = 0;
    const pid_t tid = waitpid(-1, &status, __WALL);
    if (tid < 0) break;
    Handle(tid, status);
  }
}

bool TracedProgram::RunAndSample(unsigned run_us, ModuleTable& modules, std::vector<StackSample>& samples) {
  if (!alive_) return false;
  Resume();
  usleep(run_us);
  int status = 0;
  for (pid_t tid; alive_ && (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) Handle(tid, status);
  Stop();
  if (!alive_) return false;
  modules.Refresh(ReadMaps(pid_), 0);
  for (const Thread& thread : threads_) Sample(thread.tid, modules, samples);
  return true;
}

bool TracedProgram::SingleStep(ModuleTable& modules, StackSample& sample, bool refresh) {
  int status = 0;
  if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) != 0 || waitpid(pid_, &status, __WALL) != pid_ ||
      !WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXIT) {
    return false;
  }
  if (refresh) modules.Refresh(ReadMaps(pid_), 0);
  std::vector<StackSample> samples;
  Sample(pid_, modules, samples);
  if (samples.empty()) return false;
  sample = std::move(samples[0]);
  return true;
}

void TracedProgram::Sample(pid_t tid, const ModuleTable& modules, std::vector<StackSample>& samples) const {
  user_regs_struct user;
  if (ptrace(PTRACE_GETREGS, tid, nullptr, &user) != 0) return;
  StackSample sample;
  sample.registers = FromUser(user);
  sample.base_avma = user.rsp;
  const uint64_t end = modules.StackRegionEnd(user.rsp);
  if (end <= user.rsp) return;
  sample.bytes.resize(std::min<size_t>(end - user.rsp, kMaxStackBytes));
  if (modules.memory().Read(sample.base_avma, sample.bytes)) samples.push_back(std::move(sample));
}

}  // namespace geckoprof
