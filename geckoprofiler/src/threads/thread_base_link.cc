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
#pragma weak geckoprof_base_add_marker

namespace geckoprof {
namespace {

// Filled in by the loader, so it works before any constructor has run.
constinit const ThreadBaseLink base_library = {
    geckoprof_base_register_thread, geckoprof_base_unregister_thread,   geckoprof_base_state,
    geckoprof_base_mark_text,       geckoprof_base_thread_registration, geckoprof_base_add_marker};

constinit std::atomic<const ThreadBaseLink*> current{&base_library};

geckoprof_marker_options OptionsNow(uint32_t phase) {
  geckoprof_marker_options options{};
  options.size_bytes = sizeof options;
  options.flags = phase | GECKOPROF_MARKER_NOW;
  return options;
}

}  // namespace

void ThreadBaseLink::MarkNow(const char* name, const char* text) const {
  if (mark_text == nullptr) return;
  const geckoprof_marker_options options = OptionsNow(GECKOPROF_MARKER_INSTANT);
  mark_text(name, kProfilerCategory << 8, &options, text, strlen(text));
}

int ThreadBaseLink::Mark(geckoprof_marker_site& site, uint32_t phase, const geckoprof_piece& payload) const {
  if (add_marker == nullptr) return GECKOPROF_NOT_RECORDING;
  const geckoprof_marker_options options = OptionsNow(phase);
  return add_marker(&site, &options, &payload, 1);
}

const ThreadBaseLink& ThreadBaseLink::Current() { return *current.load(std::memory_order_acquire); }

void ThreadBaseLink::Use(const ThreadBaseLink* link) {
  current.store(link != nullptr ? link : &base_library, std::memory_order_release);
}

}  // namespace geckoprof
