// Parts of the language and of its library that the other headers share. They replace what C++17 lacks, and standard
// headers that cost much compile time.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_

#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "geckoprof's C++ headers need C++17 or later (-std=c++17); the headers for C are in baseprofiler/c"
#endif

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/enabled.h"

// The compiler rejects a variable with this specifier if its initialisation needs code at run time.
#if !GECKOPROF_IS_ENABLED_
#define GECKOPROF_CONSTINIT_
#elif defined(__clang__)
#define GECKOPROF_CONSTINIT_ __attribute__((require_constant_initialization))
#else
#define GECKOPROF_CONSTINIT_ __constinit
#endif

// GECKOPROF_DETECTOR_(kHasName, Type::Name) defines kHasName<Type>, which says whether the expression is valid.
#define GECKOPROF_DETECTOR_(constant, ...)  \
  template <typename Type, typename = void> \
  inline constexpr bool constant = false;   \
  template <typename Type>                  \
  inline constexpr bool constant<Type, std::void_t<decltype(__VA_ARGS__)>> = true

#define GECKOPROF_CONCAT_WORDS_(a, b) a##b
#define GECKOPROF_CONCAT_(a, b) GECKOPROF_CONCAT_WORDS_(a, b)

namespace geckoprof::internal {

template <typename Type>
using Plain = std::remove_cv_t<std::remove_reference_t<Type>>;

GECKOPROF_DETECTOR_(kHasDataAndSize, std::declval<const Type&>().data() + std::declval<const Type&>().size());
GECKOPROF_DETECTOR_(kHasSizeInBytes, std::declval<const Type&>().size_bytes());

// ArrayView refers to elements that lie side by side in an array, a std::span, or a container. A std::span can be made
// from it.
template <typename Element>
class ArrayView {
 public:
  using value_type = std::remove_cv_t<Element>;

  constexpr ArrayView() = default;
  constexpr ArrayView(Element* data, size_t size) : data_(data), size_(size) {}
  template <size_t kSize>
  constexpr ArrayView(Element (&elements)[kSize]) : ArrayView(elements, kSize) {}  // NOLINT: implicit, as a std::span
  template <typename Range, typename = std::enable_if_t<kHasDataAndSize<Range>>,
            typename = std::enable_if_t<std::is_convertible_v<decltype(std::declval<const Range&>().data()), Element*>>>
  constexpr ArrayView(const Range& range) : ArrayView(range.data(), range.size()) {}  // NOLINT: implicit, as above

  constexpr Element* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t size_bytes() const { return size_ * sizeof(Element); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr Element& operator[](size_t index) const { return data_[index]; }
  constexpr Element* begin() const { return data_; }
  constexpr Element* end() const { return data_ + size_; }

 private:
  Element* data_ = nullptr;
  size_t size_ = 0;
};

// OfThisFile is another type in each source file. A function template with an argument of it belongs to one file, and
// so do its static variables. Otherwise linkers and loaders merge these by their name, over all objects and libraries
// of a process. Compilers number lambdas, and two versions of a library may number them differently. The site of one
// place would then serve another place, or point to a literal of a library that was unloaded.
namespace {  // NOLINT: the type is another in each file
struct OfThisFile {};
}  // namespace

// A macro that lasts to the end of its scope declares the type `Block` first. After an `if` without braces, that
// declaration is the whole body. The compiler then reports that it does not know the name of `Block` in the next
// declaration, and the name says that braces are missing.
template <typename Block, typename Class>
using InBlockOf = Class;

// This function does the same for a variable whose class the compiler deduces.
template <typename Block, typename Value>
constexpr Value InBlock(Value value) {
  return value;
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_
