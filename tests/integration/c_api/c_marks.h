/* What the C programs of these tests mark: the same, linked or not. */
#ifndef GECKOPROF_TESTS_INTEGRATION_C_MARKS_H_
#define GECKOPROF_TESTS_INTEGRATION_C_MARKS_H_

#include "baseprofiler/c/geckoprof_base.h"

/* Marks everything there is; ns of work in between. Prints what is not as it should be; returns how much that is. */
int c_marks(int64_t work_ns);

#endif /* GECKOPROF_TESTS_INTEGRATION_C_MARKS_H_ */
