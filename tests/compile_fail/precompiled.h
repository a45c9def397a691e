// What marker_mistakes.cc includes, once for all its cases: most of what compiling one of them takes.
#ifndef GECKOPROF_TESTS_COMPILE_FAIL_PRECOMPILED_H_
#define GECKOPROF_TESTS_COMPILE_FAIL_PRECOMPILED_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"

#endif  // GECKOPROF_TESTS_COMPILE_FAIL_PRECOMPILED_H_
