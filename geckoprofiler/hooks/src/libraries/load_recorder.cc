#include "libraries/load_recorder.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/config/start_features.h"
#include "libraries/load_markers.h"
#include "runtime/hook_features.h"
#include "runtime/inside_hook.h"

namespace geckoprof {
namespace {

// A constructor may call dlopen, and so on.
constexpr size_t kMostCalls = 6;
struct ThreadCalls {
  LoadRecorder::Call calls[kMostCalls];
  size_t count = 0;
};
// Here rather than in the frames of the calls. So a call that a jump has left is memory of the thread's own.
constinit thread_local ThreadCalls t_calls __attribute__((tls_model("initial-exec")));

// Forgets the calls that the thread has left by a jump. The stack grows down, so they are not above `frame`. Returns
// their number.
uint32_t ForgetLeft(const void* frame) {
  uint32_t left = 0;
  for (; t_calls.count > 0 && t_calls.calls[t_calls.count - 1].frame <= frame; --t_calls.count) ++left;
  return left;
}

LibraryFacts FactsOf(const LibraryTable::Row& row) { return {row.Path(), row.SizeBytes(), row.relocations}; }

// The kernel's own library is no file.
bool IsFile(const LibraryTable::Row& row) { return row.Path().find('/') != std::string_view::npos; }

bool IsMainThread() { return RawSyscall(SYS_gettid) == RawSyscall(SYS_getpid); }

std::optional<int64_t> Between(geckoprof_time start, geckoprof_time end) {
  return start != 0 && end != 0 ? std::optional(geckoprof_base_ns_between(start, end)) : std::nullopt;
}

void AddUnload(const LibraryTable::Row& row, geckoprof_time start, geckoprof_time end) {
  if (row.is_reported && IsFile(row)) AddLibraryUnload(FactsOf(row), start, end);
}

}  // namespace

constexpr LoadRecorder::LoadRecorder() : table_(&AddUnload) {}

constinit LoadRecorder g_load_recorder;

void LoadRecorder::Refresh(geckoprof_time start, geckoprof_time end) {
  if (!table_.IsOutOfDate()) return;
  // A recording that began later meets libraries here whose loads are not in it.
  const bool is_late = table_.size() == 0 && has_started_.load(std::memory_order_relaxed);
  table_.Update(start, end);
  for (int i = 0; is_late && i < table_.size(); ++i) table_.row(i).is_reported = true;
}

void LoadRecorder::EndConstructors(Call& call, geckoprof_time now) {
  if (call.constructor == 0) return;
  LibraryTable::Row& row = table_.row(call.row);
  if (row.serial == call.serial) {
    row.is_reported = true;
    AddLibraryLoad(FactsOf(row), call.constructor, now);
  }
  call.constructor = 0;
}

// Marks the loads of libraries without _init. No library may be loaded then whose constructors are still to run.
void LoadRecorder::ReportOthers(Call* call, geckoprof_time now) {
  for (int i = 0; i < table_.size(); ++i) {
    LibraryTable::Row& row = table_.row(i);
    if (row.end == 0 || row.is_reported || row.is_program) continue;
    row.is_reported = true;
    if (!IsFile(row)) continue;
    AddLibraryLoad(FactsOf(row), 0, now);
    if (call != nullptr) ++call->libraries;
  }
  if (table_.left_out() > told_left_out_) AddTableIsFull();
  told_left_out_ = table_.left_out();
}

void LoadRecorder::FinishStart() {
  // The calls of other threads end in the parent. A constructor may have forked, and its call goes on.
  (void)pthread_atfork(nullptr, nullptr, [] {
    g_load_recorder.calls_.store(static_cast<uint32_t>(t_calls.count), std::memory_order_relaxed);
  });
  if (HookFeatures(kFeatureLibraries) == 0) {
    has_started_.store(true, std::memory_order_relaxed);
    return;
  }
  const InsideHook inside;
  const geckoprof_time now = geckoprof_base_time();
  LibraryTable::Locked([&] {
    Refresh(0, now);
    EndConstructors(start_, now);
    ReportOthers(nullptr, now);
  });
  has_started_.store(true, std::memory_order_relaxed);
}

bool LoadRecorder::MayCallFor(const char* name, const void* caller) {
  if (strchr(name, '$') != nullptr) return false;  // $ORIGIN is the caller's
  const bool is_path = strchr(name, '/') != nullptr;
  bool may = false;
  char beside[512];
  beside[0] = '\0';
  LibraryTable::Locked([&] {
    Refresh(0, geckoprof_base_time());
    const int number = table_.Find(reinterpret_cast<uintptr_t>(caller));
    const int own = table_.Find(reinterpret_cast<uintptr_t>(&g_load_recorder));
    if (number == LibraryTable::kNone || own == LibraryTable::kNone || table_.left_out() != 0) return;
    const LibraryTable::Row& row = table_.row(number);
    // The loader searches DT_RPATH of the library that calls, of the one that loaded that library, and so on.
    if (table_.HasLibraryWithRpath() && !(row.is_program && is_path)) return;
    may = is_path || (!row.has_rpath && !row.has_runpath && !table_.row(0).has_rpath);
    if (is_path || !may) return;
    // A plain name is searched in the folder of this library, too: its DT_RUNPATH.
    const LibraryTable::Row& hooks = table_.row(own);
    const std::string_view path = hooks.Path();
    const size_t folder_bytes = path.rfind('/') + 1;
    if (!path.starts_with('/') || folder_bytes + strlen(name) >= sizeof(beside)) {
      may = false;
      return;
    }
    memcpy(beside, path.data(), folder_bytes);
    strcpy(beside + folder_bytes, name);
  });
  if (beside[0] != '\0' && RawSyscall(SYS_faccessat, AT_FDCWD, beside, F_OK) == 0) return false;
  return may;
}

LoadRecorder::Call* LoadRecorder::Begin(const void* frame) {
  calls_.fetch_sub(ForgetLeft(frame), std::memory_order_relaxed);
  if (t_calls.count == kMostCalls) return nullptr;
  Call& call = t_calls.calls[t_calls.count++];
  call = Call();
  call.frame = frame;
  call.is_alone = calls_.fetch_add(1, std::memory_order_relaxed) == 0;
  LibraryTable::Locked([&] {
    const int loader = table_.Find(_r_debug.r_ldbase);
    if (loader == LibraryTable::kNone) return;
    call.mapping.loader_begin = table_.row(loader).begin;
    call.mapping.loader_end = table_.row(loader).end;
  });
  t_mapping_end = &call.mapping;
  call.start = geckoprof_base_time();
  return &call;
}

void LoadRecorder::End(Call* call, const void* frame, const char* function, const char* name, bool was_loaded,
                       uint32_t skipped_frames) {
  const geckoprof_time now = geckoprof_base_time();
  t_mapping_end = nullptr;
  const bool is_known = t_calls.count > 0 && call == &t_calls.calls[t_calls.count - 1] && call->frame == frame;
  if (!is_known) return;
  const uint32_t others = calls_.fetch_sub(1, std::memory_order_relaxed) - 1;
  const InsideHook inside;
  LibraryTable::Locked([&] {
    EndConstructors(*call, now);
    Refresh(0, now);
    const bool has_started = has_started_.load(std::memory_order_relaxed);
    if (has_started && call->is_alone && others == 0) ReportOthers(call, now);
  });
  LoadCallFacts facts;
  facts.function = function;
  facts.name = name;
  facts.was_loaded = was_loaded;
  facts.libraries = call->libraries;
  facts.mapping_ns = Between(call->start, call->mapping.time);
  facts.relocation_ns = Between(call->mapping.time, call->first_constructor);
  facts.constructors_ns = Between(call->first_constructor, now);
  facts.start = call->start;
  facts.end = now;
  --t_calls.count;
  AddLoadCall(facts, skipped_frames);
}

void LoadRecorder::BeginConstructors(const void* address, const void* frame) {
  const InsideHook inside;
  const geckoprof_time now = geckoprof_base_time();
  t_mapping_end = nullptr;
  calls_.fetch_sub(ForgetLeft(frame), std::memory_order_relaxed);
  Call* call = t_calls.count > 0 ? &t_calls.calls[t_calls.count - 1] : nullptr;
  if (call == nullptr && !has_started_.load(std::memory_order_relaxed) && IsMainThread()) call = &start_;
  LibraryTable::Locked([&] {
    if (call != nullptr) EndConstructors(*call, now);
    Refresh(0, now);
    const int number = table_.Find(reinterpret_cast<uintptr_t>(address));
    if (number == LibraryTable::kNone || table_.row(number).is_program) return;
    LibraryTable::Row& row = table_.row(number);
    if (call == nullptr) {  // loaded by libc, or by a call that was not measured
      row.is_reported = true;
      AddLibraryLoad(FactsOf(row), 0, now);
      return;
    }
    ++call->libraries;
    call->row = number;
    call->serial = row.serial;
    call->constructor = geckoprof_base_time();
    if (call->first_constructor == 0) call->first_constructor = now;
  });
}

void LoadRecorder::Close(geckoprof_time start, geckoprof_time end) {
  const InsideHook inside;
  LibraryTable::Locked([&] { Refresh(start, end); });
}

}  // namespace geckoprof
