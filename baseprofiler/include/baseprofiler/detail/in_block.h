// What a macro that lasts to the scope's end says to whoever writes it behind an `if` without braces.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_IN_BLOCK_H_
#define GECKOPROF_BASEPROFILER_DETAIL_IN_BLOCK_H_

namespace geckoprof::internal {

// Class, for a variable behind the declaration of `Block`. Where there is no block, that declaration is all of the
// if's body, and the compiler does not know the name here, which says what is missing.
template <typename Block, typename Class>
using InBlockOf = Class;

// The same for one whose class the compiler finds out: around what it is made of.
template <typename Block, typename Value>
constexpr Value InBlock(Value value) {
  return value;
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_IN_BLOCK_H_
