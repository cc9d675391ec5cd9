// The rank measures.
#pragma once

#include "kernel.hpp"

namespace poolwise {

class CountRelevant : public Kernel {
   public:
    using Kernel::Kernel;

   protected:
    std::uint32_t count(const Ranking& ranking, std::uint32_t depth) const {
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count && ranking.rank[i] <= depth; ++i) found += relevant(ranking, i);
        return found;
    }
};

struct P final : CountRelevant {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override {
        return static_cast<double>(count(ranking, spec_.cutoff)) / spec_.cutoff;
    }
};

struct R final : CountRelevant {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override { return share(count(ranking, spec_.cutoff), relevant_); }
};

// Precision at a multiple of the number of relevant documents, rounded up as trec_eval does. numbers: the multiple.
inline double multiple_of(double relevant, double times) { return std::floor(times * relevant + 0.9); }

struct Rprec final : CountRelevant {
    static constexpr Takes takes{Gains::none, {Number::weight}};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override {
        const double depth = multiple_of(relevant_, spec_.numbers[0]);
        return share(count(ranking, static_cast<std::uint32_t>(std::min<double>(depth, ranking.retrieved))), depth);
    }
};

struct Success final : CountRelevant {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using CountRelevant::CountRelevant;
    double score(const Ranking& ranking) const override { return count(ranking, spec_.cutoff) > 0 ? 1.0 : 0.0; }
};

struct NumRelRet final : CountRelevant {
    using CountRelevant::CountRelevant;
    static constexpr Takes takes{Gains::none, {}, false};
    double score(const Ranking& ranking) const override {
        return count(ranking, spec_.cutoff == 0 ? ranking.retrieved : spec_.cutoff);
    }
};

struct NumRel final : Kernel {
    using Kernel::Kernel;
    static constexpr Takes takes{Gains::none, {}, false};
    double score(const Ranking&) const override { return relevant_; }
};

struct NumRet final : Kernel {
    using Kernel::Kernel;
    static constexpr Takes takes{Gains::none, {}, false};
    double score(const Ranking& ranking) const override { return ranking.retrieved; }
};

struct NumQ final : Kernel {
    using Kernel::Kernel;
    static constexpr Takes takes{Gains::none, {}, false};
    double score(const Ranking&) const override { return 1.0; }
};

struct RR final : Kernel {
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        for (std::uint32_t i = 0; i < depth; ++i)
            if (relevant(ranking, i)) return 1.0 / ranking.rank[i];
        return 0.0;
    }
};

struct AP final : Kernel {
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < depth; ++i)
            if (relevant(ranking, i)) sum += static_cast<double>(++found) / ranking.rank[i];
        return share(sum, relevant_);
    }
};

struct Judged final : Kernel {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using Kernel::Kernel;
    std::vector<char> looks_at() const override { return all_classes(); }
    double score(const Ranking& ranking) const override {
        return share(within(ranking), std::min(spec_.cutoff, ranking.retrieved));
    }
};

struct Unjudged final : Kernel {
    static constexpr Takes takes{Gains::none, {}, true, true};
    using Kernel::Kernel;
    std::vector<char> looks_at() const override { return all_classes(); }
    double score(const Ranking& ranking) const override {
        return static_cast<double>(std::min(spec_.cutoff, ranking.retrieved) - within(ranking)) / spec_.cutoff;
    }
};

// Precision at the best rank that has at least some share of the relevant documents. numbers: 1 to make the share a
// number of documents as trec_eval did before version 10, by adding 0.9 and cutting off, else 0, which rounds; the
// share.
class IPrec : public Kernel {
   public:
    static constexpr Takes takes{Gains::none, {Number::flag, Number::share}};
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override { return at_recall(ranking, spec_.numbers[1]); }

   protected:
    double at_recall(const Ranking& ranking, double recall) const {
        const double more = spec_.numbers[0] != 0 ? 0.9 : 0.5;
        const auto wanted = static_cast<std::uint32_t>(recall * relevant_ + more);
        double best = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i) && ++found >= wanted)
                best = std::max(best, static_cast<double>(found) / ranking.rank[i]);
        return best;
    }
};

