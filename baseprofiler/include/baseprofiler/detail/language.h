// An earlier C++ is told what is needed, before it stumbles over what it does not know.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_

#if __cplusplus < 202002L
#error "geckoprof's C++ headers need C++20 (-std=c++20); those for C are in baseprofiler/c"
#endif

#endif  // GECKOPROF_BASEPROFILER_DETAIL_LANGUAGE_H_
