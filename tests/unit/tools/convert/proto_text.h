// Fields of a protobuf message by a path of their numbers, for tests.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_PROTO_TEXT_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_PROTO_TEXT_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/convert/proto_wire.h"

namespace geckoprof {

// Every value of a field, messages and texts as their bytes, numbers in decimal.
inline std::vector<std::string> ProtoValues(std::string_view message, uint32_t field) {
  std::vector<std::string> values;
  ProtoReader reader(message);
  while (reader.Next()) {
    if (reader.field() != field) continue;
    values.push_back(reader.is_number() ? std::to_string(reader.number()) : std::string(reader.bytes()));
  }
  CHECK_FALSE(reader.failed());
  return values;
}

inline std::string ProtoValue(std::string_view message, uint32_t field) {
  const std::vector<std::string> values = ProtoValues(message, field);
  return values.empty() ? "" : values.back();
}

inline std::vector<uint64_t> ProtoNumbers(std::string_view message, uint32_t field) {
  std::vector<uint64_t> numbers;
  for (ProtoReader reader(message); reader.Next();) {
    if (reader.field() == field) CHECK(reader.AppendNumbers(&numbers));
  }
  return numbers;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_PROTO_TEXT_H_
