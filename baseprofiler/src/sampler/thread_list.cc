#include "sampler/thread_list.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/directory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/base/thread_name.h"
#include "process/process_control.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/status_field.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

namespace {

constexpr size_t kFirstRows = 64;

}  // namespace

// The kernel gives ids in sequence. The hash puts neighbouring ids far from each other.
size_t SampledThreadMap::FindRow(ThreadId tid) const {
  const uint64_t mixed = static_cast<uint32_t>(tid.ToNumber()) * uint64_t{0x9e3779b97f4a7c15};
  return static_cast<size_t>(mixed >> 32) & (rows_.size() - 1);
}

SampledThread* SampledThreadMap::Find(ThreadId tid) const {
  if (rows_.empty()) return nullptr;
  size_t row = FindRow(tid);
  while (rows_[row] != nullptr && rows_[row]->tid != tid) row = NextRow(row);
  return rows_[row];
}

void SampledThreadMap::Insert(SampledThread* thread) {
  size_t row = FindRow(thread->tid);
  while (rows_[row] != nullptr) row = NextRow(row);
  rows_[row] = thread;
}

void SampledThreadMap::Add(SampledThread* thread) {
  if (2 * (count_ + 1) > rows_.size()) {
    std::vector<SampledThread*> before(rows_.empty() ? kFirstRows : 2 * rows_.size());
    std::swap(before, rows_);
    for (SampledThread* const moved : before) {
      if (moved != nullptr) Insert(moved);
    }
  }
  Insert(thread);
  ++count_;
}

void SampledThreadMap::Remove(ThreadId tid) {
  size_t free = FindRow(tid);
  while (rows_[free]->tid != tid) free = NextRow(free);
  rows_[free] = nullptr;
  --count_;
  // A thread after the gap moves into it, unless its own row lies after the gap.
  for (size_t row = NextRow(free); rows_[row] != nullptr; row = NextRow(row)) {
    const size_t own = FindRow(rows_[row]->tid), mask = rows_.size() - 1;
    if (((row - own) & mask) < ((row - free) & mask)) continue;
    rows_[free] = std::exchange(rows_[row], nullptr);
    free = row;
  }
}

namespace {

// Returns how many threads keep their two files open. These files take a quarter of the descriptors that the process
// may have. Events take half (KernelTicks), and the rest is for files that are opened briefly.
uint32_t MaxOpenThreads() {
  constexpr rlim_t kMax = 256;
  rlimit limit = {};
  if (IsSyscallError(RawSyscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit))) return kMax;
  return static_cast<uint32_t>(std::min(kMax, limit.rlim_cur / 8));
}

}  // namespace

ThreadList::ThreadList(const Setting& setting) : setting_(setting), max_open_threads_(MaxOpenThreads()) {}

// Returns false if /proc belongs to another pid namespace, as after unshare(1) --fork --pid without --mount-proc.
bool ThreadList::OpenTaskFolder() {
  task_folder_ = Fd::Open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  char own[16] = {};
  RawSyscall(SYS_readlinkat, AT_FDCWD, "/proc/self", own, sizeof(own) - 1);
  return !task_folder_.ok() || NumberInName(own) == setting_.pid.ToNumber();
}

ThreadList::ScanResult ThreadList::Scan(int64_t now_ns) {
  if (!task_folder_.ok() && !OpenTaskFolder()) return ScanResult::kForeignProc;
  scan_error_ = task_folder_.error();
  if (!task_folder_.ok()) return ScanResult::kFailed;
  for (const auto& thread : threads_) thread->seen_in_scan = false;
  bool is_unclear = false;  // whose a thread is
  const int32_t helper_before = Helper();
  bool is_helper_there = false;
  scan_error_ = ForEachEntry(task_folder_, [&](const char* name) {
    const ThreadId tid = ThreadId::FromNumber(NumberInName(name));
    if (!tid.IsSpecified() || tid == setting_.sampler) return;
    SampledThread* thread = by_tid_.Find(tid);
    if (thread == nullptr) {
      const int32_t owners = OwnersThread(tid), helper = Helper();
      ThreadSlot* const slot = setting_.registry->FindByTid(tid);
      is_unclear |= owners < 0 || helper < 0;
      is_helper_there |= helper == tid.ToNumber();
      // The owner may have left, or have another thread, while this one ends.
      if (slot != nullptr && owners == tid.ToNumber()) slot->is_owners.store(true, std::memory_order_relaxed);
      if (slot != nullptr && slot->is_owners.load(std::memory_order_relaxed)) return;
      if (owners < 0 || helper < 0 || owners == tid.ToNumber() || helper == tid.ToNumber()) return;
      thread = Add(tid, slot, now_ns);
    }
    thread->seen_in_scan = true;
  });
  if (scan_error_ != 0) return ScanResult::kFailed;
  if (helper_before > 0 && !is_helper_there) ForgetHelper(helper_before);
  for (size_t i = threads_.size(); i-- > 0;) {
    // A listing may miss a live thread, because the kernel loses its place when a listed thread ends. The thread's CPU
    // clock tells if it lives.
    if (!threads_[i]->seen_in_scan && ThreadCpuNs(threads_[i]->tid) < 0) Remove(threads_[i].get(), now_ns);
  }
  if (is_unclear) return ScanResult::kOk;  // the thread that makes the owner's lives
  const bool only_leader =
      threads_.size() == 1 && by_tid_.Find(ThreadId::FromNumber(setting_.pid.ToNumber())) != nullptr;
  if (threads_.empty() || (only_leader && IsZombie(ThreadId::FromNumber(setting_.pid.ToNumber())))) {
    return ScanResult::kOnlySampler;
  }
  return ScanResult::kOk;
}

