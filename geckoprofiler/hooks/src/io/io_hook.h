// This header has what the hooks of this folder are made of.
#ifndef GECKOPROF_HOOKS_IO_IO_HOOK_H_
#define GECKOPROF_HOOKS_IO_IO_HOOK_H_

#include <errno.h>

#include <cstdint>
#include <type_traits>

#include "io/io_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/next_function.h"

// A function that the library stands in front of: g_NAME. `operation` is its name in markers.
#define GECKOPROF_IO_HOOK(name, operation, bytes) \
  constinit IoHook g_##name(#name, name, {operation, IoFunction::Bytes::bytes})

namespace geckoprof {

template <typename Signature>
struct IoHook {
  constexpr IoHook(const char* name, Signature* own, IoFunction facts) : next(name, own), function(facts) {}

  NextFunction<Signature> next;
  IoFunction function;
};
template <typename Result, typename... Arguments>
IoHook(const char*, Result (*)(Arguments...), IoFunction) -> IoHook<Result(Arguments...)>;
template <typename Result, typename... Arguments>
IoHook(const char*, Result (*)(Arguments..., ...), IoFunction) -> IoHook<Result(Arguments..., ...)>;

// None of the functions below keeps anything of ours open during the real call. The thread may be cancelled there, or a
// signal handler may jump out of it. A function that libc lacks fails with ENOSYS.
template <typename Signature, typename Note, typename... Arguments>
[[gnu::always_inline]] inline auto CallAndNote(IoHook<Signature>& hook, const Note& note, Arguments... arguments) {
  Signature* const next = hook.next.get();
  using Result = decltype(next(arguments...));
  if (next == nullptr) [[unlikely]] {
    errno = ENOSYS;
    if constexpr (std::is_pointer_v<Result>) {
      return Result{nullptr};
    } else {
      return static_cast<Result>(-1);
    }
  }
  if (HookFeatures(IoRecorder::kFeatures) == 0) [[likely]]
    return next(arguments...);
  const geckoprof_time start = geckoprof_base_time();
  const Result result = next(arguments...);
  note(start, result);
  return result;
}

// A call of a descriptor. A result above 0 is a number of bytes if the hook says so.
template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline auto CallDescriptor(IoHook<Signature>& hook, int fd, Arguments... arguments) {
  const auto note = [&](geckoprof_time start, auto result) {
    int64_t number = 0;
    if constexpr (!std::is_pointer_v<decltype(result)>) number = static_cast<int64_t>(result);
    g_io_recorder.NoteDescriptor(hook.function, fd, start, number);
  };
  return CallAndNote(hook, note, arguments...);
}

// Returns whether the kernel could not read memory that the program named. A hook must not read it either.
template <typename Result>
bool IsFault(Result result) {
  if constexpr (std::is_pointer_v<Result>) {
    return result == nullptr && errno == EFAULT;
  } else {
    return result == -1 && errno == EFAULT;
  }
}

template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline auto CallPath(IoHook<Signature>& hook, const char* path, Arguments... arguments) {
  const auto note = [&](geckoprof_time start, auto result) {
    g_io_recorder.NotePath(hook.function, IsFault(result) ? nullptr : path, start, 0);
  };
  return CallAndNote(hook, note, arguments...);
}

// A call that makes a descriptor.
template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline int CallOpen(IoHook<Signature>& hook, const char* path, Arguments... arguments) {
  const int fd = CallPath(hook, path, arguments...);
  g_io_recorder.Forget(fd);
  return fd;
}

// A call after which `closed` is closed, or is another object.
template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline auto CallClose(IoHook<Signature>& hook, int closed, Arguments... arguments) {
  const uint32_t row = g_io_recorder.KnownRow(closed);
  g_io_recorder.Forget(closed);
  const auto note = [&](geckoprof_time start, auto) { g_io_recorder.NoteClose(hook.function, row, start); };
  const auto result = CallAndNote(hook, note, arguments...);
  g_io_recorder.Forget(closed);
  return result;
}

template <typename... Signatures>
void FindNextOf(IoHook<Signatures>&... hooks) {
  FindAll(hooks.next...);
}

void FindNextDescriptorFunctions();
void FindNextFileFunctions();
void FindNextSocketFunctions();
void FindNextStreamFunctions();

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_HOOK_H_
