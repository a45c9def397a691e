// Each case in a forked child: a process has one core, and its threads one set of slots.
#include "baseprofiler/label_abi.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/labels.h"
#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"
#include "labels/own_labels.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"
#include "tests/support/interrupted_at.h"
#include "tests/support/sanitized.h"

namespace geckoprof {
namespace {

// Of interruptions: every instruction is visited, where there are not many times more of them.
constexpr int kInstructionsApart = kIsSanitized ? 13 : 1;

TEST_CASE("labels: pushed and popped in place, on the stack that the library's own calls use") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(geckoprof_base_labels == nullptr);
          geckoprof_label_stack* const own = geckoprof_base_own_labels();
          FORKED_REQUIRE(own != nullptr && own == geckoprof_base_labels && own == geckoprof_base_label_stack());
          int scope = 0;
          const uint32_t outer = geckoprof_base_label_push(own, "outer", nullptr, 0x100);
          void* const called = geckoprof_base_label_enter("called", "text", 0x201, &scope);
          const uint32_t inner = geckoprof_base_label_push(own, "inner", nullptr, 0x300);
          FORKED_REQUIRE(outer == 0 && inner == 2 && Texts() == "outer called(text) inner ");
          const LabelFrame& frame = OwnLabels().frame(2);
          const uintptr_t address = frame.stack_address.load();
          FORKED_REQUIRE(frame.category_pair == 0x300 && address <= reinterpret_cast<uintptr_t>(&scope) &&
                         address + 1000 > reinterpret_cast<uintptr_t>(&scope));
          geckoprof_base_label_pop(own, inner);
          FORKED_REQUIRE(frame.stack_address.load() == 0);
          geckoprof_base_label_leave(called);
          geckoprof_base_label_pop(own, inner);  // twice
          FORKED_REQUIRE(Texts() == "outer ");
          geckoprof_base_label_pop(own, outer);
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

int CheckForms() {
  const char* const text = "text";
  const std::string long_text = std::string(510, 'x') + "\xc3\xa9";
  const MarkerCategory own = profiler_add_category("Own", "blue");
  const ProfilerLabelContext context;
  AUTO_PROFILER_LABEL("a", OTHER);
  AUTO_PROFILER_LABEL("b", GRAPHICS_LayerBuilding);  // NOLINT: on one line
  AUTO_PROFILER_LABEL_CATEGORY_PAIR(GRAPHICS_ImageDecoding);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("c", NETWORK, text);
  AUTO_PROFILER_LABEL_FAST("d", OTHER, context);
  AUTO_PROFILER_LABEL_DYNAMIC_FAST("e", text, OTHER, context, 0);
  AUTO_PROFILER_LABEL_IN("f", own);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_IN("g", own, text);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_NONSENSITIVE("h", OTHER, text);
  FORKED_REQUIRE(Texts() == "a b Image decoding c(text) d e(text) f g(text) h(text) ");
  FORKED_REQUIRE(OwnLabels().frame(1).category_pair == 0x403);
  FORKED_REQUIRE(OwnLabels().frame(6).category_pair == static_cast<uint32_t>(own));
  AUTO_PROFILER_LABEL_HOT("hot", OTHER);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT("hot", OTHER, text);
  AUTO_PROFILER_LABEL_CATEGORY_PAIR_HOT(OTHER);
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("s", OTHER, std::string(text) + " gone");
  AUTO_PROFILER_LABEL_DYNAMIC_NSCSTRING("n", OTHER, std::string_view());
  const char* const null = nullptr;
  const char16_t* const null16 = nullptr;
  AUTO_PROFILER_LABEL_DYNAMIC_NSCSTRING("null", OTHER, null);
  AUTO_PROFILER_LABEL_DYNAMIC_STRING16("null", OTHER, null16);
  AUTO_PROFILER_LABEL_DYNAMIC_STRING("cut", OTHER, long_text);
  static constexpr char16_t kWide[] = {0xe9, 0x20ac, 0xd83d, 0xde00, 0xd83d, u'a', 0xde00};  // one pair, two halves
  AUTO_PROFILER_LABEL_DYNAMIC_LOSSY_NSSTRING("w", OTHER, std::u16string_view(kWide, 7));
  const bool active = geckoprof_base_is_active() != 0;
  FORKED_REQUIRE(OwnLabels().depth() == (active ? 18 : 9));
  if (!active) return 0;
  FORKED_REQUIRE(Texts().ends_with("hot hot(text) Other s(text gone) n() null() null() cut(" + std::string(510, 'x') +
                                   ") w(\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
                                   "a\xef\xbf\xbd) "));
  return 0;
}

int CheckBaseForms() {
  const ProfilerLabelContext context;
  AUTO_BASE_PROFILER_LABEL("a", OTHER);
  AUTO_BASE_PROFILER_LABEL("b", OTHER);  // NOLINT: on one line
  AUTO_BASE_PROFILER_LABEL_CATEGORY_PAIR(OTHER_Profiling);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("c", OTHER, "text");
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING("inactive", OTHER, std::string("text"));
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING16("inactive", OTHER, u"text");
  AUTO_BASE_PROFILER_LABEL_HOT("inactive", OTHER);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR_HOT("inactive", OTHER, "text");
  AUTO_BASE_PROFILER_LABEL_CATEGORY_PAIR_HOT(OTHER);
  AUTO_BASE_PROFILER_LABEL_FAST("d", OTHER, context);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_FAST("e", "text", OTHER, context, 0);
  AUTO_BASE_PROFILER_LABEL_IN("f", MarkerCategory::OTHER);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR_IN("g", MarkerCategory::OTHER, "text");
  FORKED_REQUIRE(Texts() == "a b Profiling c(text) d e(text) f g(text) ");
  return 0;
}

TEST_CASE("labels: every form, inactive and active; hot ones and copies only while active") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          RecordingFolder::Load();
          FORKED_REQUIRE(CheckForms() == 0 && CheckBaseForms() == 0);
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(CheckForms() == 0);
          geckoprof_base_pause();
          FORKED_REQUIRE(CheckForms() == 0);  // paused is active: what begins now is there when it goes on
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("labels: a text is not evaluated while nothing is recorded") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          int evaluated = 0;
          AUTO_PROFILER_LABEL_DYNAMIC_STRING("s", OTHER, (++evaluated, std::string("text")));
          FORKED_REQUIRE(evaluated == 0 && OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

TEST_CASE("labels: one that a recording began or ended inside of is closed as it was opened") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          RecordingFolder::Load();
          {
            AUTO_PROFILER_LABEL_HOT("not opened", OTHER);
            FORKED_REQUIRE(folder.Start());
            AUTO_PROFILER_LABEL_HOT("opened", OTHER);
            FORKED_REQUIRE(Texts() == "opened ");
            geckoprof_base_stop();
            FORKED_REQUIRE(Texts() == "opened ");
          }
          FORKED_REQUIRE(OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

__attribute__((noinline)) uint32_t Nest(int levels) {
  AUTO_PROFILER_LABEL("nested", OTHER);
  return levels > 1 ? Nest(levels - 1) : OwnLabels().depth();
}

TEST_CASE("labels: nested past the capacity they are counted and balanced") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          AUTO_PROFILER_LABEL("outer", OTHER);
          for (int round = 0; round < 3; ++round) {
            FORKED_REQUIRE(Nest(1000) == 1001);
            FORKED_REQUIRE(Texts() == "outer ");
          }
          return 0;
        }) == 0);
}

