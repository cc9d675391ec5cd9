// Measures of gains along a ranking beside nDCG, and measures of trec_eval that lie between AP and nDCG.
#pragma once

#include "kernels.hpp"

namespace poolwise {

// With the gains of an ideal list, which holds the judged documents of positive gain.
class WithIdeal : public Kernel {
   public:
    explicit WithIdeal(const Spec& spec) : Kernel(spec), order_(ideal_order()) {}

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        ideal_.clear();
        for (const std::uint32_t c : order_) ideal_.insert(ideal_.end(), counts.judged[c], spec_.gain[c]);
    }

    std::vector<char> looks_at() const override { return with_gain(); }

   protected:
    double gain(const Ranking& ranking, std::uint32_t i) const { return spec_.gain[ranking.label[i]]; }
    double gained(const Ranking& ranking, std::uint32_t i) const {
        return gain(ranking, i) * spec_.discount[ranking.rank[i] - 1];
    }

    std::vector<double> ideal_;  // gains by rank - 1

   private:
    std::vector<std::uint32_t> order_;
};

struct DCG final : Kernel {
    static constexpr Takes takes{Gains::positive, {}, false};
    using Kernel::Kernel;
    std::vector<char> looks_at() const override { return with_gain(); }
    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < depth; ++i)
            sum += spec_.gain[ranking.label[i]] * spec_.discount[ranking.rank[i] - 1];
        return sum;
    }
};

struct IDCG final : WithIdeal {
    static constexpr Takes takes{Gains::positive, {}, false};
    using WithIdeal::WithIdeal;
    double score(const Ranking&) const override {
        const std::size_t depth =
            spec_.cutoff == 0 ? ideal_.size() : std::min<std::size_t>(spec_.cutoff, ideal_.size());
        double sum = 0.0;
        for (std::size_t i = 0; i < depth; ++i) sum += ideal_[i] * spec_.discount[i];
        return sum;
    }
};

// DCG of the ideal list down to every depth.
class WithIdealSums : public WithIdeal {
   public:
    using WithIdeal::WithIdeal;

    void prepare(const TopicCounts& counts) override {
        WithIdeal::prepare(counts);
        sums_.assign(1, 0.0);
        for (std::size_t i = 0; i < ideal_.size(); ++i) sums_.push_back(sums_.back() + ideal_[i] * spec_.discount[i]);
    }

   protected:
    double ideal(std::size_t depth) const { return sums_[std::min(depth, ideal_.size())]; }

   private:
    std::vector<double> sums_;
};

// nDCG at the rank of every document of positive gain, averaged; documents not retrieved have that of the whole list.
struct nDCGrel final : WithIdealSums {
    static constexpr Takes takes{Gains::positive};
    using WithIdealSums::WithIdealSums;
    double score(const Ranking& ranking) const override {
        double sum = 0.0, dcg = 0.0;
        std::size_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            if (!(gain(ranking, i) > 0)) continue;
            dcg += gained(ranking, i);
            sum += dcg / ideal(ranking.rank[i]);
            ++found;
        }
        if (found == 0) return 0.0;
        sum += static_cast<double>(ideal_.size() - found) * dcg / ideal(ideal_.size());
        return sum / static_cast<double>(ideal_.size());
    }
};

// nDCG at the depths where the ideal list comes to the end of a gain, averaged; the whole list is one more where it
// goes more than one document beyond the ideal one, which is how trec_eval counts.
struct RnDCG final : WithIdealSums {
    static constexpr Takes takes{Gains::positive};
    using WithIdealSums::WithIdealSums;
    double score(const Ranking& ranking) const override {
        if (relevant_ == 0 || ideal_.empty()) return 0.0;
        double sum = 0.0, dcg = 0.0;
        std::size_t points = 0;
        std::uint32_t i = 0;
        for (std::size_t depth = 1; depth <= ideal_.size(); ++depth) {
            if (depth < ideal_.size() && ideal_[depth] == ideal_[depth - 1]) continue;
            for (; i < ranking.count && ranking.rank[i] <= depth; ++i) dcg += gained(ranking, i);
            sum += dcg / ideal(depth);
            ++points;
        }
        if (ranking.retrieved > ideal_.size() + 1) {
            for (; i < ranking.count; ++i) dcg += gained(ranking, i);
            sum += dcg / ideal(ideal_.size());
            ++points;
        }
        return sum / static_cast<double>(points);
    }
};

