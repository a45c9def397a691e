#include "io/descriptor_table.h"

#include <catch2/catch.hpp>
#include <memory>

namespace geckoprof {
namespace {

TEST_CASE("a descriptor has its row until it is forgotten") {
  const auto table = std::make_unique<DescriptorTable>();
  CHECK(table->Get(5).row() == 0);
  table->Set(5, table->Get(5), 4095, true);
  CHECK(table->Get(5).row() == 4095);
  CHECK(table->Get(5).is_socket());
  table->Forget(5);
  CHECK(table->Get(5).row() == 0);
  table->Set(5, table->Get(5), 7, false);
  CHECK(table->Get(5).row() == 7);
  CHECK_FALSE(table->Get(5).is_socket());
}

TEST_CASE("a name that was asked for before the close is not stored") {
  const auto table = std::make_unique<DescriptorTable>();
  for (int closes = 0; closes < 1000; ++closes) {
    const DescriptorTable::Entry seen = table->Get(3);
    table->Forget(3);
    table->Set(3, seen, 9, false);
    REQUIRE(table->Get(3).row() == 0);
  }
}

TEST_CASE("numbers outside the table are left alone") {
  const auto table = std::make_unique<DescriptorTable>();
  CHECK_FALSE(DescriptorTable::Has(-1));
  CHECK_FALSE(DescriptorTable::Has(DescriptorTable::kMostDescriptors));
  table->Forget(-1);
  table->Forget(1 << 30);
  table->Set(65535, table->Get(65535), 2, false);
  table->Set(4, table->Get(4), 2, false);
  table->ForgetRange(5, ~0u);
  CHECK(table->Get(65535).row() == 0);
  CHECK(table->Get(4).row() == 2);
}

}  // namespace
}  // namespace geckoprof
