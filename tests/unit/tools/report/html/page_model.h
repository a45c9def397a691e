#ifndef GECKOPROF_TESTS_UNIT_TOOLS_REPORT_HTML_PAGE_MODEL_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_REPORT_HTML_PAGE_MODEL_H_

#include <string>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Stacks, as rows of model.stacks:  0 (root) > 1 main > 2 work > 3 work      4 (root) > main again > 5 rest
inline ProfileModel PageModel() {
  ProfileModel model;
  model.strings = {"(root)", "main", "work", "rest", "lib.so"};
  model.functions = {{0, kNoRow}, {1, 4}, {2, 4}, {3, kNoRow}};
  model.categories = {"Other", "User"};
  model.category_colors = {"grey", "yellow"};
  model.stacks = {{kNoRow, 0, 0, kNoRow}, {0, 1, 0, kNoRow}, {1, 2, 1, kNoRow},
                  {2, 2, 1, kNoRow},      {0, 1, 0, kNoRow}, {4, 3, 1, kNoRow}};
  model.processes = {{"7", "app", 0}};
  ProfileThread thread;
  thread.tid = 8;
  thread.name = "T";
  model.threads = {thread};
  model.has_cpu_times = true;
  return model;
}

inline ProfileSample PageSample(double time_ms, int32_t stack, int64_t cpu_ns = 1000) {
  ProfileSample sample;
  sample.time_ms = time_ms;
  sample.stack = stack;
  sample.cpu_ns = cpu_ns;
  return sample;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_REPORT_HTML_PAGE_MODEL_H_
