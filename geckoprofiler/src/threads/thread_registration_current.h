// The calling thread's record: the owner of it in the sense that no other thread ends the registration.
#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_CURRENT_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_CURRENT_H_

namespace geckoprof {

class ThreadRegistrationRecord;

// Null if the thread is not registered. Initial-exec: one instruction, and 8 bytes of the static TLS that the loader
// keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadRegistrationRecord* current_thread_record;

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_CURRENT_H_
