#include "thread_list_fixture.h"

namespace geckoprof {
namespace {

TEST_CASE("the CPU time of a thread that began in the recording counts from its begin on") {
  struct Case {
    bool known_before, own, earlier;
    bool counts;
  };
  for (const Case& c : {Case{false, false, false, true}, Case{true, false, false, true},
                        Case{false, true, false, false}, Case{false, false, true, false}}) {
    ThreadListFixture fixture;
    const Waiter waiter("thread");
    if (c.known_before) fixture.list->Scan(1'000);
    fixture.segment.segment().header().created_ns = 50'000;
    ThreadSlot* const slot = fixture.registry->Claim();
    slot->creator_tid = c.own ? waiter.tid().ToNumber() : OwnTid().ToNumber();
    slot->published_ns = c.earlier ? 40'000 : 60'000;
    ThreadRegistry::Publish(slot, waiter.tid());
    fixture.list->AddAnnounced(1, 70'000);
    SampledThread* const thread = fixture.Find(waiter.tid());
    REQUIRE(thread != nullptr);
    CHECK_FALSE(thread->cpu.has_row());
    CHECK(thread->cpu.Charge({3'000, 80'000}) == (c.counts ? 3'000 : -1));
    // What lists it once more, as another recording does, knows nothing of its clock.
    fixture.list = nullptr;
    ThreadListFixture again;
    again.segment.segment().header().created_ns = 50'000;
    ThreadList list(ThreadList::Setting{ProcessId::FromNumber(getpid()),
                                        OwnTid(),
                                        {0x1000, 0x2000},
                                        &again.filter,
                                        fixture.registry.get(),
                                        &again.metadata,
                                        &again.segment.segment().header()});
    list.AddAnnounced(1, 90'000);
    REQUIRE(list.threads().size() == 1);
    CHECK(list.threads()[0]->cpu.Charge({3'000, 95'000}) == -1);
  }
}

}  // namespace
}  // namespace geckoprof
