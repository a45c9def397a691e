// eintr_storm SECONDS: four threads that work for 20 to 500 us and then wait for 0.1 to 10 ms in a call that SA_RESTART
// does not cover, without ever retrying. A program like this breaks if somebody's signal interrupts its calls. Prints a
// line a kind of call, "KIND calls N eintr N", then the totals; exit status 1 if any call saw EINTR.
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4;
constexpr std::array kKindNames = {"ppoll",    "nanosleep",     "epoll_pwait2", "select",
                                   "sem_wait", "sem_timedwait", "connect",      "accept"};
constexpr size_t kKinds = kKindNames.size();

struct KindCounts {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> interrupted{0};
  std::atomic<uint64_t> failed{0};
};
std::array<KindCounts, kKinds> counts;
std::atomic<bool> stop{false};

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

timespec After(clockid_t clock, int64_t ns) {
  timespec time;
  clock_gettime(clock, &time);
  const int64_t total = time.tv_nsec + ns;
  time.tv_sec += total / 1'000'000'000;
  time.tv_nsec = total % 1'000'000'000;
  return time;
}

void SleepFully(int64_t ns) {
  const timespec end = After(CLOCK_MONOTONIC, ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
  }
}

// A listener with no room to wait in, so that most connects block, and a partner that accepts one connection a
// millisecond.
class SlowListener {
 public:
  SlowListener() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_un autobind = {AF_UNIX, {}};
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&autobind), sizeof(sa_family_t)) != 0 || listen(fd_, 0) != 0)
      abort();
    size_ = sizeof address_;
    if (getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &size_) != 0) abort();
    const timeval tenth_of_a_second = {0, 100'000};  // with a time limit accept is not restarted either
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &tenth_of_a_second, sizeof tenth_of_a_second);
  }
  ~SlowListener() { close(fd_); }

  // Longer than anybody may be connecting: a connect that nobody answers would fail.
  void AcceptUntil(const std::atomic<bool>& end) {
    while (!end.load()) {
      const int connection = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      const int error = errno;
      counts[7].calls++;
      if (connection < 0 && error == EINTR) counts[7].interrupted++;
      if (connection >= 0) close(connection);
      SleepFully(1'000'000);
    }
  }

  int Connect() const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval two_seconds = {2, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &two_seconds, sizeof two_seconds);
    const int result = connect(fd, reinterpret_cast<const sockaddr*>(&address_), size_);
    const int error = errno;
    close(fd);
    errno = error;
    return result;
  }

 private:
  int fd_;
  sockaddr_un address_ = {};
  socklen_t size_ = 0;
};

// One storm thread. Owned by it; the semaphore is posted by the partner.
class Storm {
 public:
  Storm(const SlowListener& listener, uint64_t seed)
      : listener_(listener), state_(seed), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    sem_init(&semaphore_, 0, 0);
  }

  void Run() {
    while (!stop.load()) {
      Burst(20'000 + static_cast<int64_t>(Next() % 480'000));
      const size_t kind = Next() % 7;
      const int64_t wait_ns = 100'000 + static_cast<int64_t>(Next() % 9'900'000);
      errno = 0;
      const int result = Wait(kind, wait_ns);
      counts[kind].calls++;
      if (result < 0 && errno == EINTR) {
        counts[kind].interrupted++;
      } else if (result < 0 && !(kind == 5 && errno == ETIMEDOUT)) {
        counts[kind].failed++;
      }
    }
  }

  void PostIfWaiting() {
    if (wants_post_.exchange(false)) sem_post(&semaphore_);
  }

 private:
  uint64_t Next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return state_ >> 33;
  }

  void Burst(int64_t ns) {
    for (const int64_t end = NowNs() + ns; NowNs() < end;) Next();
  }

  int Wait(size_t kind, int64_t wait_ns) {
    const timespec wait = {0, wait_ns};
    timeval wait_us = {0, wait_ns / 1000};
    timespec end;
    epoll_event event;
    switch (kind) {
      case 0:
        return ppoll(nullptr, 0, &wait, nullptr);
      case 1:
        return nanosleep(&wait, nullptr);
      case 2:
        return epoll_pwait2(epoll_, &event, 1, &wait, nullptr);
      case 3:
        return select(0, nullptr, nullptr, nullptr, &wait_us);
      case 4:
        wants_post_.store(true);
        return sem_wait(&semaphore_);
      case 5:
        end = After(CLOCK_REALTIME, wait_ns);
        return sem_timedwait(&semaphore_, &end);
      default:
        return listener_.Connect();
    }
  }

  const SlowListener& listener_;
  uint64_t state_;
  int epoll_;
  sem_t semaphore_;
  std::atomic<bool> wants_post_{false};
};

int PrintCounts() {
  uint64_t calls = 0, interrupted = 0, failed = 0;
  for (size_t kind = 0; kind < kKinds; kind++) {
    printf("%s calls %llu eintr %llu\n", kKindNames[kind], static_cast<unsigned long long>(counts[kind].calls.load()),
           static_cast<unsigned long long>(counts[kind].interrupted.load()));
    calls += counts[kind].calls;
    interrupted += counts[kind].interrupted;
    failed += counts[kind].failed;
  }
  printf("total calls %llu eintr %llu other-errors %llu\n", static_cast<unsigned long long>(calls),
         static_cast<unsigned long long>(interrupted), static_cast<unsigned long long>(failed));
  return interrupted == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  SlowListener listener;
  std::vector<std::unique_ptr<Storm>> storms;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) storms.push_back(std::make_unique<Storm>(listener, static_cast<uint64_t>(i) + 1));
  for (auto& storm : storms) threads.emplace_back([&storm] { storm->Run(); });
  std::atomic<bool> storms_ended{false};
  std::thread acceptor([&] { listener.AcceptUntil(storms_ended); });
  std::thread poster([&] {
    while (!storms_ended.load()) {
      SleepFully(1'500'000);
      for (auto& storm : storms) storm->PostIfWaiting();
    }
  });
  SleepFully(static_cast<int64_t>(seconds * 1e9));
  stop.store(true);
  for (auto& thread : threads) thread.join();
  storms_ended.store(true);
  poster.join();
  acceptor.join();
  return PrintCounts();
}
