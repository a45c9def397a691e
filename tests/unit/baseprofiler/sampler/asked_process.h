#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_ASKED_PROCESS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_ASKED_PROCESS_H_

#include <catch2/catch.hpp>

#include "geckoprof/base/clock.h"
#include "sampler/thread_asker.h"
#include "scripted_thread_view.h"

namespace geckoprof {

// A process with the first phase of its looks.
struct AskedProcess : ScriptedProcess {
  AskedProcess() { asker.UpdateTimers(true); }

  // A look without its end. The end may change the sampling signal, and it removes threads.
  const Answers& Look(int64_t now_ns) {
    blocked.Clear();
    answers.clear();
    view.now_ns = now_ns;
    asker.BeginLook(now_ns);
    REQUIRE(asker.LookOn(answers));
    return answers;
  }
  // Looks as often as it takes until no thread counts as new.
  void LookAtNew(int64_t now_ns) {
    Look(now_ns);
    Look(now_ns + kMs);
  }
  // Does what the later phases do with a request that was answered.
  void Answer(SampledThread& thread) {
    CapturePool::Release(thread.pending);
    thread.SetPending(nullptr, header);
    WriteFirstRow(thread, view.now_ns);
  }
  // Adds the test's own thread, runs it, and looks at it until it has a timer.
  SampledThread& AddArmed() {
    SampledThread& thread = Add(OwnTid());
    WriteFirstRow(thread);
    Shown(thread).Run(kMs);
    Look(kBegin);
    REQUIRE(thread.timer.is_armed());
    return thread;
  }
  // Adds a thread that has a row and waits since `time_ns`.
  SampledThread& AddWaiting(int64_t time_ns, int place = 1) {
    SampledThread& thread = Add();
    WriteFirstRow(thread);
    Shown(thread).Run(kMs);
    Shown(thread).BlockAt(place);
    CHECK(Look(time_ns).empty());
    REQUIRE(thread.wait.is_open());
    return thread;
  }

  ThreadAsker asker{&setting, {&list, &modules, &view, &pool, &ticks, &blocked}};
  Answers answers;
};

// The time from the begin of a look to its reading of a thread's clock.
inline bool IsAt(int64_t time_ns, int64_t look_ns) { return time_ns >= look_ns && time_ns < look_ns + 10 * kUs; }

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_ASKED_PROCESS_H_
