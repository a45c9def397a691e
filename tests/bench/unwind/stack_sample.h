// What an unwinding starts from, kept for later.
#ifndef GECKOPROF_TESTS_BENCH_UNWIND_STACK_SAMPLE_H_
#define GECKOPROF_TESTS_BENCH_UNWIND_STACK_SAMPLE_H_

#include <cstdint>
#include <vector>

#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

struct StackSample {
  Registers registers;
  uint64_t base_avma = 0;
  std::vector<uint8_t> bytes;

  StackView View() const { return {bytes.data(), base_avma, bytes.size()}; }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_BENCH_UNWIND_STACK_SAMPLE_H_
