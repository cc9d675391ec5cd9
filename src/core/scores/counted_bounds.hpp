// Bounds of measures of which documents are relevant, found by trying how many of the open ones are.
#pragma once

#include <limits>

#include "extremes.hpp"
#include "measures/front.hpp"

namespace poolwise {

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

}  // namespace poolwise
