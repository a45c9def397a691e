#include "tools/profile/gecko_table.h"

namespace geckoprof {

std::optional<size_t> GeckoTable::Column(std::string_view name) const {
  const std::optional<int64_t> position = schema_[name].AsInteger();
  if (!position.has_value() || *position < 0 || static_cast<size_t>(*position) >= kMaxColumns) return std::nullopt;
  return static_cast<size_t>(*position);
}

}  // namespace geckoprof
