#ifndef GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_
#define GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_

#include <initializer_list>
#include <string_view>

#include "tools/check/value_checker.h"
#include "tools/profile/gecko_table.h"

namespace geckoprof {

// The member `key` as a table: schema and data are there, the columns have different positions from 0 on, each of
// `columns` is among them, and no row is longer than the schema. A table that is not one comes back empty.
GeckoTable CheckGeckoTable(JsonView owner, std::string_view key, std::initializer_list<std::string_view> columns,
                           const JsonPath& path, ValueChecker* checker,
                           ValueChecker::Need need = ValueChecker::Need::kRequired);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_GECKO_TABLE_RULES_H_
