#ifndef GECKOPROF_TESTS_UNIT_TOOLS_PROCESSED_FORMAT_WRITTEN_JSON_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_PROCESSED_FORMAT_WRITTEN_JSON_H_

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

// What `write(writer)` writes, read back.
template <typename Write>
rapidjson::Document WrittenJson(Write write) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  write(writer);
  REQUIRE(writer.Finish());
  rapidjson::Document document;
  document.Parse(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_PROCESSED_FORMAT_WRITTEN_JSON_H_
