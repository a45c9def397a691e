#include "threads/thread_base_link.h"

#include <atomic>
#include <cstring>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "geckoprof/labels/builtin_categories.h"

// Weak: null in a program without libbaseprofiler.so, and where that is a release without the function.
#pragma weak geckoprof_base_register_thread
#pragma weak geckoprof_base_unregister_thread
#pragma weak geckoprof_base_state
#pragma weak geckoprof_base_mark_text
#pragma weak geckoprof_base_thread_registration

namespace geckoprof {
namespace {

// Filled in by the loader, so it works before any constructor has run.
constinit const ThreadBaseLink base_library = {geckoprof_base_register_thread, geckoprof_base_unregister_thread,
                                               geckoprof_base_state, geckoprof_base_mark_text,
                                               geckoprof_base_thread_registration};

constinit std::atomic<const ThreadBaseLink*> current{&base_library};

}  // namespace

void ThreadBaseLink::MarkNow(const char* name, const char* text) const {
  Mark(name, kProfilerCategory << 8, GECKOPROF_MARKER_INSTANT, text);
}

void ThreadBaseLink::Mark(const char* name, uint32_t category_pair, uint32_t phase, const char* text) const {
  if (mark_text == nullptr) return;
  geckoprof_marker_options options{};
  options.size_bytes = sizeof options;
  options.flags = phase | GECKOPROF_MARKER_NOW;
  mark_text(name, category_pair, &options, text, strlen(text));
}

const ThreadBaseLink& ThreadBaseLink::Current() { return *current.load(std::memory_order_acquire); }

void ThreadBaseLink::Use(const ThreadBaseLink* link) {
  current.store(link != nullptr ? link : &base_library, std::memory_order_release);
}

}  // namespace geckoprof
