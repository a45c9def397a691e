// Calls that move megabytes at once and are not repeated: most programs rely on it that what blocks moves everything.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kBytes = 2 << 20, kTimes = 20 };

static char* buffer;

// A child that reads all, or writes it in small pieces, and the descriptor that leads to it.
static int partner(int is_socket, int writes) {
  int ends[2];
  if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) != 0) exit(2);
  if (fork() != 0) {
    close(ends[0]);
    return ends[1];
  }
  close(ends[1]);
  if (writes) {
    for (long left = (long)kBytes * kTimes; left > 0; left -= 8192) {
      if (write(ends[0], buffer, 8192) != 8192) break;
    }
  } else {
    while (read(ends[0], buffer, 32768) > 0) {
    }
  }
  _exit(0);
}

static void end(int fd) {
  close(fd);
  wait(NULL);
}

static void print(const char* name, int whole) { printf("%s: %d of %d whole\n", name, whole, kTimes); }

int main(void) {
  buffer = malloc(kBytes);
  for (int i = 0; i < kBytes; ++i) buffer[i] = (char)i;
  fflush(stdout);
  for (int is_socket = 0; is_socket < 2; ++is_socket) {
    const int fd = partner(is_socket, 0);
    int written = 0;
    int vectors = 0;
    for (int i = 0; i < kTimes; ++i) {
      struct iovec pieces[2] = {{buffer, kBytes / 3}, {buffer + kBytes / 3, kBytes - kBytes / 3}};
      written += write(fd, buffer, kBytes) == kBytes;
      vectors += writev(fd, pieces, 2) == kBytes;
    }
    end(fd);
    print(is_socket ? "write to a socket" : "write to a pipe", written);
    print("writev", vectors);
    fflush(stdout);
  }
  int fd = partner(1, 1);
  int received = 0;
  for (int i = 0; i < kTimes; ++i) received += recv(fd, buffer, kBytes, MSG_WAITALL) == kBytes;
  end(fd);
  print("recv of all", received);
  fd = partner(1, 1);
  received = 0;
  for (int i = 0; i < kTimes; ++i) {
    struct iovec piece = {buffer, kBytes};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    received += recvmsg(fd, &message, MSG_WAITALL) == kBytes;
  }
  end(fd);
  print("recvmsg of all", received);
  fflush(stdout);
  fd = partner(1, 0);
  int messages = 0;
  for (int i = 0; i < kTimes; ++i) {
    struct iovec piece = {buffer, kBytes / 4};
    struct mmsghdr each[4];
    for (int j = 0; j < 4; ++j) each[j] = (struct mmsghdr){.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}};
    messages += sendmmsg(fd, each, 4, 0) == 4 &&
                each[0].msg_len + each[1].msg_len + each[2].msg_len + each[3].msg_len == kBytes;
  }
  end(fd);
  print("sendmmsg", messages);
  const int zero = open("/dev/zero", O_RDONLY);
  const int from = memfd_create("from", 0);
  const int to = memfd_create("to", 0);
  if (ftruncate(from, kBytes) != 0) return 2;
  int zeros = 0;
  int numbers = 0;
  int sent = 0;
  for (int i = 0; i < kTimes; ++i) {
    off_t offset = 0;
    struct iovec piece = {buffer, kBytes};
    zeros += read(zero, buffer, kBytes) == kBytes && readv(zero, &piece, 1) == kBytes;
    numbers += getrandom(buffer, kBytes, 0) == kBytes;
    sent += sendfile(to, from, &offset, kBytes) == kBytes;
  }
  print("read of a device", zeros);
  print("getrandom", numbers);
  print("sendfile", sent);
  return 0;
}
