/* Calls of every kind, with known numbers and bytes. Prints "ok" if no call behaved other than without the profiler.
 *   io_program FOLDER           all cases
 *   io_program FOLDER kill      some calls, a pause, one more call, and SIGKILL */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(what)                                                                 \
  do {                                                                                \
    if (!(what)) {                                                                    \
      dprintf(2, "io_program: line %d: %s (%s)\n", __LINE__, #what, strerror(errno)); \
      _exit(1);                                                                       \
    }                                                                                 \
  } while (0)

static char g_block[4096];

/* The constructor of the program runs after that of the library. One of a library that the program needs may run before
 * it; the order of these is the loader's. */
__attribute__((constructor)) static void Early(void) {
  int fd = open("/dev/null", O_WRONLY);
  REQUIRE(fd >= 0 && write(fd, g_block, 10) == 10 && close(fd) == 0);
}

static int Open(const char* name) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  return fd;
}

/* 100 writes of 64 bytes, 200 reads of 32, and 7 other calls that move 700 bytes in and 700 out. */
static void Positioned(void) {
  int fd = Open("positioned");
  struct iovec two[2] = {{g_block, 50}, {g_block + 50, 50}};
  for (int i = 0; i < 100; ++i) REQUIRE(pwrite(fd, g_block, 64, i * 64) == 64);
  for (int i = 0; i < 200; ++i) REQUIRE(pread(fd, g_block, 32, i * 32) == 32);
  REQUIRE(pwritev(fd, two, 2, 0) == 100 && preadv(fd, two, 2, 0) == 100);
  REQUIRE(writev(fd, two, 2) == 100 && readv(fd, two, 2) == 100);
  REQUIRE(pwritev2(fd, two, 2, 0, 0) == 100 && preadv2(fd, two, 2, 0, 0) == 100);
  REQUIRE(fsync(fd) == 0 && fdatasync(fd) == 0 && ftruncate(fd, 6400) == 0);
  struct stat facts;
  REQUIRE(fstat(fd, &facts) == 0 && facts.st_size == 6400);
  REQUIRE(close(fd) == 0);
}

/* The number of a descriptor stands for three files, one after the other. */
static void Reused(void) {
  int first = Open("reused_a");
  REQUIRE(write(first, g_block, 11) == 11 && close(first) == 0);
  int second = Open("reused_b");
  REQUIRE(second == first && write(second, g_block, 22) == 22);
  int third = Open("reused_c");
  REQUIRE(dup2(third, second) == second && write(second, g_block, 33) == 33 && write(third, g_block, 44) == 44);
  REQUIRE(close(second) == 0 && write(third, g_block, 55) == 55 && close(third) == 0);
  int other = dup(1);
  REQUIRE(other >= 0 && close(other) == 0);
}

static void Bad(void) {
  errno = 0;
  REQUIRE(read(-1, g_block, 1) == -1 && errno == EBADF);
  REQUIRE(write(999999, g_block, 1) == -1 && errno == EBADF);
  REQUIRE(close(-1) == -1 && errno == EBADF && dup2(-1, 5) == -1 && errno == EBADF);
  REQUIRE(open("missing/file", O_RDONLY) == -1 && errno == ENOENT);
  REQUIRE(open(NULL, O_RDONLY) == -1 && errno == EFAULT);
  const char* const no_memory = (const char*)(uintptr_t)16;
  REQUIRE(access(no_memory, F_OK) == -1 && errno == EFAULT && rmdir(no_memory) == -1 && errno == EFAULT);
  int peer = socket(AF_INET, SOCK_DGRAM, 0);
  REQUIRE(peer >= 0 && connect(peer, (const struct sockaddr*)no_memory, 16) == -1 && errno == EFAULT);
  REQUIRE(sendto(peer, g_block, 1, 0, (const struct sockaddr*)no_memory, 16) == -1 && errno == EFAULT &&
          close(peer) == 0);
  REQUIRE(fopen("missing/file", "r") == NULL && errno == ENOENT);
  REQUIRE(opendir("missing") == NULL && errno == ENOENT);
  REQUIRE(getaddrinfo(NULL, NULL, NULL, NULL) == EAI_NONAME);
  char path[6000];
  memset(path, 'x', sizeof path);
  path[sizeof path - 1] = 0;
  REQUIRE(unlink(path) == -1 && errno == ENAMETOOLONG);
  errno = 77; /* a good call leaves errno */
  struct stat facts;
  int fd = Open("errno");
  REQUIRE(write(fd, g_block, 1) == 1 && stat("errno", &facts) == 0 && close(fd) == 0 && errno == 77);
}

