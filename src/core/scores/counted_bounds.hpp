// Bounds of measures that count relevant documents, and of preference measures.
#pragma once

#include <limits>

#include "measures/front.hpp"

namespace poolwise {

struct Range {
    double low, high;
};

// A ranking in which the labels of some documents are open.
struct OpenRanking {
    std::vector<std::int32_t> label;  // class by rank - 1, -1: open
    std::vector<std::uint32_t> open;  // ranks, ascending

    void set(const Ranking& ranking) {
        label.assign(ranking.retrieved, -1);
        for (std::uint32_t i = 0; i < ranking.count; ++i) label[ranking.rank[i] - 1] = ranking.label[i];
        open.clear();
        for (std::uint32_t rank = 1; rank <= ranking.retrieved; ++rank)
            if (label[rank - 1] < 0) open.push_back(rank);
    }
};

// The extremes of a measure: prepared once for a topic, then asked for every ranking that has open documents.
class Extremes {
   public:
    explicit Extremes(const Spec& spec) : spec_(spec) {}
    virtual ~Extremes() = default;

    virtual void prepare(const TopicCounts& counts) { counts_ = &counts; }

    // `value` is the score so far.
    virtual Range range(const OpenRanking& ranking, double value) = 0;

    // Whether some labels reach the bounds; outer bounds are only sure to hold every score.
    virtual bool exact() const { return true; }

   protected:
    const Spec spec_;
    const TopicCounts* counts_ = nullptr;
};

// Scores of a ranking all of whose labels are given.
class Filled {
   public:
    explicit Filled(const Spec& spec) : kernel_(make_kernel(spec)) {}

    double score(const std::vector<std::int32_t>& label, const TopicCounts& counts) {
        const auto size = static_cast<std::uint32_t>(label.size());
        while (rank_.size() < size) {
            before_.push_back(static_cast<std::uint32_t>(rank_.size()));
            rank_.push_back(static_cast<std::uint32_t>(rank_.size() + 1));
        }
        kernel_->prepare(counts);
        return kernel_->score({rank_.data(), before_.data(), before_.data(), label.data(), size, size, size});
    }

   private:
    std::unique_ptr<Kernel> kernel_;
    std::vector<std::uint32_t> rank_, before_;
};

// Of measures that see documents as positive (relevant, or with a gain) or not. Given how many open documents are
// positive, the score is highest when those are the first and lowest when they are the last, because a positive
// document that moves up past others never lowers any term; so the extremes are found by trying every number.
class Counted : public Extremes {
   public:
    Counted(const Spec& spec, std::vector<char> positive) : Extremes(spec), positive_(std::move(positive)) {
        for (const char is : positive_) (is ? may_be_ : may_not_be_) = true;
    }

    void prepare(const TopicCounts& counts) override {
        Extremes::prepare(counts);
        positives_ = others_ = 0;
        for (std::size_t c = 0; c < positive_.size(); ++c) (positive_[c] ? positives_ : others_) += counts.judged[c];
    }

    Range range(const OpenRanking& ranking, double) override {
        look(ranking);
        open_ = ranking.open.size();
        Range found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        for (std::size_t t = may_not_be_ ? 0 : open_; t <= (may_be_ ? open_ : 0); ++t) {
            found.high = std::max(found.high, first(t));
            found.low = std::min(found.low, last(t));
        }
        return found;
    }

   protected:
    // Takes in a ranking, and gives the score with the first or last t open documents positive.
    virtual void look(const OpenRanking& ranking) = 0;
    virtual double first(std::size_t t) const = 0;
    virtual double last(std::size_t t) const = 0;

    enum class Kind { open, positive, other };
    Kind kind(std::int32_t label) const {
        return label < 0 ? Kind::open : positive_[label] ? Kind::positive : Kind::other;
    }

    // A sum over retrieved positive documents, with t more of them in the topic.
    double share(double sum, std::size_t t) const {
        return positives_ + t > 0 ? sum / static_cast<double>(positives_ + t) : 0.0;
    }

    std::vector<char> positive_;  // by class
    bool may_be_ = false, may_not_be_ = false;
    double positives_ = 0, others_ = 0;  // judged documents of the topic
    std::size_t open_ = 0;               // open documents of the ranking
};

// By scoring every number of positive documents; for measures whose sums nobody has worked out.
class Tried final : public Counted {
   public:
    Tried(const Spec& spec, std::vector<char> positive) : Counted(spec, std::move(positive)), filled_(spec) {
        for (std::uint32_t c = 0; c < positive_.size(); ++c) (positive_[c] ? yes_ : no_) = c;
    }

