#include "cuda/call_ticket.h"

#include <gtest/gtest.h>

#include "cuda/call_log.h"

namespace ridgeline {
namespace {

TEST(CallTicketTest, ACallEndsWhereItBegan) {
  const CallTickets tickets;
  const auto call = tickets.call_of(tickets.ticket(CallKind::Wait, 41));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, CallKind::Wait);
  EXPECT_EQ(call->place, 41);
  EXPECT_EQ(tickets.call_of(tickets.ticket(CallKind::Launch, 0))->kind, CallKind::Launch);
}

TEST(CallTicketTest, ACallOfAnEarlierRoundEndsWithoutATrace) {
  CallTickets tickets;
  const std::uint64_t early = tickets.ticket(CallKind::Launch, 3);
  tickets.renew();
  EXPECT_FALSE(tickets.call_of(early));
  EXPECT_TRUE(tickets.call_of(tickets.ticket(CallKind::Launch, 3)));
}

TEST(CallTicketTest, ACallThatWasNeverSeenToBeginEndsWithoutATrace) {
  const CallTickets tickets;
  EXPECT_FALSE(tickets.call_of(0));
  EXPECT_FALSE(tickets.call_of(0x7f12'3456'789aULL)) << "a pointer of somebody's";
}

TEST(CallTicketTest, ACallThatFoundNoRoomHasNoTicket) {
  const CallTickets tickets;
  EXPECT_EQ(tickets.ticket(CallKind::Launch, std::nullopt), 0);
}

TEST(CallLogTest, WhatFindsNoRoomIsCounted) {
  CallLog<int> log(2);
  EXPECT_EQ(log.add(10), 0);
  EXPECT_EQ(log.add(11), 1);
  EXPECT_EQ(log.add(12), std::nullopt);
  EXPECT_EQ(log.all().size(), 2);
  EXPECT_EQ(log.beyond_limit(), 1);
  log.at(1) = 21;
  EXPECT_EQ(log.all()[1], 21);
  log.reset();
  EXPECT_TRUE(log.all().empty());
  EXPECT_EQ(log.beyond_limit(), 0);
}

}  // namespace
}  // namespace ridgeline