int32_t ThreadList::OwnersThread(ThreadId tid) const {
  const OwnerTable* const owner = setting_.owner != nullptr ? setting_.owner->load(std::memory_order_acquire) : nullptr;
  if (owner == nullptr || !GECKOPROF_TABLE_HAS(*owner, OwnerTable, own_thread) || owner->own_thread == nullptr)
    return 0;
  const uint32_t count = GECKOPROF_TABLE_HAS(*owner, OwnerTable, own_thread_count) ? owner->own_thread_count : 1;
  int32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t id = owner->own_thread[i].load(std::memory_order_relaxed);
    if (id == tid.ToNumber()) return id;
    found = std::min(found, id);
  }
  return found;
}

// The kernel may give the id to a thread of the program, which must be listed.
void ThreadList::ForgetHelper(int32_t seen) {
  if (!ThreadExists(setting_.pid, ThreadId::FromNumber(seen))) setting_.helper->compare_exchange_strong(seen, 0);
}

bool ThreadList::IsZombie(ThreadId tid) {
  const char state = BlockedThreadReader::StateLetter(tid);
  return state == 'Z' || state == 'X';
}

SampledThread* ThreadList::Add(ThreadId tid, ThreadSlot* slot, int64_t now_ns) {
  threads_.push_back(std::make_unique<SampledThread>());
  SampledThread& thread = *threads_.back();
  thread.tid = tid;
  thread.position = threads_.size() - 1;
  ++added_;
  thread.index = ThreadIndex::FromNumber(setting_.header->next_thread.fetch_add(1, std::memory_order_relaxed));
  thread.is_main = tid.ToNumber() == setting_.pid.ToNumber();
  thread.slot = slot;
  by_tid_.Add(&thread);
  AssignStack(thread);
  OpenFile(thread);
  char name[64];
  ReadName(thread, name);
  if (name[0] == '\0') ReadInheritedName(thread, name);
  TextBuilder(thread.name).Text(name);
  // A thread is often renamed in its first milliseconds.
  thread.next_name_check_ns = now_ns + 20 * kNsPerMs;
  thread.selected = Selects(thread);
  setting_.metadata->Thread(thread.index, tid, thread.is_main, FindBegin(thread, now_ns), thread.name);
  if (slot != nullptr) AssignSlot(thread, *slot);
  return &thread;
}

void ThreadList::AssignStack(SampledThread& thread) const {
  if (thread.stack.high == 0)
    thread.stack = StackBoundsLookup{setting_.pid, setting_.main_stack}.Find(thread.tid, thread.slot);
}

void ThreadList::AssignSlot(SampledThread& thread, ThreadSlot& slot) const {
  thread.slot = &slot;
  if (!thread.cpu.has_row() && IsNew(slot)) {
    thread.cpu.BeginAt(slot.published_ns);
    thread.ready.BeginAt(slot.published_ns);
  }
  slot.has_timer.store(thread.timer.is_armed(), std::memory_order_relaxed);
  slot.listed.store(true, std::memory_order_seq_cst);
}

// Returns true if the slot is as old as its thread and both began in this recording. The creator then claimed the slot.
// A slot that the thread itself claimed later does not count.
bool ThreadList::IsNew(const ThreadSlot& slot) const {
  return !slot.listed.load(std::memory_order_relaxed) && slot.published_ns > setting_.header->created_ns &&
         slot.creator_tid.load(std::memory_order_relaxed) != slot.tid.load(std::memory_order_relaxed);
}

