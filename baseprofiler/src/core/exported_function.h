#ifndef GECKOPROF_BASEPROFILER_CORE_EXPORTED_FUNCTION_H_
#define GECKOPROF_BASEPROFILER_CORE_EXPORTED_FUNCTION_H_

// Before a function that others see: of the API, or one of libc's that ours stands before.
#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

#endif  // GECKOPROF_BASEPROFILER_CORE_EXPORTED_FUNCTION_H_
