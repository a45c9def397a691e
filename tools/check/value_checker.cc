#include "tools/check/value_checker.h"

#include <cmath>

#include "tools/text/concat.h"

namespace geckoprof {

void FaultList::Add(const JsonPath& path, std::string_view what, std::vector<std::string>* list, size_t* count) {
  if (++*count <= limit_) list->push_back(Concat(path.ToString(), ": ", what));
}

bool ValueChecker::Is(bool of_type, JsonView value, const JsonPath& path, std::string_view type, Need need) {
  if (of_type) return true;
  if (value.IsNull() && need == Need::kOptional) return false;
  if (!value.Exists()) {
    Fault(path, "is missing");
  } else {
    Fault(path, Concat("is ", value.TypeName(), ", not ", type));
  }
  return false;
}

JsonView ValueChecker::Object(JsonView object, std::string_view key, const JsonPath& path, Need need) {
  const JsonView value = object[key];
  return Is(value.IsObject(), value, path / key, "object", need) ? value : JsonView();
}

JsonView ValueChecker::Array(JsonView object, std::string_view key, const JsonPath& path, Need need) {
  const JsonView value = object[key];
  return Is(value.IsArray(), value, path / key, "array", need) ? value : JsonView();
}

std::optional<std::string_view> ValueChecker::String(JsonView object, std::string_view key, const JsonPath& path,
                                                     Need need) {
  const JsonView value = object[key];
  if (!Is(value.IsString(), value, path / key, "string", need)) return std::nullopt;
  return value.AsString();
}

std::optional<double> ValueChecker::Number(JsonView object, std::string_view key, const JsonPath& path, Need need) {
  const JsonView value = object[key];
  if (!Is(value.IsNumber(), value, path / key, "number", need)) return std::nullopt;
  return value.AsNumber();
}

void ValueChecker::Bool(JsonView object, std::string_view key, const JsonPath& path, Need need) {
  const JsonView value = object[key];
  Is(value.IsBool(), value, path / key, "boolean", need);
}

std::optional<double> ValueChecker::AnyNumber(JsonView value, const JsonPath& path, Need need) {
  return Is(value.IsNumber(), value, path, "number", need) ? value.AsNumber() : std::nullopt;
}

std::optional<double> ValueChecker::NotNegative(JsonView value, const JsonPath& path, std::string_view what,
                                                Need need) {
  if (!Is(value.IsNumber(), value, path, "number", need)) return std::nullopt;
  const std::optional<double> number = value.AsNumber();
  if (*number < 0) Warning(path, Concat(what, " ", *number, " is negative"));
  return number;
}

void ValueChecker::Whole(JsonView value, const JsonPath& path, std::string_view what, Need need) {
  const std::optional<double> number = AnyNumber(value, path, need);
  constexpr double kBeyond = 0x1p64;
  if (!number.has_value()) return;
  if (*number < 0) {
    Fault(path, Concat(what, " ", *number, " is negative"));
  } else if (*number != std::floor(*number) || *number > kBeyond) {
    Fault(path, Concat(what, " ", *number, " is no whole number"));
  }
}

std::optional<size_t> ValueChecker::Index(JsonView value, size_t limit, const JsonPath& path, std::string_view what,
                                          Need need) {
  const std::optional<int64_t> index = value.AsInteger();
  if (!Is(index.has_value(), value, path, "index", need)) return std::nullopt;
  if (*index >= 0 && static_cast<uint64_t>(*index) < limit) return static_cast<size_t>(*index);
  if (limit == 0) {
    Fault(path, Concat(what, " index ", *index, " is out of range (there is none)"));
  } else {
    Fault(path, Concat(what, " index ", *index, " is out of range (0..", limit - 1, ")"));
  }
  return std::nullopt;
}

std::optional<size_t> ValueChecker::IndexOrMinusOne(JsonView value, size_t limit, const JsonPath& path,
                                                    std::string_view what) {
  if (value.AsInteger() == -1) return std::nullopt;
  return Index(value, limit, path, what, Need::kRequired);
}

void TimeOrder::Check(double time_ms, const JsonPath& path, ValueChecker* checker) {
  if (last_ms_.has_value() && time_ms < *last_ms_) {
    checker->Fault(path, Concat("time ", time_ms, " is earlier than that of the row before (", *last_ms_, ")"));
  }
  last_ms_ = time_ms;
}

}  // namespace geckoprof
