#ifndef GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_
#define GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/check/fault_list.h"
#include "tools/profile/json_document.h"
#include "tools/profile/json_path.h"

namespace geckoprof {

// ValueChecker: the questions that every rule asks of single values. An answer of the wrong kind is put on the fault
// list, and the caller gets a missing or empty one, with which it can go on.
//
// Functions with `key` look at a member of `object` that stands at `path`; those without, at a value that stands at
// `path`.
class ValueChecker {
 public:
  enum class Need { kRequired, kOptional };  // kOptional: may be missing or null

  explicit ValueChecker(FaultList* faults) : faults_(faults) {}

  FaultList& faults() { return *faults_; }
  void Fault(const JsonPath& path, std::string_view what) { faults_->Fault(path, what); }
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
  // The value itself is a number, not negative.
  std::optional<double> NotNegative(JsonView value, const JsonPath& path, std::string_view what, Need need);
  // Neither negative nor with a fraction, and none that 64 bits do not hold.
  void Whole(JsonView value, const JsonPath& path, std::string_view what, Need need);
  // The value is an index below `limit` ("stack index 99 is out of range (0..42)"). `what` names what it is an index
  // of.
  std::optional<size_t> Index(JsonView value, size_t limit, const JsonPath& path, std::string_view what, Need need);
  // Where "none" is -1 and not null.
  std::optional<size_t> IndexOrMinusOne(JsonView value, size_t limit, const JsonPath& path, std::string_view what);

 private:
  // False, with a fault, if the value is missing or null and was needed, or not of the type.
  bool Is(bool of_type, JsonView value, const JsonPath& path, std::string_view type, Need need);

  FaultList* faults_;
};

// A time may not be earlier than the one before it.
class TimeOrder {
 public:
  void Check(double time_ms, const JsonPath& path, ValueChecker* checker);

 private:
  std::optional<double> last_ms_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_VALUE_CHECKER_H_
