// The library under test is one of its own: linked into the test itself, its operator new would serve the test too.
#include <catch2/catch.hpp>
#include <cstring>

#include "runtime/operator_new_user.h"

namespace {

// The heap hands out again what was given back last.
TEST_CASE("every form of new takes from our heap") {
  for (const NewForm form : {NewForm::kPlain, NewForm::kArray, NewForm::kNothrow}) {
    INFO(static_cast<int>(form));
    void* const block = operator_new_user_heap_take(5000);
    operator_new_user_heap_give(block);
    void* const again = operator_new_user_take(form, 5000);
    CHECK(again == block);
    memset(again, 0x5a, 5000);
    CHECK(operator_new_user_take(form, 5000) != again);
  }
}

TEST_CASE("every form of delete gives back to our heap") {
  for (const DeleteForm form :
       {DeleteForm::kPlain, DeleteForm::kArray, DeleteForm::kSized, DeleteForm::kSizedArray, DeleteForm::kNothrow}) {
    INFO(static_cast<int>(form));
    void* const block = operator_new_user_heap_take(700);
    operator_new_user_give(form, block, 700);
    CHECK(operator_new_user_heap_take(700) == block);
    operator_new_user_give(form, nullptr, 0);
  }
}

TEST_CASE("where a container would throw, what was being done is given up and the next thing works") {
  for (const Wish wish : {Wish::kTooLong, Wish::kNullText, Wish::kOutOfRange, Wish::kNoMemory, Wish::kArrayTooLong,
                          Wish::kHugeNew, Wish::kHugeNothrowNew}) {
    INFO(static_cast<int>(wish));
    CHECK_FALSE(operator_new_user_fulfil(wish));
    CHECK(operator_new_user_fulfil(Wish::kNone));
  }
}

}  // namespace
