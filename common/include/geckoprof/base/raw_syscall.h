// System calls without libc. They use no errno, no cancellation point and no thread-local storage.
//
// Our code runs where the wrappers of libc must not run. It runs before the constructors of libc, in the child of a
// fork, and on the sampler thread. The sampler thread is unknown to libc, so it has no errno of its own.
//
// Threads: any.
// Context: any, including signal context.
#ifndef GECKOPROF_BASE_RAW_SYSCALL_H_
#define GECKOPROF_BASE_RAW_SYSCALL_H_

#include <sys/syscall.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "geckoprof/arch/instructions.h"

// Calls that older headers of the kernel do not know. The numbers are the same on every architecture.
#ifndef SYS_close_range
#define SYS_close_range 436  // Linux 5.9
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446  // Linux 5.13
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449  // Linux 5.16
#endif

namespace geckoprof {

namespace internal {
template <typename T>
long SyscallArgument(T* pointer) {
  return static_cast<long>(reinterpret_cast<uintptr_t>(pointer));
}
template <typename T>
requires(std::integral<T> || std::is_enum_v<T>) long SyscallArgument(T number) { return static_cast<long>(number); }
inline long SyscallArgument(decltype(nullptr)) { return 0; }
}  // namespace internal

// Returns the kernel's result, which is a value or -errno in [-4095, -1].
template <typename... Args>
long RawSyscall(long number, Args... args) {
  static_assert(sizeof...(Args) <= 6);
  long a[6] = {internal::SyscallArgument(args)...};
  return SyscallInstruction(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
inline long RawSyscall(long number) { return SyscallInstruction(number, 0, 0, 0, 0, 0, 0); }

inline bool IsSyscallError(long result) { return result < 0 && result >= -4095; }

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_RAW_SYSCALL_H_
