#ifndef GECKOPROF_BASEPROFILER_DETAIL_OF_THIS_FILE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_OF_THIS_FILE_H_

// An argument that makes what is static in a function template the file's own, as the type is. Linkers and loaders
// merge what is static in inline functions by name, over all objects and libraries of a process; but compilers number
// equal names, or the lambdas around them, each in its own way, and libraries that are loaded one after the other may
// differ. One place's site was another's then, or pointed to a literal of a library that was gone.
namespace geckoprof::internal {
namespace {  // NOLINT: another type in each file is what it is for
struct OfThisFile {};
}  // namespace
}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_OF_THIS_FILE_H_