// Gains divided by a logarithm of what was missed before: the gain of the ideal list (1 or more per rank) less that of
// this one.
struct G final : WithIdeal {
    static constexpr Takes takes{Gains::positive};
    using WithIdeal::WithIdeal;

    void prepare(const TopicCounts& counts) override {
        WithIdeal::prepare(counts);
        total_ = 0.0;
        cost_.assign(1, 0.0);
        for (const double gain : ideal_) {
            total_ += gain;
            cost_.push_back(cost_.back() + std::max(gain, 1.0));
        }
    }

    double score(const Ranking& ranking) const override {
        double sum = 0.0, so_far = 0.0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            so_far += gain(ranking, i);
            if (gain(ranking, i) > 0) sum += gain(ranking, i) / std::log2(2.0 + cost(ranking.rank[i]) - so_far);
        }
        return share(sum, total_);
    }

   private:
    double cost(std::size_t rank) const {
        const std::size_t listed = std::min(rank, ideal_.size());
        return cost_[listed] + static_cast<double>(rank - listed);
    }

    std::vector<double> cost_;  // of the first ranks
    double total_ = 0.0;
};

// The same for relevant and other documents: each relevant one by the others before it.
struct binG final : Kernel {
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i)) sum += 1.0 / std::log2(2.0 + (ranking.rank[i] - ++found));
        return share(sum, relevant_);
    }
};

struct YAAP final : Kernel {
    static constexpr Takes takes{Gains::none, {}, false};
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i)) sum += static_cast<double>(++found) / ranking.rank[i];
        return std::log((1.0 + sum) / (1.0 + relevant_ - sum));
    }
};

// ---- Measures of the blended ratio beside Q ----------------------------------------------------------------------

// Normalised cumulative utility: the expected ratio at the relevant document where the reader stops. numbers: beta;
// where readers stop, 0: at any relevant document alike, 1: in proportion to gain, 2: the more seldom the more relevant
// documents are above; by which factor, in the last case.
class NCU final : public BlendedRatio {
   public:
    static constexpr Takes takes{Gains::of_relevant, {Number::weight, Number::choice, Number::share}};
    using BlendedRatio::BlendedRatio;

    void prepare(const TopicCounts& counts) override {
        BlendedRatio::prepare(counts);
        weight_.assign(1, 1.0);
        total_ = by_gain() ? all_gain() : 0.0;
        for (std::uint32_t i = 0; !by_gain() && i < relevant_; ++i) {
            total_ += weight_[i];
            weight_.push_back(weight_[i] * (spec_.numbers[1] == 2 ? spec_.numbers[2] : 1.0));
        }
    }

    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        each_ratio(ranking, ranking.count, [&](std::uint32_t i, std::uint32_t found, double ratio) {
            sum += ratio * (by_gain() ? spec_.gain[ranking.label[i]] : weight_[found - 1]);
        });
        return share(sum, total_);
    }

   private:
    bool by_gain() const { return spec_.numbers[1] == 1; }

    std::vector<double> weight_;  // of the first, second, ... relevant document
    double total_ = 0.0;
};

// The ratio at the first relevant document, with its own gain.
struct Omeasure final : BlendedRatio {
    using BlendedRatio::BlendedRatio;
    double score(const Ranking& ranking) const override {
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i)) return ratio(spec_.gain[ranking.label[i]], 1.0, ranking.rank[i]);
        return 0.0;
    }
};