// The time is not the first sight, because the sampler may see an announced thread late.
int64_t ThreadList::FindBegin(const SampledThread& thread, int64_t seen_ns) const {
  if (thread.is_main) return std::min(setting_.header->created_ns, seen_ns);  // older than the recording
  const int64_t published_ns = thread.slot != nullptr ? thread.slot->published_ns : 0;
  return published_ns > setting_.header->created_ns && published_ns < seen_ns ? published_ns : seen_ns;
}

// If two slots have one id, the earlier thread has ended, and its id is in use again.
bool ThreadList::IsOfEndedThread(const ThreadSlot& slot, SampledThread*& known, int64_t now_ns) {
  if (known == nullptr || known->slot == nullptr || known->slot == &slot) return false;
  if (slot.published_ns < known->slot->published_ns) return true;
  Remove(known, now_ns);
  known = nullptr;
  return false;
}

bool ThreadList::AddAnnounced(uint32_t announced, int64_t now_ns) {
  if (announced == announced_) return true;
  ++intakes_;
  uint32_t left = kMaxAtOnce;
  setting_.registry->ForEachLive([&](ThreadSlot& slot) {
    const ThreadId tid = ThreadId::FromNumber(slot.tid.load(std::memory_order_relaxed));
    SampledThread* known = by_tid_.Find(tid);
    if (IsOfEndedThread(slot, known, now_ns)) {
      CountDrop(DropReason::kUnlistedThread);
      ThreadRegistry::Release(&slot, tid);
    } else if (known == nullptr && slot.is_owners.load(std::memory_order_relaxed)) {
      if (ThreadCpuNs(tid) < 0) ThreadRegistry::Release(&slot, tid);
    } else if (known == nullptr) {
      const int32_t owners = OwnersThread(tid);
      if (owners == tid.ToNumber()) slot.is_owners.store(true, std::memory_order_relaxed);
      if (left == 0 || owners < 0 || owners == tid.ToNumber()) return;
      --left;
      Add(tid, &slot, now_ns);
    } else if (known->slot == &slot) {
      ApplyGivenName(*known);
      AssignStack(*known);
    } else {
      AssignSlot(*known, slot);
      RefreshNameNow(*known, now_ns);
      AssignStack(*known);
    }
  });
  if (left > 0) announced_ = announced;  // the next tick takes in the rest
  return left > 0;
}

void ThreadList::AddAllAnnounced(const std::atomic<uint32_t>& announced, int64_t now_ns) {
  constexpr int kMaxTurns = 64;
  // Another thread than the sampler would open files in the program's descriptor table.
  if (RawSyscall(SYS_gettid) != setting_.sampler.ToNumber()) return;
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    if (AddAnnounced(announced.load(std::memory_order_acquire), now_ns)) return;
  }
}

void ThreadList::Remove(SampledThread* thread, int64_t now_ns) {
  // A thread that the listing found may have announced itself afterwards. Its slot must be released too. At the next
  // announcement a live slot would be taken for another thread's. If the id is in use again, the slot belongs to that
  // thread.
  if (thread->slot == nullptr && ThreadCpuNs(thread->tid) < 0) {
    thread->slot = setting_.registry->FindByTid(thread->tid);
  }
  // The slot still has a name that the thread gave itself in its last moments.
  if (thread->slot != nullptr) ApplyGivenName(*thread);
  setting_.metadata->ThreadEnd(thread->index, now_ns);
  if (thread->slot != nullptr) ThreadRegistry::Release(thread->slot, thread->tid);
  if (thread->pending != nullptr) {
    CountDrop(DropReason::kThreadEnded);
    // The thread is gone, so no handler writes into its buffer any more.
    CapturePool::Release(thread->pending);
    thread->SetPending(nullptr, *setting_.header);
  }
  if (thread->syscall_file.ok()) --open_threads_;
  by_tid_.Remove(thread->tid);
  // The last thread takes the place of the removed one.
  const size_t position = threads_.back()->position = thread->position;
  std::swap(threads_[position], threads_.back());
  threads_.pop_back();
}

void ThreadList::RemoveGone(int64_t now_ns) {
  for (size_t i = threads_.size(); i-- > 0;) {
    if (threads_[i]->gone) Remove(threads_[i].get(), now_ns);
  }
}

void ThreadList::ReadName(SampledThread& thread, char (&name)[64]) const {
  name[0] = '\0';
  if (thread.slot != nullptr && thread.slot->CopyName(name)) {
    thread.name_given = true;
    return;
  }
  ReadKernelThreadName(thread.tid, name);
}

