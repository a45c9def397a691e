/* Decides whether these headers instrument the program, for C and C++. They do on Linux, on x86-64 and on aarch64.
 *
 * On every other platform, and with -DGECKOPROF_DISABLE, each macro expands to nothing or to a void expression. Each
 * function is an inline function that does nothing. The program then needs no library, and refers to none.
 * A program defines GECKOPROF_DISABLE for all of its files, or for none. */
#ifndef GECKOPROF_BASEPROFILER_ENABLED_H_
#define GECKOPROF_BASEPROFILER_ENABLED_H_

#if !defined(GECKOPROF_DISABLE) && defined(__linux__) && defined(__LP64__)
#if defined(__x86_64__) || defined(__aarch64__)
#define GECKOPROF_IS_ENABLED_ 1
#endif
#endif
#ifndef GECKOPROF_IS_ENABLED_
#define GECKOPROF_IS_ENABLED_ 0
#endif

/* The libraries' functions keep their visibility in programs that hide everything by default. Inline functions of C++
 * are hidden, so that two shared objects with different settings do not share one function's code. */
#if GECKOPROF_IS_ENABLED_
#define GECKOPROF_BEGIN_EXPORTED_ _Pragma("GCC visibility push(default)")
#define GECKOPROF_BEGIN_HIDDEN_ _Pragma("GCC visibility push(hidden)")
#define GECKOPROF_END_VISIBILITY_ _Pragma("GCC visibility pop")
#else
#define GECKOPROF_BEGIN_EXPORTED_
#define GECKOPROF_BEGIN_HIDDEN_
#define GECKOPROF_END_VISIBILITY_
#endif

/* Attributes and hints, where the compiler is known to have them. */
#if GECKOPROF_IS_ENABLED_
#define GECKOPROF_ATTRIBUTE_(...) __attribute__((__VA_ARGS__))
#define GECKOPROF_UNLIKELY_(condition) (__builtin_expect((condition), 0) != 0)
#else
#define GECKOPROF_ATTRIBUTE_(...)
#define GECKOPROF_UNLIKELY_(condition) (condition)
#endif

/* Around functions that do not use their parameters. */
#if defined(__GNUC__)
#define GECKOPROF_BEGIN_UNUSED_PARAMETERS_ \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
#define GECKOPROF_END_UNUSED_PARAMETERS_ _Pragma("GCC diagnostic pop")
#elif defined(_MSC_VER)
#define GECKOPROF_BEGIN_UNUSED_PARAMETERS_ __pragma(warning(push)) __pragma(warning(disable : 4100))
#define GECKOPROF_END_UNUSED_PARAMETERS_ __pragma(warning(pop))
#else
#define GECKOPROF_BEGIN_UNUSED_PARAMETERS_
#define GECKOPROF_END_UNUSED_PARAMETERS_
#endif

/* A statement that does nothing. */
#ifdef __cplusplus
#define GECKOPROF_NOTHING_ static_cast<void>(0)
#else
#define GECKOPROF_NOTHING_ ((void)0)
#endif

/* Casts of numbers and of pointers, for headers that C and C++ share. */
#ifdef __cplusplus
#define GECKOPROF_TO_(type, value) static_cast<type>(value)
#define GECKOPROF_POINTER_TO_(type, pointer) reinterpret_cast<type>(pointer)
#else
#define GECKOPROF_TO_(type, value) ((type)(value))
#define GECKOPROF_POINTER_TO_(type, pointer) ((type)(pointer))
#endif

#endif /* GECKOPROF_BASEPROFILER_ENABLED_H_ */
