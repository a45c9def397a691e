/* Requests to a ring through liburing, with known numbers and bytes. It is a program, or a plugin of io_ring_host.
 * Prints "ok" if no call behaved other than without the profiler, or "forbidden" if the kernel gives no ring. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define REQUIRE(what)                                                                                         \
  do {                                                                                                        \
    if (!(what)) {                                                                                            \
      dprintf(2, "ring_calls: line %d: %s (%s, last result %d)\n", __LINE__, #what, strerror(errno), g_last); \
      _exit(1);                                                                                               \
    }                                                                                                         \
  } while (0)

enum { kEntries = 8 };

static struct io_uring g_ring;
static char g_block[4096];
static int g_last;

static struct io_uring_sqe* Entry(void) {
  struct io_uring_sqe* entry = io_uring_get_sqe(&g_ring);
  REQUIRE(entry != NULL);
  return entry;
}

/* The result of the next request that is complete. */
static int Result(void) {
  struct io_uring_cqe* done = NULL;
  g_last = io_uring_wait_cqe(&g_ring, &done);
  REQUIRE(g_last == 0);
  g_last = done->res;
  io_uring_cqe_seen(&g_ring, done);
  return g_last;
}

static int Submit(unsigned count) { return (g_last = io_uring_submit(&g_ring)) == (int)count; }

static int Open(const char* name) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  return fd;
}

/* 160 writes of 64 bytes in full rings, which so wrap 20 times, and 150 reads of 4096, of which 10240 bytes are there.
 */
static void Files(void) {
  int fd = Open("ring_file");
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < kEntries; ++i) {
      io_uring_prep_write(Entry(), fd, g_block, 64, (round * kEntries + i) * 64);
    }
    REQUIRE(io_uring_get_sqe(&g_ring) == NULL);
    REQUIRE((g_last = io_uring_submit_and_wait(&g_ring, kEntries)) == kEntries);
    for (int i = 0; i < kEntries; ++i) REQUIRE(Result() == 64);
  }
  int got = 0;
  for (int i = 0; i < 150; ++i) {
    io_uring_prep_read(Entry(), fd, g_block, 4096, i * 4096);
    REQUIRE(Submit(1));
    got += Result();
  }
  REQUIRE(got == 160 * 64);
  struct iovec parts[40];
  for (int i = 0; i < 40; ++i) parts[i] = (struct iovec){g_block, 10};
  struct io_uring_sqe* entry = Entry();
  io_uring_prep_writev(entry, fd, parts, 40, 0);
  entry->user_data = 1;
  entry = Entry();
  io_uring_prep_fsync(entry, fd, 0);
  entry->user_data = 2;
  REQUIRE(Submit(2) && Result() + Result() == 400);
  io_uring_prep_readv(Entry(), fd, parts, 3, 0);
  REQUIRE(Submit(1) && Result() == 30);
  REQUIRE(close(fd) == 0);
}

/* The ring opens a file and closes it. The next file has the same number. */
static void Reused(void) {
  io_uring_prep_openat(Entry(), AT_FDCWD, "ring_first", O_RDWR | O_CREAT, 0600);
  REQUIRE(Submit(1));
  int first = Result();
  REQUIRE(first >= 0 && write(first, g_block, 11) == 11);
  io_uring_prep_close(Entry(), first);
  REQUIRE(Submit(1) && Result() == 0);
  io_uring_prep_openat(Entry(), AT_FDCWD, "ring_second", O_RDWR | O_CREAT, 0600);
  REQUIRE(Submit(1));
  int second = Result();
  REQUIRE(second == first && write(second, g_block, 22) == 22);
  io_uring_prep_write(Entry(), second, g_block, 33, 0);
  REQUIRE(Submit(1) && Result() == 33 && close(second) == 0);
}

/* At the end there are two requests with the same user data. Only the kernel can tell their results apart. */
static void Registered(void) {
  int fd = Open("ring_registered");
  struct iovec buffer = {g_block, sizeof g_block};
  REQUIRE(io_uring_register_files(&g_ring, &fd, 1) == 0 && io_uring_register_buffers(&g_ring, &buffer, 1) == 0);
  for (int i = 0; i < 3; ++i) {
    struct io_uring_sqe* entry = Entry();
    io_uring_prep_write(entry, 0, g_block, 70, 0);
    entry->flags |= IOSQE_FIXED_FILE;
    REQUIRE(Submit(1) && Result() == 70);
  }
  struct io_uring_sqe *writes = Entry(), *reads = Entry();
  io_uring_prep_write_fixed(writes, fd, g_block, 80, 0, 0);
  io_uring_prep_read_fixed(reads, fd, g_block, 90, 4096, 0);
  writes->user_data = reads->user_data = 3;
  REQUIRE(Submit(2) && Result() + Result() == 80);
  REQUIRE(io_uring_unregister_files(&g_ring) == 0 && io_uring_unregister_buffers(&g_ring) == 0 && close(fd) == 0);
}