std::atomic<int> g_handled{0};
void LabelInHandler(int) {
  AUTO_PROFILER_LABEL("handler", OTHER);
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("handler", OTHER, "inner");
  g_handled.fetch_add(1);
}

// The handler interrupts the making of the slot, too.
TEST_CASE("labels: in a signal handler, also on a thread's first label, and each thread has one slot") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          RecordingState::Get().slots().Current();
          signal(SIGUSR1, &LabelInHandler);
          std::atomic<pthread_t> target{0};
          std::atomic<bool> stop{false};
          std::atomic<int> in_use{0};
          std::thread sender([&] {
            while (!stop.load()) {
              in_use.store(1);
              if (const pthread_t thread = target.load()) pthread_kill(thread, SIGUSR1);
              in_use.store(0);
            }
          });
          int wrong = 0;
          // On a busy machine none of the first may be hit.
          for (int i = 0; i < 300 || (g_handled.load() == 0 && i < 1'000'000); ++i) {
            std::thread([&] {
              target.store(pthread_self());
              { AUTO_PROFILER_LABEL("first", OTHER); }
              int mine = 0;
              RecordingState::Get().slots().registry().ForEachLive(
                  [&](const ThreadSlot& slot) { mine += slot.tid.load() == gettid(); });
              wrong += mine != 1 || OwnLabels().depth() != 0;
              target.store(0);
              while (in_use.load() != 0) {
              }
            }).join();
          }
          stop.store(true);
          sender.join();
          FORKED_REQUIRE(wrong == 0 && g_handled.load() > 0);
          return 0;
        }) == 0);
}

