// Labels: frames of the program's own making in every sample that is taken while they are open. Names follow the
// original's; each macro is there with AUTO_BASE_PROFILER_, too, and means the same: there is one stack of labels.
//
//   void Load(const char* path) {
//     AUTO_PROFILER_LABEL_DYNAMIC_CSTR("Load", STORAGE, path);       "Load a/b.json", for the rest of the scope
//     AUTO_PROFILER_LABEL_DYNAMIC_STRING("Key", STORAGE, Key(path)); copied; evaluated only while something is recorded
//     AUTO_PROFILER_LABEL_CATEGORY_PAIR(GRAPHICS_ImageDecoding);     "Image decoding"
//   }
//
// Labels are opened whether or not something is recorded, so that a recording which begins later has them, but for
// those with _HOT or _STRING. `category` is a name of Category (category.h). `label` must be a literal, or live as
// long; texts of _CSTR, too. A label ends with its scope, on the thread that it began on; what a longjmp leaves open
// goes with the next label that is opened or closed around it. Threads: any. Context: any, signal context included.
#ifndef GECKOPROF_BASEPROFILER_LABELS_H_
#define GECKOPROF_BASEPROFILER_LABELS_H_

#include <optional>
#include <string_view>

#include "baseprofiler/category.h"
#include "baseprofiler/detail/auto_profiler_label.h"
#include "baseprofiler/detail/auto_profiler_label_text.h"
#include "baseprofiler/detail/in_block.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/profiler_label_context.h"

// See InBlockOf.
#define GECKOPROF_NUMBERED_LABEL_(number, Class)          \
  enum class a_label_needs_a_block_of_its_own_##number{}; \
  const ::geckoprof::internal::InBlockOf<a_label_needs_a_block_of_its_own_##number, Class> geckoprof_label_##number
#define GECKOPROF_COUNTED_LABEL_(number, Class) GECKOPROF_NUMBERED_LABEL_(number, Class)
#define GECKOPROF_AUTO_LABEL_ GECKOPROF_COUNTED_LABEL_(__COUNTER__, ::geckoprof::baseprofiler::AutoProfilerLabel)
#define GECKOPROF_AUTO_LABEL_TEXT_ GECKOPROF_COUNTED_LABEL_(__COUNTER__, ::geckoprof::internal::AutoProfilerLabelText)
#define GECKOPROF_CATEGORY_(category) ::geckoprof::baseprofiler::Category::category
#define GECKOPROF_WHILE_ACTIVE_ ::geckoprof::baseprofiler::AutoProfilerLabel::When::kWhileActive

#define AUTO_PROFILER_LABEL(label, category) GECKOPROF_AUTO_LABEL_(label, nullptr, GECKOPROF_CATEGORY_(category))

// The text is that of the category, or of its subcategory.
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR(category)                                                \
  GECKOPROF_AUTO_LABEL_(::geckoprof::baseprofiler::TextOf(GECKOPROF_CATEGORY_(category)), nullptr, \
                        GECKOPROF_CATEGORY_(category))

// With a text of the moment, shown after the label; it must stay as it is until the scope's end.
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text) \
  GECKOPROF_AUTO_LABEL_(label, text, GECKOPROF_CATEGORY_(category))

// With a copy of a std::string, std::string_view or the like, up to its first zero byte or 511 bytes; a null pointer is
// an empty text. Not evaluated while nothing is recorded. 528 bytes of stack.
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text) \
  GECKOPROF_AUTO_LABEL_TEXT_(                                     \
      label, GECKOPROF_CATEGORY_(category),                       \
      geckoprof_base_is_active() != 0 ? ::geckoprof::internal::LabelText(text) : ::std::nullopt)
// The same of UTF-16.
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text) \
  GECKOPROF_AUTO_LABEL_TEXT_(                                       \
      label, GECKOPROF_CATEGORY_(category),                         \
      geckoprof_base_is_active() != 0 ? ::geckoprof::internal::LabelText16(text) : ::std::nullopt)

// Nothing is opened while nothing is recorded: for what runs in a few nanoseconds itself.
#define AUTO_PROFILER_LABEL_HOT(label, category) \
  GECKOPROF_AUTO_LABEL_(label, nullptr, GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT(label, category, text) \
  GECKOPROF_AUTO_LABEL_(label, text, GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(category)                                            \
  GECKOPROF_AUTO_LABEL_(::geckoprof::baseprofiler::TextOf(GECKOPROF_CATEGORY_(category)), nullptr, \
                        GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)

// `context`: a ProfilerLabelContext that this thread made.
#define AUTO_PROFILER_LABEL_FAST(label, category, context) \
  GECKOPROF_AUTO_LABEL_(context, label, nullptr, GECKOPROF_CATEGORY_(category))
#define AUTO_PROFILER_LABEL_DYNAMIC_FAST(label, text, category, context, flags) \
  GECKOPROF_AUTO_LABEL_(context, label, text, GECKOPROF_CATEGORY_(category), flags)

// `value`: a Category that is not known by name here, profiler_add_category's for example.
#define AUTO_PROFILER_LABEL_IN(label, value) GECKOPROF_AUTO_LABEL_(label, nullptr, value)
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN(label, value, text) GECKOPROF_AUTO_LABEL_(label, text, value)

// The original's other names: its strings are any string here, and nothing here is more sensitive than the rest.
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_NONSENSITIVE(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text)
#define AUTO_PROFILER_LABEL_DYNAMIC_NSCSTRING(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text)
#define AUTO_PROFILER_LABEL_DYNAMIC_NSCSTRING_NONSENSITIVE(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text)
#define AUTO_PROFILER_LABEL_DYNAMIC_LOSSY_NSSTRING(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text)

#define AUTO_BASE_PROFILER_LABEL(label, category) AUTO_PROFILER_LABEL(label, category)
#define AUTO_BASE_PROFILER_LABEL_CATEGORY_PAIR(category) AUTO_PROFILER_LABEL_CATEGORY_PAIR(category)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text)
#define AUTO_BASE_PROFILER_LABEL_HOT(label, category) AUTO_PROFILER_LABEL_HOT(label, category)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR_HOT(label, category, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT(label, category, text)
#define AUTO_BASE_PROFILER_LABEL_CATEGORY_PAIR_HOT(category) AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(category)
#define AUTO_BASE_PROFILER_LABEL_FAST(label, category, context) AUTO_PROFILER_LABEL_FAST(label, category, context)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_FAST(label, text, category, context, flags) \
  AUTO_PROFILER_LABEL_DYNAMIC_FAST(label, text, category, context, flags)
#define AUTO_BASE_PROFILER_LABEL_IN(label, value) AUTO_PROFILER_LABEL_IN(label, value)
#define AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR_IN(label, value, text) \
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN(label, value, text)

#endif  // GECKOPROF_BASEPROFILER_LABELS_H_