/* Sends 500 bytes, with room for 2000 at the other end. Then a message of 300, with room for 600. */
static void Sockets(void) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  io_uring_prep_send(Entry(), ends[0], g_block, 500, 0);
  REQUIRE(Submit(1) && Result() == 500);
  io_uring_prep_recv(Entry(), ends[1], g_block, 2000, 0);
  REQUIRE(Submit(1) && Result() == 500);
  struct iovec parts[2] = {{g_block, 100}, {g_block, 200}}, room[2] = {{g_block, 300}, {g_block, 300}};
  struct msghdr out = {.msg_iov = parts, .msg_iovlen = 2}, in = {.msg_iov = room, .msg_iovlen = 2};
  io_uring_prep_sendmsg(Entry(), ends[0], &out, 0);
  REQUIRE(Submit(1) && Result() == 300);
  io_uring_prep_recvmsg(Entry(), ends[1], &in, 0);
  REQUIRE(Submit(1) && Result() == 300);
  REQUIRE(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void Ignore(int signal) { (void)signal; }

/* Results are -errno, and errno stays. */
static void Errors(void) {
  errno = 77;
  struct io_uring_cqe* done = NULL;
  struct __kernel_timespec limit = {.tv_nsec = 20000000};
  REQUIRE((g_last = io_uring_wait_cqe_timeout(&g_ring, &done, &limit)) == -ETIME);
  REQUIRE((g_last = io_uring_wait_cqes(&g_ring, &done, 2, &limit, NULL)) == -ETIME);
  REQUIRE((g_last = io_uring_submit_and_wait_timeout(&g_ring, &done, 1, &limit, NULL)) == -ETIME);
  REQUIRE((g_last = io_uring_peek_cqe(&g_ring, &done)) == -EAGAIN);
  struct sigaction action = {.sa_handler = Ignore};
  struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &soon, NULL) == 0);
  REQUIRE((g_last = io_uring_wait_cqe(&g_ring, &done)) == -EINTR);
  REQUIRE(io_uring_submit(&g_ring) == 0);
  io_uring_prep_readv(Entry(), 0, (struct iovec*)16, 2, 0); /* nothing is mapped there */
  REQUIRE(Submit(1) && Result() == -EFAULT);
  io_uring_prep_sendmsg(Entry(), 0, (struct msghdr*)16, 0);
  REQUIRE(Submit(1) && (Result() == -EFAULT || g_last == -ENOTSOCK));
  io_uring_prep_openat(Entry(), AT_FDCWD, (char*)16, O_RDONLY, 0);
  REQUIRE(Submit(1) && Result() == -EFAULT);
  io_uring_prep_read(Entry(), 999999, g_block, 100, 0);
  REQUIRE(Submit(1) && Result() == -EBADF);
  io_uring_prep_nop(Entry());
  REQUIRE(Submit(1) && Result() == 0 && errno == 77);
  REQUIRE((g_last = io_uring_enter(999999, 0, 0, 0, NULL)) == -EBADF && errno == 77);
}

int RunRings(const char* folder) {
  REQUIRE(chdir(folder) == 0);
  if ((g_last = io_uring_queue_init(kEntries, &g_ring, 0)) < 0) {
    REQUIRE(g_last == -EPERM || g_last == -ENOSYS);
    puts("forbidden");
    return 0;
  }
  Files();
  Reused();
  Registered();
  Sockets();
  Errors();
  int file = Open("ring_after"), number = g_ring.ring_fd;
  io_uring_queue_exit(&g_ring);
  int fd = fcntl(file, F_DUPFD, number); /* the file has the ring's number now */
  REQUIRE(fd == number && write(fd, g_block, 44) == 44);
  puts("ok");
  return 0;
}

#ifndef GECKOPROF_PLUGIN
int main(int count, char** arguments) { return count > 1 ? RunRings(arguments[1]) : 2; }
#endif