// The mean over points of recall. numbers: the first of IPrec; the points, without which they are 0, 0.1, ..., 1.
struct IPrec11 final : IPrec {
    static constexpr Takes takes{Gains::none, {Number::flag}};
    using IPrec::IPrec;
    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        const std::size_t points = spec_.numbers.size() - 1;
        for (std::size_t i = 1; i <= points; ++i) sum += at_recall(ranking, spec_.numbers[i]);
        if (points > 0) return sum / static_cast<double>(points);
        for (int tenth = 0; tenth <= 10; ++tenth) sum += at_recall(ranking, tenth / 10.0);
        return sum / 11.0;
    }
};

// gain: the probability to stop at a document of the class.
class ERR : public Kernel {
   public:
    static constexpr Takes takes{Gains::share};
    using Kernel::Kernel;
    std::vector<char> looks_at() const override { return with_gain(); }
    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        Reader reader;
        for (std::uint32_t i = 0; i < depth; ++i) reader.look(spec_.gain[ranking.label[i]], ranking.rank[i]);
        return reader.sum;
    }

   protected:
    // Goes down a ranking; `sum` is the expected 1 / rank of the stop.
    struct Reader {
        double sum = 0.0, going = 1.0;
        void look(double stop, double rank) {
            sum += going * stop / rank;
            going *= 1.0 - stop;
        }
    };
};

// As a share of what the ideal ranking has.
class nERR final : public ERR {
   public:
    explicit nERR(const Spec& spec) : ERR(spec), order_(ideal_order()) {}

    void prepare(const TopicCounts& counts) override {
        Reader reader;
        std::uint32_t rank = 0;
        for (const std::uint32_t c : order_)
            for (std::uint32_t i = 0; i < counts.judged[c] && (spec_.cutoff == 0 || rank < spec_.cutoff); ++i)
                reader.look(spec_.gain[c], ++rank);
        ideal_ = reader.sum;
    }

    double score(const Ranking& ranking) const override { return share(ERR::score(ranking), ideal_); }

   private:
    std::vector<std::uint32_t> order_;
    double ideal_ = 0.0;
};

// discount: (1 - p) p^(rank - 1). gain: a share of the highest one. numbers: 1 if the highest gain is that of the
// topic's judged documents, else 0.
class RBP final : public Kernel {
   public:
    static constexpr Takes takes{Gains::share, {Number::flag}};
    using Kernel::Kernel;

    void prepare(const TopicCounts& counts) override {
        if (spec_.numbers[0] == 0) return;
        highest_ = 0.0;
        for (std::size_t c = 0; c < counts.judged.size(); ++c)
            if (counts.judged[c] > 0) highest_ = std::max(highest_, spec_.gain[c]);
    }

    std::vector<char> looks_at() const override { return with_gain(); }

    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < depth; ++i)
            sum += spec_.gain[ranking.label[i]] * spec_.discount[ranking.rank[i] - 1];
        return share(sum, highest_);
    }

   private:
    double highest_ = 1.0;
};

// All ranks weigh 1 together, so what judged documents do not weigh is unknown.
struct RBPres final : Kernel {
    using Kernel::Kernel;
    std::vector<char> looks_at() const override { return all_classes(); }
    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        double judged = 0.0;
        for (std::uint32_t i = 0; i < depth; ++i) judged += spec_.discount[ranking.rank[i] - 1];
        return std::max(0.0, 1.0 - judged);
    }
};

// How negative gains count; a kernel takes the place of one of these.
inline constexpr std::array<const char*, 3> negative_choices{"zero", "keep", "minmax"};
enum class Negative { zero, keep, minmax };

inline Negative negative_choice(const Spec& spec) { return static_cast<Negative>(static_cast<int>(spec.numbers[0])); }

// numbers: how negative gains count: as 0, as they are, or scaled between worst and best.
class nDCG final : public Kernel {
   public:
    static constexpr Takes takes{Gains::any, {Number::choice}, false};

