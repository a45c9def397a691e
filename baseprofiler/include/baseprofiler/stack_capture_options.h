#ifndef GECKOPROF_BASEPROFILER_STACK_CAPTURE_OPTIONS_H_
#define GECKOPROF_BASEPROFILER_STACK_CAPTURE_OPTIONS_H_

// The parts of a stack that is captured. The names are those of Firefox.
enum class StackCaptureOptions {
  NoStack,    // nothing is captured
  NonNative,  // labels only
  Full,       // native frames too, if the recording has ProfilerFeature::StackWalk
};

#endif  // GECKOPROF_BASEPROFILER_STACK_CAPTURE_OPTIONS_H_
