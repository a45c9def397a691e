#ifndef GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_
#define GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_

#include <initializer_list>
#include <string_view>

#include "tools/check/value_checker.h"
#include "tools/profile/gecko_table.h"

namespace geckoprof {

// Returns the member `key` as a table. Schema and data are there, the columns have different positions, and each of
// `columns` is among them. No row is longer than the schema. A member that is no table comes back empty.
GeckoTable CheckGeckoTable(JsonView owner, std::string_view key, std::initializer_list<std::string_view> columns,
                           const JsonPath& path, ValueChecker* checker,
                           ValueChecker::Need need = ValueChecker::Need::kRequired);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_
