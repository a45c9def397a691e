/* Markers with a text that printf formats. This header is part of geckoprof_base.h.
 *
 *   GECKOPROF_MARK_FORMAT("decoded", GECKOPROF_CATEGORY_MEDIA, geckoprof_interval_since(start), "%d of %d", done, all);
 *
 * While nothing is recorded, nothing is formatted or evaluated. The compiler checks the arguments. The text is cut at
 * 1,024 bytes, and the profile counts that. errno stays as it was. libc uses the heap for a width or a precision above
 * a thousand alone.
 *
 * Threads: any. Context: not signal context. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_FORMAT_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_FORMAT_H_

#include "baseprofiler/c/geckoprof_markers.h"

#if GECKOPROF_IS_ENABLED_

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GECKOPROF_FORMATTED_BYTES_ 1025u

__attribute__((format(printf, 4, 5))) static inline int geckoprof_mark_format_(const char* name, uint32_t category,
                                                                               geckoprof_marker_options options,
                                                                               const char* format, ...) {
  char text[GECKOPROF_FORMATTED_BYTES_];
  const int error = errno;
  int bytes;
  va_list arguments;
  va_start(arguments, format);
  bytes = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  errno = error;
  if (bytes < 0) bytes = 0;
  if (GECKOPROF_TO_(size_t, bytes) >= sizeof(text)) {
    bytes = GECKOPROF_TO_(int, sizeof(text) - 1);
    options.flags |= GECKOPROF_MARKER_WAS_CUT;
  }
  return geckoprof_base_mark_text(name, category, &options, text, GECKOPROF_TO_(uint64_t, bytes));
}

#ifdef __cplusplus
}
#endif

/* The name need not be a literal. A stack that is captured begins with a function of this header. */
#define GECKOPROF_MARK_FORMAT(name, category, options, ...)                                                 \
  do {                                                                                                      \
    if (geckoprof_base_wants_markers()) (void)geckoprof_mark_format_(name, category, options, __VA_ARGS__); \
  } while (0)

#else

#define GECKOPROF_MARK_FORMAT(name, category, options, ...) GECKOPROF_NOTHING_

#endif /* GECKOPROF_IS_ENABLED_ */

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_FORMAT_H_ */
