#ifndef CATCH2_CATCH_HPP_
#define CATCH2_CATCH_HPP_

// The header of Catch2 2 for systems that have Catch2 3, which has no header of this name. tests/CMakeLists.txt adds this folder there.

#include <catch2/catch_all.hpp>

using Catch::Approx;
namespace Catch {
using namespace Matchers;  // NOLINT(google-build-using-namespace): as version 2 has it
}

#endif  // CATCH2_CATCH_HPP_
