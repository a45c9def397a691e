#ifndef GECKOPROF_BASEPROFILER_C_API_MARKER_VALUES_H_
#define GECKOPROF_BASEPROFILER_C_API_MARKER_VALUES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// ValueTexts: the texts of a list of values, as a range.
class ValueTexts {
 public:
  explicit ValueTexts(const geckoprof_value& list) : begin_{list.as.values}, end_{list.as.values + list.count} {}

  struct Iterator {
    const geckoprof_value* at;
    std::string_view operator*() const { return {at->as.text, at->count}; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  const Iterator begin_, end_;
};

// MarkerValues: the values that a program gives for the fields of a type, and how they become a payload. Refers to
// both. Threads: any. Context: signal safe.
class MarkerValues {
 public:
  MarkerValues(const geckoprof_marker_type* type, std::span<const geckoprof_value> values)
      : fields_(type == nullptr ? nullptr : type->fields,
                type == nullptr ? size_t{0} : static_cast<size_t>(type->field_count)),
        values_(values) {}

  // One value for each field, and each of a kind that its field can hold.
  bool Fit() const;
  // No list is among them: what is written in place knows its size before.
  bool HaveFixedSizes() const;

  // Writes all. REQUIRES: Fit(). Sink: internal::Payload; PayloadSize or PayloadInPlace if HaveFixedSizes().
  template <typename Sink>
  void WriteTo(Sink& sink) const {
    for (size_t i = 0; i < fields_.size(); ++i) {
      const bool given = values_[i].kind != GECKOPROF_GIVEN_NOTHING;
      if ((fields_[i].flags & GECKOPROF_FIELD_OPTIONAL) != 0) sink.Byte(given ? 1 : 0);
      if (given) Write(fields_[i].kind, values_[i], sink);
    }
  }

 private:
  template <typename Sink>
  static void Write(uint32_t kind, const geckoprof_value& value, Sink& sink) {
    switch (kind) {
      case GECKOPROF_FIELD_DOUBLE:
        return sink.Number(AsDouble(value));
      case GECKOPROF_FIELD_BOOL:
        return sink.Byte(value.as.whole != 0 ? 1 : 0);
      case GECKOPROF_FIELD_STRING:
        return sink.Text(std::string_view(value.as.text, value.count));
      case GECKOPROF_FIELD_VALUE:
        if constexpr (requires { sink.List(ValueTexts(value)); }) {
          if (value.kind == GECKOPROF_GIVEN_VALUES) return sink.List(ValueTexts(value));
          sink.List(std::span(value.as.texts, value.count));
        }
        return;
      default:
        return sink.Number(value.as.whole);
    }
  }
  static double AsDouble(const geckoprof_value& value);

  const std::span<const geckoprof_marker_field> fields_;
  const std::span<const geckoprof_value> values_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_C_API_MARKER_VALUES_H_