// Finds a name for a thread that ended before its name was read. A thread that never named itself had its creator's
// name. If the creator is unknown, it is most often the main thread. The main thread's name can be read even after its
// end.
void ThreadList::ReadInheritedName(SampledThread& thread, char (&name)[64]) const {
  if (thread.slot == nullptr) thread.slot = setting_.registry->FindByTid(thread.tid);
  if (thread.slot != nullptr) {
    if (thread.slot->CopyName(name) || thread.slot->CopyKernelName(name)) return;
    const int32_t creator = thread.slot->creator_tid.load(std::memory_order_relaxed);
    if (creator != 0 && ReadKernelThreadName(ThreadId::FromNumber(creator), name)) return;
  }
  ReadKernelThreadName(ThreadId::FromNumber(setting_.pid.ToNumber()), name);
}

bool ThreadList::Selects(const SampledThread& thread) const {
  return thread.is_main ? setting_.filter->MatchesMain(thread.name, setting_.pid)
                        : setting_.filter->Matches(thread.name, setting_.pid);
}

void ThreadList::Reselect() {
  for (const auto& thread : threads_) thread->selected = Selects(*thread);
}

void ThreadList::RefreshNames(int64_t now_ns, Names which) {
  const bool all = which == Names::kNow && threads_.size() <= kFewThreads;
  for (const auto& thread : threads_) {
    if (all) thread->next_name_check_ns = now_ns;
    if (all || thread->may_have_new_name) RefreshName(*thread, now_ns);
  }
}

int64_t ThreadList::NextNameCheck(int64_t now_ns) const {
  return now_ns + (threads_.size() <= kFewThreads ? 250 : 750) * kNsPerMs;
}

void ThreadList::RefreshName(SampledThread& thread, int64_t now_ns) {
  if (now_ns < thread.next_name_check_ns) return;
  if (!thread.name_given) return RefreshNameNow(thread, now_ns);
  // The filter also uses the kernel's name of the main thread, even if the profile shows another one.
  if (!thread.is_main) return;
  thread.next_name_check_ns = NextNameCheck(now_ns);
  thread.selected = Selects(thread);
}

void ThreadList::RefreshNameNow(SampledThread& thread, int64_t now_ns) {
  thread.next_name_check_ns = NextNameCheck(now_ns);
  thread.may_have_new_name = false;
  char name[64];
  ReadName(thread, name);
  if (name[0] == '\0' || strcmp(name, thread.name) == 0) return;
  ApplyName(thread, name);
}

// Reads the name from the thread's slot. The name of its registration may have changed. Otherwise the kernel's name
// counts if the thread was renamed.
void ThreadList::ApplyGivenName(SampledThread& thread) {
  char name[64];
  const uint32_t renamed = thread.slot->renamed.load(std::memory_order_acquire);
  const bool is_renamed = renamed != thread.renamed;
  thread.renamed = renamed;
  if (thread.slot->CopyName(name)) {
    thread.name_given = true;
  } else if (thread.name_given || !is_renamed || !thread.slot->CopyKernelName(name)) {
    return;
  }
  if (strcmp(name, thread.name) != 0) ApplyName(thread, name);
}

void ThreadList::ApplyName(SampledThread& thread, const char* name) {
  TextBuilder(thread.name).Text(name);
  thread.selected = Selects(thread);
  setting_.metadata->ThreadName(thread.index, thread.name);
}

KernelSignalSet ThreadList::SignalsIn(ThreadId tid, std::string_view field) {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid.ToNumber()).Text("/status");
  char digits[16];  // 64 signals in hex, the highest signal first (proc(5))
  KernelSignalSet mask = 0;
  for (const char c : ReadStatusField(path, field, digits)) {
    mask = mask << 4 | static_cast<KernelSignalSet>(c >= 'a' ? c - 'a' + 10 : c - '0');
  }
  return mask;
}

void ThreadList::OpenFile(SampledThread& thread) {
  if (open_threads_ >= max_open_threads_ || thread.syscall_file.ok()) return;
  thread.syscall_file = BlockedThreadReader::Open(thread.tid);
  if (!thread.syscall_file.ok()) return;
  thread.schedstat_file = Schedstat::Open(thread.tid);
  ++open_threads_;
}

const Fd& ThreadList::SyscallFile(const SampledThread& thread, Fd& temporary) const {
  if (thread.syscall_file.ok()) return thread.syscall_file;
  temporary = BlockedThreadReader::Open(thread.tid);
  return temporary;
}

const Fd& ThreadList::SchedstatFile(const SampledThread& thread, Fd& temporary) const {
  if (thread.schedstat_file.ok()) return thread.schedstat_file;
  temporary = Schedstat::Open(thread.tid);
  return temporary;
}

void ThreadList::ReopenFiles() {
  for (const auto& thread : threads_) OpenFile(*thread);
}

void ThreadList::CloseFiles() {
  task_folder_.Close();
  for (const auto& thread : threads_) {
    thread->syscall_file.Close();
    thread->schedstat_file.Close();
  }
  open_threads_ = 0;
}

}  // namespace geckoprof