    explicit nDCG(const Spec& spec) : Kernel(spec), best_order_(ideal_order()), worst_order_(order_by_gain(-1.0)) {
        scaled_ = negative_choice(spec) == Negative::minmax;
        gain_ = spec_.gain;
        if (negative_choice(spec) == Negative::zero)
            for (double& gain : gain_) gain = std::max(gain, 0.0);
    }

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        best_ = extreme(counts, best_order_);
        worst_ = scaled_ ? extreme(counts, worst_order_) : 0.0;
    }

    std::vector<char> looks_at() const override {
        std::vector<char> classes;
        for (const double gain : gain_) classes.push_back(gain != 0);
        return classes;
    }

    double score(const Ranking& ranking) const override {
        const std::uint32_t depth = within(ranking);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < depth; ++i) sum += gain_[ranking.label[i]] * spec_.discount[ranking.rank[i] - 1];
        return best_ > worst_ ? (sum - worst_) / (best_ - worst_) : 0.0;
    }

   private:
    double extreme(const TopicCounts& counts, const std::vector<std::uint32_t>& order) const {
        double sum = 0.0;
        std::uint32_t rank = 0;
        for (const std::uint32_t c : order)
            for (std::uint32_t i = 0; i < counts.judged[c] && (spec_.cutoff == 0 || rank < spec_.cutoff); ++i)
                sum += spec_.gain[c] * spec_.discount[rank++];
        return sum;
    }

    std::vector<std::uint32_t> best_order_, worst_order_;
    std::vector<double> gain_;
    bool scaled_;
    double best_ = 0.0, worst_ = 0.0;
};

// Measures of the blended ratio: at a rank, relevant documents and the gain so far beside those of the ideal list.
// numbers: beta, how much gain weighs. gain is 0 for documents that are not relevant.
class BlendedRatio : public Kernel {
   public:
    static constexpr Takes takes{Gains::of_relevant, {Number::weight}};

    explicit BlendedRatio(const Spec& spec) : Kernel(spec), order_(ideal_order()) {}

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        ideal_.clear();
        double sum = 0.0;
        for (const std::uint32_t c : order_)
            for (std::uint32_t i = 0; i < counts.judged[c]; ++i) ideal_.push_back(sum += spec_.gain[c]);
    }

   protected:
    // The gain of all relevant documents.
    double all_gain() const { return ideal_.empty() ? 0.0 : ideal_.back(); }

    double ratio(double gained, double found, std::uint32_t rank) const {
        const double beta = spec_.numbers[0];
        return (beta * gained + found) / (beta * ideal(rank) + rank);
    }

    // Calls each(position in the ranking, number of relevant documents so far, ratio) for the relevant documents.
    template <class Each>
    void each_ratio(const Ranking& ranking, std::uint32_t end, Each each) const {
        double gained = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < end; ++i) {
            if (!relevant(ranking, i)) continue;
            gained += spec_.gain[ranking.label[i]];
            ++found;
            each(i, found, ratio(gained, found, ranking.rank[i]));
        }
    }

   private:
    double ideal(std::uint32_t rank) const {
        return ideal_.empty() ? 0.0 : ideal_[std::min<std::size_t>(rank, ideal_.size()) - 1];
    }

    std::vector<std::uint32_t> order_;
    std::vector<double> ideal_;  // cumulative gains of the ideal list
};

struct Q final : BlendedRatio {
    using BlendedRatio::BlendedRatio;
    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        each_ratio(ranking, within(ranking), [&](std::uint32_t, std::uint32_t, double ratio) { sum += ratio; });
        return share(sum, spec_.cutoff == 0 ? relevant_ : std::min(relevant_, spec_.cutoff));
    }
};

// Every rank measure by its name.
inline constexpr std::array ranking_kernels{
    entry<P>("P"),
    entry<R>("R"),
    entry<Rprec>("Rprec"),
    entry<Success>("Success"),
    entry<NumRelRet>("NumRelRet"),
    entry<NumRel>("NumRel"),
    entry<NumRet>("NumRet"),
    entry<NumQ>("NumQ"),
    entry<RR>("RR"),
    entry<AP>("AP"),
    entry<IPrec>("IPrec"),
    entry<IPrec11>("IPrec11"),
    entry<Judged>("Judged"),
    entry<Unjudged>("Unjudged"),
    entry<ERR>("ERR"),
    entry<nERR>("nERR"),
    entry<RBP>("RBP"),
    entry<RBPres>("RBPres"),
    entry<nDCG>("nDCG"),
    entry<Q>("Q"),
};

}  // namespace poolwise