   protected:
    void look(const OpenRanking& ranking) override { ranking_ = &ranking; }
    double first(std::size_t t) const override { return score(0, t); }
    double last(std::size_t t) const override { return score(open_ - t, open_); }

   private:
    // With the open documents from `begin` to `end` positive and the others not.
    double score(std::size_t begin, std::size_t end) const {
        label_ = ranking_->label;
        TopicCounts counts = *counts_;
        for (std::size_t i = 0; i < open_; ++i) {
            const std::uint32_t c = i >= begin && i < end ? yes_ : no_;
            label_[ranking_->open[i] - 1] = static_cast<std::int32_t>(c);
            ++counts.judged[c];
        }
        return filled_.score(label_, counts);
    }

    mutable Filled filled_;
    mutable std::vector<std::int32_t> label_;
    const OpenRanking* ranking_ = nullptr;
    std::uint32_t yes_ = 0, no_ = 0;
};

// Precision at a multiple of the number of positive documents.
class RprecExtremes final : public Counted {
   public:
    using Counted::Counted;

   protected:
    void look(const OpenRanking& ranking) override {
        found_.assign(1, 0);
        opened_.assign(1, 0);
        for (const std::int32_t label : ranking.label) {
            found_.push_back(found_.back() + (kind(label) == Kind::positive));
            opened_.push_back(opened_.back() + (kind(label) == Kind::open));
        }
    }
    double first(std::size_t t) const override {
        return precision(found_[depth(t)] + std::min<double>(t, opened_[depth(t)]), t);
    }
    double last(std::size_t t) const override {
        const double below = opened_.back() - opened_[depth(t)];
        return precision(found_[depth(t)] + std::max(0.0, t - below), t);
    }

   private:
    double rank(std::size_t t) const { return multiple_of(positives_ + t, spec_.numbers[0]); }
    double precision(double sum, std::size_t t) const { return rank(t) > 0 ? sum / rank(t) : 0.0; }
    std::size_t depth(std::size_t t) const {
        return static_cast<std::size_t>(std::min<double>(rank(t), found_.size() - 1));
    }
    std::vector<double> found_, opened_;  // within each depth
};

// Sums over pairs of positive documents of a weight that falls with the lower one's rank; average precision, where
// each document also pairs with itself, and the relative preferences.
template <class Weight>
class PairExtremes final : public Counted {
   public:
    using Counted::Counted;

   protected:
    void look(const OpenRanking& ranking) override {
        const std::size_t open = ranking.open.size();
        first_.assign(open + 1, 0.0);
        last_.assign(open + 1, 0.0);
        std::vector<double> beside(open, 0.0);  // what each open document adds beside the judged ones
        double fixed = 0.0, above = 0.0, below = 0.0;
        std::size_t at = 0;
        for (std::size_t rank = 1; rank <= ranking.label.size(); ++rank) {
            const Kind is = kind(ranking.label[rank - 1]);
            if (is == Kind::open) beside[at++] = weight(rank) * (above + Weight::itself);
            if (is == Kind::positive) fixed += weight(rank) * (above++ + Weight::itself);
        }
        for (std::size_t rank = ranking.label.size(); rank > 0; --rank) {
            const Kind is = kind(ranking.label[rank - 1]);
            if (is == Kind::open) beside[--at] += below;
            if (is == Kind::positive) below += weight(rank);
        }
        first_[0] = last_[0] = fixed;
        double added = 0.0;  // weights of those already positive, all of them further down
        for (std::size_t t = 1; t <= open; ++t) {
            const std::size_t next = ranking.open[t - 1], before = ranking.open[open - t];
            first_[t] = first_[t - 1] + beside[t - 1] + weight(next) * static_cast<double>(t - 1);
            last_[t] = last_[t - 1] + beside[open - t] + added;
            added += weight(before);
        }
    }
    double first(std::size_t t) const override { return share(first_[t], t); }
    double last(std::size_t t) const override { return share(last_[t], t); }

   private:
    double weight(std::size_t rank) const { return spec_.cutoff == 0 || rank <= spec_.cutoff ? Weight::of(rank) : 0.0; }
    std::vector<double> first_, last_;  // sums by t
};

struct PrecisionWeight {
    static constexpr double itself = 1.0;
    static double of(std::size_t rank) { return 1.0 / static_cast<double>(rank); }
};
struct RelativeWeight {
    static constexpr double itself = 0.0;
    static double of(std::size_t rank) { return rank > 1 ? 1.0 / static_cast<double>(rank - 1) : 0.0; }
};
using AveragePrecisionExtremes = PairExtremes<PrecisionWeight>;
using RelativePreferenceExtremes = PairExtremes<RelativeWeight>;

// ---- Preference measures: exact when all gains are 0 or the same --------------------------------------------------

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
