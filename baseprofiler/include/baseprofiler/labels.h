// Labels are frames that the program adds to every sample that is taken while they are open. Names follow Firefox's.
// Each macro exists with AUTO_BASE_PROFILER_, too, and means the same, since there is one stack of labels.
//
//   void Load(const char* path) {
//     AUTO_PROFILER_LABEL_DYNAMIC_CSTR("Load", STORAGE, path);       "Load a/b.json", for the rest of the scope
//     AUTO_PROFILER_LABEL_DYNAMIC_STRING("Key", STORAGE, Key(path)); copied; evaluated only while something is recorded
//     AUTO_PROFILER_LABEL_CATEGORY_PAIR(GRAPHICS_ImageDecoding);     "Image decoding"
//   }
//
// Labels are also opened while nothing is recorded, so that a recording which begins later has them. Labels of the
// macros with _HOT or _STRING are not. `category` is a name of Category (category.h). `label` and the texts of _CSTR
// are not copied. They must be literals, or stay valid while the label is open. A label ends with its scope, on the
// thread that it began on. docs/guides/labels.md states the rule for longjmp. Threads: any. Context: any, signal
// context included.
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

// InBlockOf says why the label needs a block of its own.
#define GECKOPROF_NUMBERED_LABEL_(number, Class)          \
  enum class a_label_needs_a_block_of_its_own_##number{}; \
  const ::geckoprof::internal::InBlockOf<a_label_needs_a_block_of_its_own_##number, Class> geckoprof_label_##number
#define GECKOPROF_COUNTED_LABEL_(number, Class) GECKOPROF_NUMBERED_LABEL_(number, Class)
#define GECKOPROF_AUTO_LABEL_ GECKOPROF_COUNTED_LABEL_(__COUNTER__, ::geckoprof::baseprofiler::AutoProfilerLabel)
#define GECKOPROF_AUTO_LABEL_TEXT_ GECKOPROF_COUNTED_LABEL_(__COUNTER__, ::geckoprof::internal::AutoProfilerLabelText)
#define GECKOPROF_CATEGORY_(category) ::geckoprof::baseprofiler::Category::category
#define GECKOPROF_WHILE_ACTIVE_ ::geckoprof::baseprofiler::AutoProfilerLabel::When::kWhileActive

#define AUTO_PROFILER_LABEL(label, category) GECKOPROF_AUTO_LABEL_(label, nullptr, GECKOPROF_CATEGORY_(category))

// The text is the name of the category, or of its subcategory.
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR(category)                                                \
  GECKOPROF_AUTO_LABEL_(::geckoprof::baseprofiler::kTextOf<GECKOPROF_CATEGORY_(category)>, nullptr, \
                        GECKOPROF_CATEGORY_(category))

// The text of the moment is shown after the label. It must stay unchanged until the end of the scope.
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text) \
  GECKOPROF_AUTO_LABEL_(label, text, GECKOPROF_CATEGORY_(category))

// The label copies a std::string, std::string_view or the like, up to its first zero byte or 511 bytes. A null pointer
// is an empty text. The text is not evaluated while nothing is recorded. The label takes 528 bytes of stack.
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text) \
  GECKOPROF_AUTO_LABEL_TEXT_(                                     \
      label, GECKOPROF_CATEGORY_(category),                       \
      geckoprof_base_is_active() != 0 ? ::geckoprof::internal::LabelText(text) : ::std::nullopt)
// This macro takes UTF-16.
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text) \
  GECKOPROF_AUTO_LABEL_TEXT_(                                       \
      label, GECKOPROF_CATEGORY_(category),                         \
      geckoprof_base_is_active() != 0 ? ::geckoprof::internal::LabelText16(text) : ::std::nullopt)

// These open no label while nothing is recorded. They are for code that itself runs for a few nanoseconds.
#define AUTO_PROFILER_LABEL_HOT(label, category) \
  GECKOPROF_AUTO_LABEL_(label, nullptr, GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT(label, category, text) \
  GECKOPROF_AUTO_LABEL_(label, text, GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(category)                                            \
  GECKOPROF_AUTO_LABEL_(::geckoprof::baseprofiler::kTextOf<GECKOPROF_CATEGORY_(category)>, nullptr, \
                        GECKOPROF_CATEGORY_(category), GECKOPROF_WHILE_ACTIVE_)

// `context` is a ProfilerLabelContext that this thread made.
#define AUTO_PROFILER_LABEL_FAST(label, category, context) \
  GECKOPROF_AUTO_LABEL_(context, label, nullptr, GECKOPROF_CATEGORY_(category))
#define AUTO_PROFILER_LABEL_DYNAMIC_FAST(label, text, category, context, flags) \
  GECKOPROF_AUTO_LABEL_(context, label, text, GECKOPROF_CATEGORY_(category), flags)

// `value` is a Category without a name here, such as one from profiler_add_category.
#define AUTO_PROFILER_LABEL_IN(label, value) GECKOPROF_AUTO_LABEL_(label, nullptr, value)
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN(label, value, text) GECKOPROF_AUTO_LABEL_(label, text, value)

// These are Firefox's other names. They take any string here, and no text counts as sensitive.
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
