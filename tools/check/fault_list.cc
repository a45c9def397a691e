#include "tools/check/fault_list.h"

#include "tools/text/concat.h"

namespace geckoprof {

void FaultList::Add(const JsonPath& path, std::string_view what, std::vector<std::string>* list, size_t* count) {
  if (++*count <= limit_) list->push_back(Concat(path.ToString(), ": ", what));
}

}  // namespace geckoprof
