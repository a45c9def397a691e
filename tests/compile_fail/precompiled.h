// What marker_mistakes.cc includes, once for all its cases: most of what compiling one of them takes.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"
