#ifndef GECKOPROF_TOOLS_OPTIONS_OPTION_LISTING_H_
#define GECKOPROF_TOOLS_OPTIONS_OPTION_LISTING_H_

#include <utility>
#include <vector>

#include "tools/options/option_table.h"

namespace geckoprof {

// OptionListing: while there is one, sub-commands do not run: CommandOptions::Parse hands over the table of their
// options and ends them. So what is made of the tables follows the commands. Threads: one, and one object at a time.
class OptionListing {
 public:
  OptionListing() { current_ = this; }
  ~OptionListing() { current_ = nullptr; }
  OptionListing(const OptionListing&) = delete;
  OptionListing& operator=(const OptionListing&) = delete;

  // Null: there is none.
  static OptionListing* Current() { return current_; }

  void Add(OptionTable table) { tables_.push_back(std::move(table)); }
  const std::vector<OptionTable>& tables() const { return tables_; }

 private:
  static OptionListing* current_;

  std::vector<OptionTable> tables_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_OPTION_LISTING_H_
