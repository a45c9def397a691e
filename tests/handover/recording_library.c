/* A library that records, for a program which does not know of it. */
#include "baseprofiler/c/geckoprof_base.h"

int RecordForAWhile(int* started, int* stopped);

int StartRecording(void);

int StartRecording(void) { return geckoprof_base_start_with(0); }

/* Whether there were samples. */
int RecordForAWhile(int* started, int* stopped) {
  *started = geckoprof_base_start_with(0);
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  const int64_t end_ns = geckoprof_base_now() + INT64_C(10000000000);
  while (info.samples_taken < 10 && geckoprof_base_now() < end_ns) geckoprof_base_get_buffer_info(&info);
  *stopped = geckoprof_base_stop();
  return info.samples_taken >= 10;
}
