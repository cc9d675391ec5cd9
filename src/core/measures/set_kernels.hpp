// Measures of what was retrieved as a set, whatever its order.
#pragma once

#include "kernels.hpp"

namespace poolwise {

class OfSet : public CountRelevant {
   public:
    using CountRelevant::CountRelevant;

   protected:
    double found(const Ranking& ranking) const { return count(ranking, ranking.retrieved); }
    double precision(const Ranking& ranking) const { return share(found(ranking), ranking.retrieved); }
    double recall(const Ranking& ranking) const { return share(found(ranking), relevant_); }
};

struct SetP final : OfSet {
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override { return precision(ranking); }
};

struct SetR final : OfSet {
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override { return recall(ranking); }
};

struct SetAP final : OfSet {
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override {
        const double number = found(ranking);
        return share(number * number, static_cast<double>(ranking.retrieved) * relevant_);
    }
};

// numbers: how much recall weighs beside precision.
struct SetF final : OfSet {
    static constexpr Takes takes{Gains::none, {Number::weight}};
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override {
        const double beta = spec_.numbers[0], p = precision(ranking), r = recall(ranking);
        return share((beta + 1.0) * p * r, beta * p + r);
    }
};

// The same of the top k.
struct F1 final : CountRelevant {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override {
        return share(2.0 * count(ranking, spec_.cutoff), static_cast<double>(spec_.cutoff) + relevant_);
    }
};

struct SetRelativeP final : OfSet {
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override {
        return share(found(ranking), std::min(ranking.retrieved, relevant_));
    }
};

// Precision as a share of the best there can be at the cut-off.
struct RelativeP final : CountRelevant {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override {
        return share(count(ranking, spec_.cutoff), std::min(spec_.cutoff, relevant_));
    }
};

// numbers: what a document is worth that is retrieved and relevant, retrieved and not relevant, relevant and not
// retrieved, neither; and the number of documents that there are, which those that are neither are counted from, even
// below 0, as trec_eval does.
struct Utility final : OfSet {
    static constexpr Takes takes{
        Gains::none, {Number::real, Number::real, Number::real, Number::real, Number::weight}, false};
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override {
        const auto& worth = spec_.numbers;
        const double number = found(ranking), retrieved = ranking.retrieved, relevant = relevant_;
        return worth[0] * number + worth[1] * (retrieved - number) + worth[2] * (relevant - number) +
               worth[3] * (worth[4] + number - retrieved - relevant);
    }
};

struct NumNonrelRet final : OfSet {
    static constexpr Takes takes{Gains::none, {}, false};
    using OfSet::OfSet;
    double score(const Ranking& ranking) const override { return ranking.judged - found(ranking); }
};

inline constexpr std::array set_kernels{
    entry<SetP>("SetP"),           entry<SetR>("SetR"),       entry<SetAP>("SetAP"),
    entry<SetF>("SetF"),           entry<F1>("F1"),           entry<SetRelativeP>("SetRelativeP"),
    entry<RelativeP>("RelativeP"), entry<Utility>("Utility"), entry<NumNonrelRet>("NumNonrelRet"),
};

}  // namespace poolwise
