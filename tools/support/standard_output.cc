#include "tools/support/standard_output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <cstdio>

#include "tools/support/own_process.h"

namespace geckoprof {
namespace {

int first_error = 0;

void NoteError() {
  if (first_error == 0) first_error = errno;
}

}  // namespace

void PrintStandardOutput(std::string_view text) {
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size()) NoteError();
  if (first_error == EPIPE) EndBySignal(SIGPIPE);  // nothing that could still be found is of interest
}

bool FinishStandardOutput() {
  if (fflush(stdout) != 0) NoteError();
  if (first_error == EPIPE) EndBySignal(SIGPIPE);
  if (first_error == 0 && ferror(stdout) == 0) return true;
  errno = first_error;
  return false;
}

int PrintAndFinish(const char* command, std::string_view text) {
  PrintStandardOutput(text);
  if (FinishStandardOutput()) return 0;
  fprintf(stderr, "%s: standard output: cannot write: %s\n", command, strerror(errno));
  return 1;
}

}  // namespace geckoprof
