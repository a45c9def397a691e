#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_VALUES_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_VALUES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// MarkerValues converts the values that a program passes for the fields of a type into a payload. It borrows both.
//
// Threads: any. Context: signal safe.
class MarkerValues {
 public:
  MarkerValues(const geckoprof_marker_type* type, std::span<const geckoprof_value> values)
      : fields_(type == nullptr ? nullptr : type->fields,
                type == nullptr ? size_t{0} : static_cast<size_t>(type->field_count)),
        values_(values) {}

  size_t count() const { return fields_.size(); }
  // Returns true if there is one value for each field, of a kind that the field can hold.
  bool Fit() const;
  // Returns true if no value is a list or a table. Values that are written in place need a size known in advance.
  bool HaveFixedSizes() const;

  // Writes all values. REQUIRES: Fit(). `Sink` is internal::Payload. If HaveFixedSizes(), it may also be PayloadSize or
  // PayloadInPlace.
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
        if constexpr (requires { sink.AppendRow(1); }) {
          sink.List(value.count, [&](size_t i) { return AppendElement(value, i, sink); });
        }
        return;
      default:
        return sink.Number(value.as.whole);
    }
  }
  // Appends one text of a list, or one row of a table. Returns false if there is no room.
  template <typename Sink>
  static bool AppendElement(const geckoprof_value& list, size_t index, Sink& sink) {
    if (list.kind == GECKOPROF_GIVEN_STRINGS) {
      const char* const text = list.as.texts[index];  // null: the empty text
      return sink.AppendText(text != nullptr ? text : "");
    }
    if (list.kind == GECKOPROF_GIVEN_VALUES) return AppendCell(list.as.values[index], sink);
    const geckoprof_value* const row = list.as.values + index * list.columns;
    bool fits = sink.AppendRow(list.columns);
    for (uint32_t i = 0; fits && i < list.columns; ++i) fits = AppendCell(row[i], sink);
    return fits;
  }
  template <typename Sink>
  static bool AppendCell(const geckoprof_value& cell, Sink& sink) {
    switch (cell.kind) {
      case GECKOPROF_FIELD_STRING:
        return sink.AppendText({cell.as.text, cell.count});
      case GECKOPROF_FIELD_INT64:
        return sink.AppendInt(cell.as.number);
      case GECKOPROF_FIELD_BOOL:
        return sink.AppendTag(cell.as.whole != 0 ? GECKOPROF_VALUE_TRUE : GECKOPROF_VALUE_FALSE);
      case GECKOPROF_GIVEN_NOTHING:
        return sink.AppendTag(GECKOPROF_VALUE_NULL);
      case GECKOPROF_FIELD_NS:
        if (cell.as.number == GECKOPROF_NS_NONE) return sink.AppendTag(GECKOPROF_VALUE_NULL);
        return sink.AppendDouble(static_cast<double>(cell.as.number) / 1e6);
      case GECKOPROF_FIELD_UINT64:
        return cell.as.number >= 0 ? sink.AppendInt(cell.as.number) : sink.AppendUint(cell.as.whole);
      default:
        return sink.AppendDouble(AsDouble(cell));
    }
  }
  static double AsDouble(const geckoprof_value& value);

  const std::span<const geckoprof_marker_field> fields_;
  const std::span<const geckoprof_value> values_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_VALUES_H_
