#ifndef GECKOPROF_TESTS_SUPPORT_SAMPLE_PROCESS_H_
#define GECKOPROF_TESTS_SUPPORT_SAMPLE_PROCESS_H_

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// A small made-up process that has one of everything.
//   libraries  0 /opt/demo/solver 0x400000..0x500000   1 /lib/a.so 0x10000..0x20000 until 5 ms
//              2 /lib/b.so at the same place from 5 ms 3 [vdso] 0x700000..0x702000
//   stacks     0 root   1 root>0x400100   2 root>0x400100>0x10010 (a.so)   3 root>0x400100>0x10010 (b.so)
//              4 root>0x400100>label "Solver::Run step:64"   5 root>reason
//   threads    main (tid 1001): a sample, an idle run of 5 ticks, a sample in b.so; markers of all phases, one with a
//   stack
//              worker (tid 1002): two samples, unregistered at 9 ms
ProcessProfile SampleProcess();

// An empty program recorded after an exec in the same process.
ProcessProfile SampleSecondImage();

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_SAMPLE_PROCESS_H_
