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

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "baseprofiler/category.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/label_abi.h"
#include "baseprofiler/marker_text.h"
#include "baseprofiler/profiler_label_context.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::baseprofiler {

// AutoProfilerLabel: a label that is open while the object lives. The texts are not copied, and `dynamic` may be null.
// The label belongs to the function that makes the object, and it ends on the thread that made it.
// Context: any, signal context included.
class AutoProfilerLabel {
 public:
  // The code is inlined into the function where the object stands, optimised or not. The label's address is therefore
  // the stack pointer of that function. The object's own address would force the object into memory, and a hot label
  // would cost twice as much.
#define GECKOPROF_IN_PLACE_ GECKOPROF_ATTRIBUTE_(always_inline)

  // kWhileActive opens no label while the profiler is inactive.
  enum class When : uint8_t { kAlways, kWhileActive };

  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const char* label, const char* dynamic, Category category,
                                        When when = When::kAlways)
      : stack_(when == When::kAlways || IsActive() ? geckoprof_base_own_labels() : nullptr) {
    Push(label, dynamic, category);
  }
  // The context belongs to the calling thread. The flags are Firefox's, and mean nothing without scripts.
  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const ProfilerLabelContext& context, const char* label, const char* dynamic,
                                        Category category, uint32_t /*flags*/ = 0)
      : stack_(context.labels()) {
    Push(label, dynamic, category);
  }
  // Refuses texts that the other constructors do not take.
  template <typename Label, typename Dynamic, typename... Rest,
            typename = std::enable_if_t<!std::is_convertible_v<Label, const char*> ||
                                        !std::is_convertible_v<Dynamic, const char*>>>
  AutoProfilerLabel(const Label&, const Dynamic&, Category, Rest...) : stack_(nullptr) {
    static_assert(sizeof(Label) == 0,
                  "a label and its text are const char* that live as long: AUTO_PROFILER_LABEL_DYNAMIC_STRING copies");
  }
  GECKOPROF_IN_PLACE_ ~AutoProfilerLabel() {
    if (stack_ != nullptr) geckoprof_base_label_pop(stack_, depth_);
  }
  AutoProfilerLabel(const AutoProfilerLabel&) = delete;
  AutoProfilerLabel& operator=(const AutoProfilerLabel&) = delete;

 private:
  // The hint makes the compiler place the code that opens a hot label out of line.
  GECKOPROF_IN_PLACE_ static bool IsActive() { return GECKOPROF_UNLIKELY_(geckoprof_base_is_active() != 0); }
  GECKOPROF_IN_PLACE_ void Push(const char* label, const char* dynamic, Category category) {
    if (stack_ != nullptr) depth_ = geckoprof_base_label_push(stack_, label, dynamic, ToCategoryPair(category));
  }

  geckoprof_label_stack* const stack_;  // Null: no label is open.
  uint32_t depth_ = 0;
};

}  // namespace geckoprof::baseprofiler

#if GECKOPROF_IS_ENABLED_

namespace geckoprof::internal {

// Returns the text of a label. A null pointer is an empty text.
inline std::optional<std::string_view> LabelText(MarkerText text) { return text; }
template <typename Source>
std::optional<std::u16string_view> LabelText16(const Source& given) {
  if constexpr (std::is_convertible_v<const Source&, const char16_t*>) {
    const char16_t* const text = given;
    return text == nullptr ? std::u16string_view() : std::u16string_view(text);
  } else {
    return std::u16string_view(given);
  }
}

// AutoProfilerLabelText is a label with a copy of its text. It is opened only while something is recorded, and uses no
// heap. A text of more than kTextBytes - 1 bytes is cut between characters. Context: as AutoProfilerLabel.
class AutoProfilerLabelText {
 public:
  static constexpr size_t kTextBytes = 512;  // The same as in Firefox.

  // Opens nothing without a text.
  GECKOPROF_IN_PLACE_ AutoProfilerLabelText(const char* label, MarkerCategory category,
                                            std::optional<std::string_view> text)
      : stack_(text.has_value() ? geckoprof_base_own_labels() : nullptr) {
    if (stack_ == nullptr) return;
    Copy(*text);
    depth_ = geckoprof_base_label_push(stack_, label, text_, static_cast<uint32_t>(category));
  }
  // Converts from UTF-16. An unpaired surrogate becomes U+FFFD.
  GECKOPROF_IN_PLACE_ AutoProfilerLabelText(const char* label, MarkerCategory category,
                                            std::optional<std::u16string_view> text)
      : stack_(text.has_value() ? geckoprof_base_own_labels() : nullptr) {
    if (stack_ == nullptr) return;
    Copy(*text);
    depth_ = geckoprof_base_label_push(stack_, label, text_, static_cast<uint32_t>(category));
  }
  GECKOPROF_IN_PLACE_ ~AutoProfilerLabelText() {
    if (stack_ != nullptr) geckoprof_base_label_pop(stack_, depth_);
  }
  AutoProfilerLabelText(const AutoProfilerLabelText&) = delete;
  AutoProfilerLabelText& operator=(const AutoProfilerLabelText&) = delete;

 private:
  void Copy(std::string_view text) {
    text = Utf8Cut(text, kTextBytes - 1);
    if (!text.empty()) memcpy(text_, text.data(), text.size());
    text_[text.size()] = '\0';
  }
  void Copy(std::u16string_view text) {
    size_t size = 0;
    for (size_t i = 0; i < text.size() && size + 4 < kTextBytes; ++i) {
      size += EncodeUtf8(Utf16Character(text, i), text_ + size);
    }
    text_[size] = '\0';
  }

  geckoprof_label_stack* const stack_;  // Null: no label is open.
  uint32_t depth_ = 0;
  char text_[kTextBytes];
};

}  // namespace geckoprof::internal

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
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR(category)                                                 \
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
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(category)                                             \
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

#else

#define AUTO_PROFILER_LABEL(label, category) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR(category) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR(label, category, text) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING(label, category, text) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_STRING16(label, category, text) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_HOT(label, category) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT(label, category, text) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(category) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_FAST(label, category, context) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_FAST(label, text, category, context, flags) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_IN(label, value) GECKOPROF_NOTHING_
#define AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN(label, value, text) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

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
