#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "train/small_training.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

// The dictionary of that name, to be changed.
Dict& part_of(Dict& dict, const char* name) {
  const auto is_it = [&](const auto& entry) { return entry.first == Key(std::string(name)); };
  return std::get<Dict>(std::ranges::find_if(dict, is_it)->second.held);
}
Dict& part_of(Value& value, const char* name) { return part_of(std::get<Dict>(value.held), name); }

TEST(TrainerOptimizerTest, MuonTakesFiltersAndHiddenMatricesAndLeavesTheEnds) {
  const auto groups_of = [](const ModelSpec& spec, OptimizerKind rest) {
    TrainSettings settings = settings_of(OptimizerKind::Muon, 0.1);
    settings.optimizer.rest = rest;
    const Value state = make(spec, settings)->state();
    return std::get<List>(find(*find(state, "optimizer"), "param_groups")->held);
  };
  const auto count = [](const Value& group) {
    return std::get<List>(find(group, "params")->held).size();
  };
  const List images = groups_of(small_resnet(), OptimizerKind::Sgd);
  ASSERT_EQ(images.size(), 2);
  EXPECT_EQ(count(images[0]), 19);  // all convolutions
  EXPECT_EQ(count(images[1]), 19 * 2 + 2);
  EXPECT_NE(find(images[0], "ns_coefficients"), nullptr);
  EXPECT_NE(find(images[1], "dampening"), nullptr);
  const List tokens = groups_of(small_llama(), OptimizerKind::AdamW);
  EXPECT_EQ(count(tokens[0]), 2 * 7);
  EXPECT_EQ(count(tokens[1]), 2 * 2 + 1 + 1);  // norms, and the embedding, which is the head too
  EXPECT_NE(find(tokens[1], "betas"), nullptr);
}

TEST(TrainerOptimizerTest, ACheckpointOfAnotherOptimizerIsRefusedByName) {
  const auto state_of = [](OptimizerKind kind) {
    const auto trainer = make(small_resnet(), settings_of(kind, 0.1));
    return trainer->state();
  };
  for (const auto& [saved, run] : {std::pair{OptimizerKind::Sgd, OptimizerKind::Muon},
                                   std::pair{OptimizerKind::Muon, OptimizerKind::Sgd},
                                   std::pair{OptimizerKind::Adam, OptimizerKind::AdamW}}) {
    const auto trainer = make(small_resnet(), settings_of(run, 0.1));
    const std::string before = all_bytes(*trainer);
    const std::string message =
        message_of(Fault::BadInput, [&, from = saved] { trainer->restore(state_of(from), 1); });
    EXPECT_THAT(message, HasSubstr(std::string(name_of(saved))));
    EXPECT_THAT(message, HasSubstr("--optimizer must be the same"));
    EXPECT_EQ(all_bytes(*trainer), before);
  }
}

TEST(TrainerOptimizerTest, MomentaOfParametersThatAreNotThereAreRefused) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  Value state = trainer->state();
  auto& states = part_of(part_of(state, "optimizer"), "state");
  states.emplace_back(static_cast<std::int64_t>(states.size()), states.back().second);
  EXPECT_THAT(message_of(Fault::BadInput, [&] { trainer->restore(state, 1); }),
              HasSubstr("knows a parameter 59, this one's knows 59 in all"));
}

// As torch keeps it: nothing, or None in older files.
TEST(TrainerOptimizerTest, SgdWithoutMomentumGoesOnFromAnEmptyState) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  settings.optimizer.momentum = 0;
  settings.optimizer.nesterov = false;
  const auto whole = make(small_resnet(), settings);
  take_steps(*whole, 2);
  Value state = whole->state();
  auto& states = part_of(part_of(state, "optimizer"), "state");
  EXPECT_TRUE(states.empty());
  states.emplace_back(std::int64_t{0}, Value{Dict{{std::string("momentum_buffer"), nothing()}}});
  const auto rest = make(small_resnet(), settings);
  rest->restore(state, 2);
  take_steps(*whole, 2, 2);
  take_steps(*rest, 2, 2);
  EXPECT_EQ(all_bytes(*rest), all_bytes(*whole));
}

TEST(TrainerOptimizerTest, MomentumThatBeginsInAResumedRunBeginsAtZero) {
  TrainSettings plain = settings_of(OptimizerKind::Sgd, 0.1);
  plain.optimizer.momentum = 0;
  plain.optimizer.nesterov = false;
  const auto first = make(small_resnet(), plain);
  const auto with = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  with->restore(first->state(), 1);
  first->restore(with->state(), 1);  // and momentum that ends is left behind
  EXPECT_EQ(all_bytes(*first), all_bytes(*with));
}

TEST(TrainerOptimizerTest, ANormDecayThatComesOrGoesIsToldByItsFlag) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  const auto alike = make(small_resnet(), settings);
  settings.optimizer.norm_weight_decay = 0;
  const auto apart = make(small_resnet(), settings);
  EXPECT_THAT(message_of(Fault::BadInput, [&] { apart->restore(alike->state(), 1); }),
              HasSubstr("groups of 59 parameters, this run's has 20 + 39: --norm-weight-decay"));
}

TEST(TrainerOptimizerTest, ABadLossLeavesMuonsMomentumToo) {
  TrainSettings settings = settings_of(OptimizerKind::Muon, 0.1);
  settings.survive_bad_steps = true;
  const auto trainer = make(small_resnet(), settings);
  take_steps(*trainer, 2);
  const std::string before = all_bytes(*trainer);
  const auto momenta_now = [&] {
    const Value state = trainer->state();
    return array_bytes(*find(state, "optimizer"));
  };
  const std::string momenta = momenta_now();
  ASSERT_FALSE(momenta.empty());
  Images poisoned(5);
  poisoned.pixels[7] = std::numeric_limits<float>::quiet_NaN();
  trainer->upload(poisoned.batch(), 0);
  trainer->step();
  EXPECT_EQ(all_bytes(*trainer), before);
  EXPECT_EQ(momenta_now(), momenta);
  EXPECT_TRUE(trainer->is_finite());
  take_steps(*trainer, 1);
  EXPECT_NE(momenta_now(), momenta);
  EXPECT_EQ(trainer->take_totals().bad_steps, 1);
}

}  // namespace
}  // namespace ridgeline
