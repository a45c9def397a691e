#include "tools/options/option_listing.h"

namespace geckoprof {

OptionListing* OptionListing::current_ = nullptr;

}  // namespace geckoprof
