// Changes rows of a list that only grows.
#ifndef GECKOPROF_TESTS_SUPPORT_CHANGED_ROWS_H_
#define GECKOPROF_TESTS_SUPPORT_CHANGED_ROWS_H_

#include <cstddef>

#include "geckoprof/reader/row_list.h"

namespace geckoprof {

template <typename Codec, typename Change>
void ChangeRows(RowList<Codec>& rows, const Change& change) {
  RowList<Codec> changed;
  for (typename Codec::Row row : rows) {
    change(row);
    changed.push_back(row);
  }
  rows = changed;
}

template <typename Codec, typename Change>
void ChangeRow(RowList<Codec>& rows, size_t index, const Change& change) {
  size_t next = 0;
  ChangeRows(rows, [&](typename Codec::Row& row) {
    if (next++ == index) change(row);
  });
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_CHANGED_ROWS_H_
