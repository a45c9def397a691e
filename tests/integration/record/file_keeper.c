// A library to preload that keeps a file open from its constructor to its destructor, as profilers do. It writes to the
// file at the end, and aborts if the descriptor is another file's by then. FILE_KEEPER names the folder of the files.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int g_file = -1;
static struct stat g_status;

__attribute__((constructor)) static void Open(void) {
  const char* const folder = getenv("FILE_KEEPER");
  char path[4096];
  if (folder == NULL) return;
  snprintf(path, sizeof(path), "%s/kept-%d", folder, (int)getpid());
  g_file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  fstat(g_file, &g_status);
}

__attribute__((destructor)) static void Close(void) {
  struct stat now;
  if (g_file < 0) return;
  if (fstat(g_file, &now) != 0 || now.st_ino != g_status.st_ino || write(g_file, "kept\n", 5) != 5) abort();
}
