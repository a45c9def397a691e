#include "tools/profile/main_measure.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("bytes are what a profile is counted in only where there is nothing else") {
  ProfileModel model;
  CHECK_FALSE(MainMeasure(model).in_bytes());
  model.threads.resize(2);
  model.threads[0].weight_unit = ProfileWeightUnit::kBytes;
  model.threads[0].samples = {{1, 100, -1, kNoRow}};
  const MainMeasure bytes(model);  // the other thread has no rows
  CHECK(bytes.in_bytes());
  CHECK(bytes.Has(model.threads[0]));
  CHECK_FALSE(bytes.Has(model.threads[1]));
  model.threads[1].weight_unit = ProfileWeightUnit::kMs;
  model.threads[1].samples = {{1, 1, -1, kNoRow}};
  const MainMeasure samples(model);
  CHECK_FALSE(samples.in_bytes());
  CHECK_FALSE(samples.Has(model.threads[0]));
  CHECK(samples.Has(model.threads[1]));
}

}  // namespace
}  // namespace geckoprof
