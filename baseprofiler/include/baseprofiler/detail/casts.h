/* Casts in headers that C and C++ share: of numbers, and of pointers. */
#ifndef GECKOPROF_BASEPROFILER_DETAIL_CASTS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_CASTS_H_

#ifdef __cplusplus
#define GECKOPROF_TO_(type, value) static_cast<type>(value)
#define GECKOPROF_POINTER_TO_(type, pointer) reinterpret_cast<type>(pointer)
#else
#define GECKOPROF_TO_(type, value) ((type)(value))
#define GECKOPROF_POINTER_TO_(type, pointer) ((type)(pointer))
#endif

#endif /* GECKOPROF_BASEPROFILER_DETAIL_CASTS_H_ */
