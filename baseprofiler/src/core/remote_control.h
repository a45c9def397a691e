#ifndef GECKOPROF_BASEPROFILER_CORE_REMOTE_CONTROL_H_
#define GECKOPROF_BASEPROFILER_CORE_REMOTE_CONTROL_H_

namespace geckoprof {

// Obeys `geckoprof ctl` and `geckoprof record --pid` from now on (docs/design/control.md). It costs one system call,
// and a process that nobody controls pays no more. `obeys_signals` (GECKOPROF_SIGNALS) costs four more. SIGUSR1 then
// starts a recording, and SIGUSR2 stops it and writes the profile.
//
// A signal announces a request, and a thread of its own reads the request's file and obeys it. The thread is one that
// libc does not know. The owner of the recording demands a thread of libc for a start and for other settings, so these
// are refused while there is one.
//
// Context: early context. Called once, when base is loaded.
void ListenToControl(bool obeys_signals);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_REMOTE_CONTROL_H_
