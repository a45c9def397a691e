#ifndef GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_
#define GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/json/json_document.h"

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

template <size_t n>
bool IsOneOf(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// ValueChecker has the questions that every rule asks of single values. A value of the wrong kind is put on the fault
// list. The caller then gets a missing or empty value, with which it can go on.
//
// Functions with `key` look at a member of the `object` at `path`. The others look at the value at `path`.
class ValueChecker {
 public:
  enum class Need { kRequired, kOptional };  // kOptional: may be missing or null

  explicit ValueChecker(FaultList* faults) : faults_(faults) {}

  // Returns a checker for values that the viewer does not need, or shows as they are. Its answers of the wrong kind are
  // warnings.
  ValueChecker Lenient() const {
    ValueChecker lenient(faults_);
    lenient.is_lenient_ = true;
    return lenient;
  }

  FaultList& faults() { return *faults_; }
  void Fault(const JsonPath& path, std::string_view what) {
    is_lenient_ ? faults_->Warning(path, what) : faults_->Fault(path, what);
  }
  void Warning(const JsonPath& path, std::string_view what) { faults_->Warning(path, what); }

  JsonView Object(JsonView object, std::string_view key, const JsonPath& path, Need need = Need::kRequired);
  JsonView Array(JsonView object, std::string_view key, const JsonPath& path, Need need = Need::kRequired);
  std::optional<std::string_view> String(JsonView object, std::string_view key, const JsonPath& path,
                                         Need need = Need::kRequired);
  std::optional<double> Number(JsonView object, std::string_view key, const JsonPath& path,
                               Need need = Need::kRequired);
  void Bool(JsonView object, std::string_view key, const JsonPath& path, Need need = Need::kRequired);

  // The value itself is a number.
  std::optional<double> AnyNumber(JsonView value, const JsonPath& path, Need need);
  // The value itself is a number. A negative one is odd, and shown.
  std::optional<double> NotNegative(JsonView value, const JsonPath& path, std::string_view what, Need need);
  // Checks that a number is whole, not negative, and fits into 64 bits.
  void Whole(JsonView value, const JsonPath& path, std::string_view what, Need need);
  // The value is an index below `limit` ("stack index 99 is out of range (0..42)"). `what` names what it is an index
  // of.
  std::optional<size_t> Index(JsonView value, size_t limit, const JsonPath& path, std::string_view what, Need need);
  // Checks an index that is -1 if there is none, and not null.
  std::optional<size_t> IndexOrMinusOne(JsonView value, size_t limit, const JsonPath& path, std::string_view what);

 private:
  // Returns false, with a fault, if the value is not of the type. A value that is not needed may be missing or null.
  bool Is(bool of_type, JsonView value, const JsonPath& path, std::string_view type, Need need);

  FaultList* faults_;
  bool is_lenient_ = false;
};

// TimeOrder checks that no time is earlier than the one before it.
class TimeOrder {
 public:
  void Check(double time_ms, const JsonPath& path, ValueChecker* checker);

 private:
  std::optional<double> last_ms_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_
