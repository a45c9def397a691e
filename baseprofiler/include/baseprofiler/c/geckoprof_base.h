/* The base profiler's API for C99, and for whatever calls C. C++ has base_profiler.h, which says the same with classes.
 *
 *   geckoprof_control.h   start, stop, pause, state; names of threads
 *   geckoprof_labels.h    frames in the stacks of samples
 *   geckoprof_markers.h   points and intervals on the time line, with typed payloads; geckoprof_mark.h: macros for them
 *   counter_abi.h         numbers of the program's as graphs
 *   category_abi.h        categories of the program's own
 *
 * How a program gets at the library:
 *   linked        -lbaseprofiler, or the archive: it does not start without the library
 *   not linked    with geckoprof_shim.h: it uses the library that is preloaded, or loaded by name, and runs without one
 * In both cases `geckoprof record` sees what it marks: it preloads the library.
 *
 * Stable: functions and fields are only added. A program that was compiled with these headers runs with every later
 * release of the library. Unless a function says otherwise: it may be called at any time, before main and after exit
 * included, on any thread, and does no harm while nothing is recorded; none is for signal handlers but those that say
 * so; none throws, prints, exits or sets errno to anything of use. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_

#include "baseprofiler/c/geckoprof_control.h"
#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/c/geckoprof_labels.h"
#include "baseprofiler/c/geckoprof_mark.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/category_abi.h"
#include "baseprofiler/counter_abi.h"

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_BASE_H_ */
