#ifndef GECKOPROF_TOOLS_CHECK_FAULT_LIST_H_
#define GECKOPROF_TOOLS_CHECK_FAULT_LIST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/json/json_path.h"

namespace geckoprof {

// FaultList: what a validator found. A fault is content that the viewer refuses or shows wrongly, and it makes the file
// bad. A warning is odd content that the viewer does not need, or shows rightly. All are counted. Only the first
// `limit` of each are kept as text, because a bad file may have millions.
class FaultList {
 public:
  explicit FaultList(size_t limit) : limit_(limit) {}

  void Fault(const JsonPath& path, std::string_view what) { Add(path, what, &faults_, &fault_count_); }
  void Warning(const JsonPath& path, std::string_view what) { Add(path, what, &warnings_, &warning_count_); }

  // "$.threads[3].name: is missing"
  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  size_t fault_count() const { return fault_count_; }
  size_t warning_count() const { return warning_count_; }

 private:
  void Add(const JsonPath& path, std::string_view what, std::vector<std::string>* list, size_t* count);

  const size_t limit_;
  std::vector<std::string> faults_, warnings_;
  size_t fault_count_ = 0, warning_count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_FAULT_LIST_H_