static void Paths(void) {
  struct stat facts;
  REQUIRE(mkdir("folder", 0700) == 0 && stat("folder", &facts) == 0 && lstat("folder", &facts) == 0);
  REQUIRE(fstatat(AT_FDCWD, "folder", &facts, 0) == 0 && access("folder", R_OK) == 0);
  int fd = creat("folder/one", 0600);
  REQUIRE(fd >= 0 && close(fd) == 0 && rename("folder/one", "folder/two") == 0);
  DIR* folder = opendir("folder");
  int entries = 0;
  while (readdir(folder) != NULL) ++entries;
  REQUIRE(entries == 3 && closedir(folder) == 0);
  REQUIRE(unlink("folder/two") == 0 && rmdir("folder") == 0);
}

static void Copies(void) {
  int from = Open("copy_from"), to = Open("copy_to");
  REQUIRE(write(from, g_block, 1000) == 1000);
  off_t at = 0;
  loff_t from_at = 0;
  REQUIRE(sendfile(to, from, &at, 1000) == 1000);
  REQUIRE(copy_file_range(from, &from_at, to, NULL, 1000, 0) == 1000);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  from_at = 0;
  REQUIRE(splice(from, &from_at, ends[1], NULL, 1000, 0) == 1000 && read(ends[0], g_block, 1000) == 1000);
  void* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, from, 0);
  REQUIRE(memory != MAP_FAILED && msync(memory, 4096, MS_SYNC) == 0 && munmap(memory, 4096) == 0);
  close(ends[0]), close(ends[1]), close(from), close(to);
}

static void Streams(void) {
  FILE* stream = fopen("stream", "w+");
  REQUIRE(stream != NULL && fwrite(g_block, 10, 10, stream) == 10 && fprintf(stream, "%d\n", 123) == 4);
  REQUIRE(fputs("line\n", stream) >= 0 && fflush(stream) == 0);
  rewind(stream);
  char text[200];
  REQUIRE(fread(text, 1, 100, stream) == 100 && fgets(text, sizeof text, stream) != NULL);
  char* line = NULL;
  size_t room = 0;
  REQUIRE(getline(&line, &room, stream) == 5 && fclose(stream) == 0);
  free(line);
  int fd = Open("formatted");
  REQUIRE(dprintf(fd, "%d%s", 12345, "text") == 9 && close(fd) == 0);
  FILE* memory = fmemopen(text, sizeof text, "w");
  REQUIRE(memory != NULL && fputs("memory", memory) >= 0 && fclose(memory) == 0);
}

/* Sends 500 bytes to a server of this process, which answers 30 ms later. Then a datagram. */
static void* Answer(void* argument) {
  int fd = accept(*(int*)argument, NULL, NULL);
  REQUIRE(fd >= 0 && recv(fd, g_block, 500, MSG_WAITALL) == 500);
  usleep(30000);
  REQUIRE(send(fd, g_block, 300, 0) == 300 && close(fd) == 0);
  return NULL;
}

static void Sockets(void) {
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof address;
  REQUIRE(bind(server, (struct sockaddr*)&address, bytes) == 0 && listen(server, 5) == 0);
  REQUIRE(getsockname(server, (struct sockaddr*)&address, &bytes) == 0);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, Answer, &server) == 0);
  REQUIRE(connect(client, (struct sockaddr*)&address, sizeof address) == 0);
  dprintf(1, "port %d\n", ntohs(address.sin_port));
  REQUIRE(send(client, g_block, 500, 0) == 500 && recv(client, g_block, 300, MSG_WAITALL) == 300);
  REQUIRE(shutdown(client, SHUT_RDWR) == 0 && pthread_join(thread, NULL) == 0);
  close(client), close(server);
  int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  struct msghdr message = {.msg_iov = &(struct iovec){g_block, 20}, .msg_iovlen = 1};
  REQUIRE(bind(datagrams, (struct sockaddr*)&(struct sockaddr_in){.sin_family = AF_INET}, sizeof address) == 0);
  REQUIRE(getsockname(datagrams, (struct sockaddr*)&address, &bytes) == 0);
  REQUIRE(sendto(datagrams, g_block, 40, 0, (struct sockaddr*)&address, sizeof address) == 40);
  REQUIRE(recvmsg(datagrams, &message, 0) == 20 && close(datagrams) == 0);
  struct addrinfo* found = NULL;
  REQUIRE(getaddrinfo("127.0.0.1", "80", NULL, &found) == 0);
  freeaddrinfo(found);
}

/* A timer writes to a file in its handler, while the program writes to another one. */
static int g_handler_fd;
static volatile int g_handler_calls;
static void OnAlarm(int signal) {
  (void)signal;
  int error = errno;
  if (write(g_handler_fd, g_block, 8) == 8) ++g_handler_calls;
  errno = error;
}
static void Handlers(void) {
  g_handler_fd = Open("handler");
  int fd = Open("interrupted");
  struct sigaction action = {.sa_handler = OnAlarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 300}, {0, 300}}, none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < 20000; ++i) REQUIRE(pwrite(fd, g_block, 1, 0) == 1);
  setitimer(ITIMER_REAL, &none, NULL);
  dprintf(1, "handler %d\n", g_handler_calls);
  close(fd), close(g_handler_fd);
}

