#include "geckoprofiler/thread_registration_info.h"

#include <cstring>
#include <new>

#include "geckoprof/base/text_builder.h"

namespace geckoprof {

ThreadRegistrationInfo::ThreadRegistrationInfo(const char* name, ProfilerThreadId tid, bool is_main_thread,
                                               int64_t register_time_ns, const char* name_in_base)
    : register_time_ns_(register_time_ns), tid_(tid), is_main_thread_(is_main_thread) {
  TextBuilder(name_in_base_).Text(name_in_base);
  if (name == nullptr) return;
  const size_t bytes = std::strlen(name) + 1;
  name_.reset(new (std::nothrow) char[bytes]);
  if (name_ != nullptr) std::memcpy(name_.get(), name, bytes);
}

ThreadRegistrationInfo ThreadRegistrationInfo::Copy() const {
  return ThreadRegistrationInfo(Name(), tid_, is_main_thread_, register_time_ns_, name_in_base_);
}

ThreadRegistrationInfo ThreadRegistrationInfo::CopyFor(ProfilerThreadId main_tid) const {
  return ThreadRegistrationInfo(Name(), main_tid, true, register_time_ns_, name_in_base_);
}

}  // namespace geckoprof