#ifdef GECKOPROF_CAN_INTERRUPT_AT
TEST_CASE("labels: a handler may interrupt a thread's first label at any instruction") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          RecordingState::Get().slots().Current();
          bool goes_on = true;
          for (uint64_t i = 0; goes_on; i += kInstructionsApart) {
            bool is_right = false;
            std::thread([&] {
              goes_on = InterruptedAt(
                  i, [] { LabelInHandler(0); }, [] { AUTO_PROFILER_LABEL("first", OTHER); });
              int mine = 0;
              RecordingState::Get().slots().registry().ForEachLive(
                  [&](const ThreadSlot& slot) { mine += slot.tid.load() == gettid(); });
              is_right = mine == 1 && OwnLabels().depth() == 0;
              // Else the next thread's first label looks at more and more slots.
              ThreadRegistry::Release(ThreadSlots::Known(), CurrentThread());
            }).join();
            FORKED_REQUIRE(is_right);
          }
          FORKED_REQUIRE(g_handled.load() > 100 / kInstructionsApart);
          return 0;
        }) == 0);
}
#endif

TEST_CASE("labels: in the destructors of a thread's objects, in a forked child, and after the end of recording") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          static std::atomic<int> seen{0};
          struct Late {
            ~Late() {
              AUTO_PROFILER_LABEL("late", OTHER);
              seen.store(Texts() == "late " ? 1 : 2);
            }
          };
          std::thread([] {
            static thread_local Late late;
            static_cast<void>(&late);
          }).join();
          FORKED_REQUIRE(seen.load() == 1);
          AUTO_PROFILER_LABEL("of both", OTHER);
          FORKED_REQUIRE(StatusInChild([] {
                           AUTO_PROFILER_LABEL("of the child", OTHER);
                           return Texts() == "of both of the child " ? 0 : 1;
                         }) == 0);
          FORKED_REQUIRE(Texts() == "of both ");
          ProfilerCore::Get().OnExit(0);
          geckoprof_base_stop();
          AUTO_PROFILER_LABEL("after", OTHER);
          FORKED_REQUIRE(Texts() == "of both after ");
          return 0;
        }) == 0);
}

TEST_CASE("labels: a thread for which there is no memory has none, and goes on") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          std::atomic<bool> go{false};
          int status = 1;
          std::thread thread([&] {
            while (!go.load()) {
            }
            AUTO_PROFILER_LABEL("none", OTHER);
            const ProfilerLabelContext context;
            AUTO_PROFILER_LABEL_FAST("none", OTHER, context);
            status = geckoprof_base_labels == nullptr && geckoprof_base_own_labels() == nullptr ? 0 : 1;
          });
          const rlimit none = {0, 0};
          RawSyscall(SYS_prlimit64, 0, RLIMIT_AS, &none, nullptr);
          while (RecordingState::Get().slots().Claim() != nullptr) {
          }
          go.store(true);
          thread.join();
          return status;
        }) == 0);
}

TEST_CASE("labels: closed by another thread, they take nothing of that thread's with them") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          geckoprof_label_stack* const mine = geckoprof_base_own_labels();
          const uint32_t depth = geckoprof_base_label_push(mine, "moved", nullptr, 0x100);
          int status = 1;
          std::thread([&] {
            AUTO_PROFILER_LABEL("of the other", OTHER);
            geckoprof_base_label_pop(mine, depth);
            status = Texts() == "of the other " ? 0 : 1;
          }).join();
          FORKED_REQUIRE(status == 0 && OwnLabels().depth() == 0);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
