// malloc_program: malloc, free and mmap are its own. First mode "hook": each allocation marks. Mode "count": no form of
// marker on a warm thread allocates: prints the form that does.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_base.h"

namespace {
thread_local bool t_marks = false;
thread_local bool t_counts = false;
thread_local const char* t_first = nullptr;

void Met(const char* function) {
  if (t_counts && t_first == nullptr) t_first = function;
  if (t_marks) {
    t_marks = false;
    PROFILER_MARKER_TEXT("in malloc", OTHER, {}, function);
    t_marks = true;
  }
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t);
void __libc_free(void*);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t size) {
  Met("malloc");
  return __libc_malloc(size);
}
void free(void* memory) {
  Met("free");
  __libc_free(memory);
}
void* calloc(size_t count, size_t size) {
  Met("calloc");
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  Met("realloc");
  return __libc_realloc(memory, size);
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  Met("mmap");
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, fd, offset));
}
}

namespace {
using namespace geckoprof;  // NOLINT: as a user of the macros would

struct Mixed : BaseMarkerType<Mixed> {
  using MS = MarkerSchema;
  static constexpr const char* Name = "Mixed";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"a", MS::InputType::Uint64, "A", MS::Format::Integer},
      {"w", MS::InputType::String, "W"},
      {"l", MS::InputType::StringList, "L", MS::Format::List},
      {"o", MS::InputType::Double, "O", MS::Format::Decimal, MS::PayloadFlags::Optional}};
};

int g_faults = 0;
template <typename Mark>
void Check(const char* form, const Mark& mark) {
  for (int i = 0; i < 100; ++i) mark();
  t_first = nullptr;
  t_counts = true;
  for (int i = 0; i < 10'000; ++i) mark();
  t_counts = false;
  if (t_first == nullptr) return;
  printf("%s: %s\n", form, t_first);
  ++g_faults;
}

int Count() {
  // A test that counts nothing would find nothing.
  Check("control", [] { free(malloc(10)); });
  if (g_faults != 1) puts("malloc is not counted");
  g_faults = 0;
  const std::string name = "a name that is longer than what strings keep inside";
  const std::string text(200, 't');
  const std::u16string wide(100, u'w');
  const std::vector<std::string> list = {"one", "two"};
  geckoprof_marker_site site = {sizeof(geckoprof_marker_site), 1 << 8, "C", nullptr, 0};
  Check("untyped", [] { PROFILER_MARKER_UNTYPED("untyped", OTHER); });
  Check("untyped dynamic", [&] { PROFILER_MARKER_UNTYPED(name, OTHER); });
  Check("options",
        [] { PROFILER_MARKER_UNTYPED("o", OTHER, MarkerThreadId::MainThread(), MarkerTiming::IntervalEnd()); });
  Check("text", [] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); });
  Check("long text", [&] { PROFILER_MARKER_TEXT("text", OTHER, {}, text); });
  Check("typed", [] { PROFILER_MARKER("typed", OTHER, {}, markers::NetIO, 1, 2); });
  Check("mixed", [&] { PROFILER_MARKER("mixed", OTHER, {}, Mixed, 1u, wide, list, std::optional<double>(0.5)); });
  Check("stack", [] { PROFILER_MARKER_TEXT("stack", OTHER, MarkerStack::Capture(), "sixteen bytes ok"); });
  Check("labels",
        [] { PROFILER_MARKER_UNTYPED("labels", OTHER, MarkerStack::Capture(StackCaptureOptions::NonNative)); });
  Check("scope", [] { AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER); });
  Check("auto text", [&] { AUTO_PROFILER_MARKER_TEXT("auto text", OTHER, {}, text); });
  Check("auto typed", [] { AUTO_PROFILER_MARKER("auto typed", OTHER, {}, markers::NetIO, 1, 2); });
  Check("function", [&] { profiler_add_marker(name, MarkerCategory::OTHER); });
  Check("function typed", [&] { profiler_add_marker(name, MarkerCategory::OTHER, {}, markers::Text{}, text); });
  Check("in place", [&] { geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_NOW, 0, 0, 0); });
  geckoprof_lazy_type of_c = GECKOPROF_LAZY_TYPE(&internal::g_marker_type<Mixed>);
  const char* const texts[] = {"one", "two"};
  Check("C API instant", [] { GECKOPROF_MARK("c", GECKOPROF_CATEGORY_OTHER); });
  Check("C API text",
        [&] { GECKOPROF_MARK_TEXT(name.c_str(), GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), text.c_str()); });
  Check("C API typed", [&] {
    GECKOPROF_MARK_TYPED("c typed", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), &of_c, geckoprof_uint64(1),
                         geckoprof_string(text.c_str()), geckoprof_strings(texts, 2), geckoprof_nothing());
  });
  if (of_c.type == nullptr) puts("the type of the C API is refused");
  Check("C API scope and label", [] {
    GECKOPROF_SCOPE("c scope", GECKOPROF_CATEGORY_OTHER);
    GECKOPROF_LABEL("c label", GECKOPROF_CATEGORY_OTHER);
  });
  const geckoprof_counter_description counted = {sizeof counted, 0, "c", "Memory", "", "bytes", nullptr};
  geckoprof_counter* const counter = geckoprof_base_counter_create(&counted);
  Check("C API counter", [&] { geckoprof_base_counter_add(counter, 1); });
  Check("C text", [] { geckoprof_base_mark_text("text", 1 << 8, nullptr, "t", 1); });
  return g_faults;
}

int Hook() {
  t_marks = true;
  std::vector<std::string> grown;
  for (int i = 0; i < 1000; ++i) grown.emplace_back(100, 'x');
  PROFILER_MARKER_UNTYPED("outside", OTHER);
  t_marks = false;
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  usleep(30'000);
  return argc > 1 && strcmp(argv[1], "hook") == 0 ? Hook() : Count();
}
