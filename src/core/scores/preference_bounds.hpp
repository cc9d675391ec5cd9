// Bounds of preference measures: exact when all gains are 0 or the same.
#pragma once

#include <limits>

#include "counted_bounds.hpp"

namespace poolwise {

// Preferences: a positive document loses min(n, cap) / divisor for the n others above it. Open documents in the order
// of their ranks have ever more others above, so their sums are read off sums from the top.
template <class Loss>
class PreferenceExtremes final : public Counted {
   public:
    PreferenceExtremes(const Spec& spec, std::vector<char> positive)
        : Counted(spec, std::move(positive)), loss_(spec) {}

   protected:
    struct Fixed {
        double others, open;  // above
    };

    void look(const OpenRanking& ranking) override {
        fixed_.clear();
        above_.clear();
        sums_.assign(1, 0.0);
        others_retrieved_ = 0.0;
        for (const std::int32_t label : ranking.label) {
            const Kind is = kind(label);
            if (is == Kind::positive) fixed_.push_back({others_retrieved_, static_cast<double>(above_.size())});
            if (is == Kind::open) {
                above_.push_back(others_retrieved_);
                sums_.push_back(sums_.back() + others_retrieved_);
            }
            others_retrieved_ += is == Kind::other;
        }
    }
    double first(std::size_t t) const override {
        const double cap = loss_.cap(positives_ + t);
        double sum = capped(0, t, 0.0, cap);
        for (const Fixed& fixed : fixed_) sum += std::min(fixed.others + std::max(0.0, fixed.open - t), cap);
        return value(sum, t);
    }
    double last(std::size_t t) const override {
        const double cap = loss_.cap(positives_ + t), left = static_cast<double>(open_ - t);
        double sum = capped(open_ - t, open_, left, cap);
        for (const Fixed& fixed : fixed_) sum += std::min(fixed.others + std::min(fixed.open, left), cap);
        return value(sum, t);
    }

   private:
    // Sum of min(above + more, cap) over some open documents.
    double capped(std::size_t begin, std::size_t end, double more, double cap) const {
        const auto at = std::upper_bound(above_.begin() + begin, above_.begin() + end, cap - more);
        const std::size_t under = at - above_.begin();
        const double sum = sums_[under] - sums_[begin] + more * static_cast<double>(under - begin);
        return under == end ? sum : sum + cap * static_cast<double>(end - under);
    }
    double value(double sum, std::size_t t) const {
        const double left = static_cast<double>(open_ - t), found = static_cast<double>(fixed_.size() + t);
        const double lost =
            sum > 0 ? sum / loss_.divisor(positives_ + t, others_ + left, others_retrieved_ + left) : 0.0;
        return share(found - lost, t);
    }

    Loss loss_;
    std::vector<Fixed> fixed_;
    std::vector<double> above_, sums_;  // judged others above each open document, and sums of these
    double others_retrieved_ = 0.0;
};

template <class Loss>
struct AnyTopic : Loss {
    explicit AnyTopic(const Spec&) {}
};

// rpref_N when all gains are 0 or the same.
struct GradedNLoss {
    explicit GradedNLoss(const Spec& spec)
        : share_of_top(*std::max_element(spec.gain.begin(), spec.gain.end()) / spec.numbers[0]) {}
    double cap(double) const { return std::numeric_limits<double>::infinity(); }
    double divisor(double positives, double others, double) const {
        return positives + others - positives * share_of_top;
    }
    double share_of_top;
};

// Outer bounds: each judged document by itself with the open ones at their kindest or unkindest to it.
template <class Divisor>
class GradedPreferenceExtremes final : public Extremes {
   public:
    explicit GradedPreferenceExtremes(const Spec& spec) : Extremes(spec) {
        least_ = *std::min_element(spec.gain.begin(), spec.gain.end());
        most_ = *std::max_element(spec.gain.begin(), spec.gain.end());
        top_ = spec.numbers.empty() ? most_ : spec.numbers[0];
    }

    bool exact() const override { return false; }

    Range range(const OpenRanking& ranking, double) override {
        const double infinity = std::numeric_limits<double>::infinity();
        if (top_ < most_) return {-infinity, infinity};  // the highest label has not the highest gain
        double total = 0.0, spread = 0.0, low = 0.0, high = 0.0, opened = 0.0;
        for (std::size_t c = 0; c < counts_->judged.size(); ++c) {
            total += counts_->judged[c] * spec_.gain[c];
            spread += counts_->judged[c] * (1 - spec_.gain[c] / top_);
        }
        const auto open = static_cast<double>(ranking.open.size());
        const bool first_is_lost = Divisor::skips_first && ranking.label[0] < 0;
        std::vector<std::uint32_t> above(spec_.gain.size(), 0);
        for (std::size_t i = 0; i < ranking.label.size(); ++i) {
            const std::int32_t label = ranking.label[i];
            if (label < 0) {
                ++opened;
                continue;
            }
            const double gain = spec_.gain[label];
            if (gain > 0 && !(Divisor::skips_first && i == 0)) {
                double penalty = 0.0;
                for (std::size_t c = 0; c < above.size(); ++c)
                    if (spec_.gain[c] < gain) penalty += above[c] * (1 - spec_.gain[c] / gain);
                const double more = opened * std::max(0.0, 1 - least_ / gain), wider = 1 - least_ / top_;
                const double rank = i + 1.0;
                high += gain * (1 - lost(penalty, Divisor::of(rank, spread + open * wider)));
                low += gain * (1 - std::max(lost(penalty, Divisor::of(rank, spread)),
                                            lost(penalty + more, Divisor::of(rank, spread + opened * wider))));
            }
            ++above[label];
        }
        const double added = (open - first_is_lost) * most_, idle = first_is_lost ? least_ : 0.0;
        return {share(low, total + open * most_), share(high + added, total + added + idle)};
    }

   private:
    static double lost(double penalty, double divisor) { return penalty > 0 ? std::min(1.0, penalty / divisor) : 0.0; }
    static double share(double sum, double of) { return of > 0 ? sum / of : 0.0; }

    double least_, most_, top_;
};

}  // namespace poolwise