/* A thread is cancelled in read, and its clean-up handlers run. */
static int g_cleaned, g_pipe[2];
static void Clean(void* argument) { *(int*)argument = 1; }
static void* Blocked(void* argument) {
  pthread_cleanup_push(Clean, argument);
  char byte;
  (void)!read(g_pipe[0], &byte, 1);
  pthread_cleanup_pop(0);
  return NULL;
}
static void Cancelled(void) {
  pthread_t thread;
  void* result = NULL;
  REQUIRE(pipe(g_pipe) == 0 && pthread_create(&thread, NULL, Blocked, &g_cleaned) == 0);
  usleep(10000);
  REQUIRE(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  REQUIRE(result == PTHREAD_CANCELED && g_cleaned == 1);
  close(g_pipe[0]), close(g_pipe[1]);
}

/* Children of fork and vfork give our descriptor's number another object. */
static void Children(void) {
  int fd = Open("parent"), status = 0;
  REQUIRE(write(fd, g_block, 5) == 5);
  pid_t child = fork();
  if (child == 0) {
    int other = Open("child");
    REQUIRE(dup2(other, fd) == fd);
    for (int i = 0; i < 30; ++i) REQUIRE(write(fd, g_block, 7) == 7);
    _exit(0);
  }
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  child = vfork();
  if (child == 0) {
    int other = open("vforked", O_RDWR | O_CREAT, 0600);
    if (other < 0 || dup2(other, fd) != fd || write(fd, g_block, 9) != 9 || close(fd) != 0) _exit(1);
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  REQUIRE(write(fd, g_block, 6) == 6 && close(fd) == 0);
}

/* Nine children write 42 times 3 bytes, and become another program, each by a function of its own. */
static int Become(int function) {
  char* arguments[] = {"true", NULL};
  int fd = 0;
  switch (function) {
    case 0:
      return execve("/bin/true", arguments, environ);
    case 1:
      return execv("/bin/true", arguments);
    case 2:
      return execvp("true", arguments);
    case 3:
      return execvpe("true", arguments, environ);
    case 4:
      fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
      return fexecve(fd, arguments, environ);
    case 5:
      return execveat(AT_FDCWD, "/bin/true", arguments, environ, 0);
    case 6:
      return execl("/bin/true", "true", "a", (char*)NULL);
    case 7:
      return execlp("true", "true", "a", "b", (char*)NULL);
    default:
      return execle("/bin/true", "true", (char*)NULL, environ);
  }
}
static void Executes(void) {
  for (int function = 0; function < 9; ++function) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      int fd = open("executes", O_WRONLY | O_CREAT | O_APPEND, 0600);
      for (int i = 0; i < 40; ++i) REQUIRE(write(fd, g_block, 3) == 3);
      REQUIRE(execl("./missing", "missing", "a", (char*)NULL) == -1 && errno == ENOENT);
      for (int i = 0; i < 2; ++i) REQUIRE(write(fd, g_block, 3) == 3);
      Become(function);
      _exit(1);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
}

static void* Reads(void* argument) {
  int fd = open("positioned", O_RDONLY);
  for (int i = 0; i < 5000; ++i) REQUIRE(pread(fd, argument, 16, 0) == 16);
  REQUIRE(close(fd) == 0);
  return NULL;
}
static void Threads(void) {
  pthread_t threads[4];
  static char blocks[4][16];
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_create(&threads[i], NULL, Reads, blocks[i]) == 0);
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);
}

/* Ten times, the ring waits for a time limit of 2 ms. A kernel may forbid rings. */
static void Ring(void) {
  struct io_uring_params setup = {0};
  int ring = (int)syscall(SYS_io_uring_setup, 4, &setup);
  if (ring < 0) return;
  struct __kernel_timespec limit = {.tv_nsec = 2000000};
  struct io_uring_getevents_arg wait = {.ts = (uintptr_t)&limit};
  for (int i = 0; i < 10; ++i) {
    long done =
        syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &wait, sizeof(wait));
    REQUIRE(done == -1 && errno == ETIME);
  }
  REQUIRE(close(ring) == 0);
  puts("ring");
}

int main(int count, char** arguments) {
  REQUIRE(count > 1 && chdir(arguments[1]) == 0);
  if (count > 2) {
    int fd = Open("killed");
    for (int i = 0; i < 5000; ++i) REQUIRE(write(fd, g_block, 10) == 10);
    usleep(1100000);  // the longest interval is a second
    REQUIRE(write(fd, g_block, 10) == 10);
    raise(SIGKILL);
  }
  Positioned();
  Reused();
  Bad();
  Paths();
  Copies();
  Streams();
  Sockets();
  Handlers();
  Cancelled();
  Children();
  Executes();
  Threads();
  Ring();
  puts("ok");
  return 0;
}