// The ratio where the reader stops who wants one document, the first of the highest label that the ranking has.
class Pmeasure : public BlendedRatio {
   public:
    using BlendedRatio::BlendedRatio;
    double score(const Ranking& ranking) const override {
        double last = 0.0;
        each_ratio(ranking, preferred(ranking), [&](std::uint32_t, std::uint32_t, double ratio) { last = ratio; });
        return last;
    }

   protected:
    // How many of the documents here are read.
    std::uint32_t preferred(const Ranking& ranking) const {
        std::uint32_t end = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i) && (end == 0 || ranking.label[i] > ranking.label[end - 1])) end = i + 1;
        return end;
    }
};

// The mean of the ratios at the relevant documents down to there.
struct Pplus final : Pmeasure {
    using Pmeasure::Pmeasure;
    double score(const Ranking& ranking) const override {
        double sum = 0.0, count = 0.0;
        each_ratio(ranking, preferred(ranking), [&](std::uint32_t, std::uint32_t found, double ratio) {
            sum += ratio;
            count = found;
        });
        return share(sum, count);
    }
};

// ---- Similarity to an ideal ranking ------------------------------------------------------------------------------

// Rank-biased overlap with the ideal ranking that is most like this one: highest labels first, equal ones in the order
// of this ranking. A document adds to the overlap at every depth that both rankings have it within. discount:
// p^(rank - 1) / rank. numbers: 1 to divide by the overlap of the ideal ranking with itself, 0 by the sum of weights;
// 1 to compare down to the end of the longer ranking, 0 down to rank 1000, however long they are.
class Compat final : public Kernel {
   public:
    static constexpr std::uint32_t usual_depth = 1000;  // as in the authors' program
    static constexpr Takes takes{Gains::none, {Number::flag, Number::flag}, true, false, usual_depth};

    explicit Compat(const Spec& spec) : Kernel(spec) {
        sums_.assign(1, 0.0);
        weights_.assign(1, 0.0);
        for (std::size_t i = 0; i < spec_.discount.size(); ++i) {
            sums_.push_back(sums_.back() + spec_.discount[i]);
            weights_.push_back(weights_.back() + spec_.discount[i] * static_cast<double>(i + 1));
        }
        if (sums_.size() <= usual_depth) throw std::invalid_argument("discount of Compat ends before rank 1000");
    }

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        higher_.assign(counts.judged.size(), 0);
        std::uint32_t above = 0;
        for (std::size_t c = counts.judged.size(); c-- > 0;) {
            higher_[c] = above;
            if (spec_.relevant[c]) above += counts.judged[c];
        }
    }

    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = spec_.numbers[1] == 0 ? usual_depth : std::max(ranking.retrieved, relevant_);
        place_ = higher_;
        double sum = 0.0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            if (!relevant(ranking, i)) continue;
            const std::uint32_t both = std::max(++place_[ranking.label[i]], ranking.rank[i]);
            if (both <= depth) sum += sums_[depth] - sums_[both - 1];
        }
        if (spec_.numbers[0] == 0) return share(sum, weights_[depth]);
        const std::uint32_t all = std::min(relevant_, depth);
        return share(sum, weights_[all] + all * (sums_[depth] - sums_[all]));
    }

   private:
    std::vector<double> sums_, weights_;  // of the discounts, and of p^(rank - 1), down to each rank
    std::vector<std::uint32_t> higher_;   // relevant documents with a higher label, by class
    mutable std::vector<std::uint32_t> place_;
};

inline constexpr std::array gain_kernels{
    entry<DCG>("DCG"),           entry<IDCG>("IDCG"),   entry<nDCGrel>("nDCGrel"),
    entry<RnDCG>("RnDCG"),       entry<G>("G"),         entry<binG>("binG"),
    entry<YAAP>("YAAP"),         entry<NCU>("NCU"),     entry<Omeasure>("Omeasure"),
    entry<Pmeasure>("Pmeasure"), entry<Pplus>("Pplus"), entry<Compat>("Compat"),
};

}  // namespace poolwise
