// The lowest and highest score a ranking can have once its unjudged documents are judged, whatever their labels.
//
// Every retrieved document that is not judged is open: it may get any label of the collection. Judged documents keep
// their labels, and documents that the ranking lacks stay as they are. Once all is judged, a condensed list is the
// full one, so both have the same bounds.
#pragma once

#include <limits>

#include "gain_bounds.hpp"
#include "scoring.hpp"

namespace poolwise {

// Of a measure that the labels of open documents cannot change.
class Known final : public Extremes {
   public:
    using Extremes::Extremes;
    Range range(const OpenRanking&, double value) override { return {value, value}; }
};

// Of a measure whose extremes nobody has worked out: what its declaration says of all scores.
class Declared final : public Extremes {
   public:
    using Extremes::Extremes;
    Range range(const OpenRanking&, double) override { return {spec_.low, spec_.high}; }
    bool exact() const override { return false; }
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

// Of a measure that never falls when a label gains worth: all open documents worst, all best. Recall is one of these
// within its cut-off and falls with relevant documents below it.
class Monotone : public Extremes {
   public:
    explicit Monotone(const Spec& spec) : Extremes(spec), filled_(spec) {
        const auto worth = [&](std::size_t c) {
            return spec_.gain.empty() ? static_cast<double>(spec_.relevant[c]) : spec_.gain[c];
        };
        for (std::uint32_t c = 0; c < spec_.relevant.size(); ++c) {
            if (worth(c) < worth(worst_)) worst_ = c;
            if (worth(c) > worth(best_)) best_ = c;
        }
    }

    Range range(const OpenRanking& ranking, double) override {
        return {filled(ranking, worst_, worst_), filled(ranking, best_, best_)};
    }

   protected:
    // The score with one class for the open documents within the cut-off and one for those below.
    double filled(const OpenRanking& ranking, std::uint32_t within, std::uint32_t below) {
        label_ = ranking.label;
        TopicCounts counts = *counts_;
        for (const std::uint32_t rank : ranking.open) {
            const std::uint32_t c = spec_.cutoff == 0 || rank <= spec_.cutoff ? within : below;
            label_[rank - 1] = static_cast<std::int32_t>(c);
            ++counts.judged[c];
        }
        return filled_.score(label_, counts);
    }

    std::uint32_t worst_ = 0, best_ = 0;

   private:
    Filled filled_;
    std::vector<std::int32_t> label_;
};

// Of a measure that rises with every relevant document, or falls with every one.
class EitherWay final : public Monotone {
   public:
    using Monotone::Monotone;
    Range range(const OpenRanking& ranking, double value) override {
        const Range found = Monotone::range(ranking, value);
        return {std::min(found.low, found.high), std::max(found.low, found.high)};
    }
};

class RecallExtremes final : public Monotone {
   public:
    using Monotone::Monotone;
    Range range(const OpenRanking& ranking, double) override {
        return {filled(ranking, worst_, best_), filled(ranking, best_, worst_)};
    }
};

// ---- Measures of which documents are relevant --------------------------------------------------------------------

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

// ---- The table of extremes ---------------------------------------------------------------------------------------

inline std::vector<char> has_gain(const Spec& spec) {
    std::vector<char> positive;
    for (const double gain : spec.gain) positive.push_back(gain > 0);
    return positive;
}

// Whether all gains above 0 are the same.
inline bool one_gain(const Spec& spec) {
    double found = 0.0;
    for (const double gain : spec.gain) {
        if (gain > 0 && found > 0 && gain != found) return false;
        found = std::max(found, gain);
    }
    return true;
}

template <class E>
std::unique_ptr<Extremes> simple(const Spec& spec) {
    return std::make_unique<E>(spec);
}

template <class E>
std::unique_ptr<Extremes> of_relevant(const Spec& spec) {
    return std::make_unique<E>(spec, spec.relevant);
}

// E when gains are 0 or the same, else outer bounds.
template <class E, class Divisor>
std::unique_ptr<Extremes> of_gains(const Spec& spec) {
    const double most = *std::max_element(spec.gain.begin(), spec.gain.end());
    const bool tops = spec.numbers.empty() || spec.numbers[0] >= most;
    if (one_gain(spec) && tops && most > 0) return std::make_unique<E>(spec, has_gain(spec));
    return std::make_unique<GradedPreferenceExtremes<Divisor>>(spec);
}

// E unless a higher label lowers what the others of its topic are worth.
template <class E>
std::unique_ptr<Extremes> of_scale(const Spec& spec) {
    return spec.numbers[0] == 0 ? simple<E>(spec) : simple<Declared>(spec);
}

// Exact when gains are 0 or the same, else the bounds of the declaration.
inline std::unique_ptr<Extremes> of_one_gain(const Spec& spec) {
    if (one_gain(spec)) return std::make_unique<Tried>(spec, has_gain(spec));
    return simple<Declared>(spec);
}

// Exact when there is one label for relevant documents; or also when these have one gain, where labels do not matter.
template <bool labels_matter>
std::unique_ptr<Extremes> of_one_level(const Spec& spec) {
    std::set<double> levels;
    for (std::size_t c = 0; c < spec.relevant.size(); ++c)
        if (spec.relevant[c]) levels.insert(labels_matter ? static_cast<double>(c) : spec.gain[c]);
    return levels.size() <= 1 ? of_relevant<Tried>(spec) : simple<Declared>(spec);
}

// Measures that are not here have the bounds of their declaration.
struct ExtremesEntry {
    const char* name;
    std::unique_ptr<Extremes> (*make)(const Spec&);
};

inline constexpr std::array extremes_table{
    ExtremesEntry{"P", simple<Monotone>},
    ExtremesEntry{"Success", simple<Monotone>},
    ExtremesEntry{"RR", simple<Monotone>},
    ExtremesEntry{"ERR", simple<Monotone>},
    ExtremesEntry{"nERR", of_one_gain},
    ExtremesEntry{"RBP", of_scale<Monotone>},
    ExtremesEntry{"NumRel", simple<Monotone>},
    ExtremesEntry{"NumRelRet", simple<Monotone>},
    ExtremesEntry{"NumRet", simple<Known>},
    ExtremesEntry{"NumQ", simple<Known>},
    ExtremesEntry{"SetP", simple<Monotone>},
    ExtremesEntry{"SetR", simple<Monotone>},
    ExtremesEntry{"SetAP", simple<Monotone>},
    ExtremesEntry{"SetF", simple<Monotone>},
    ExtremesEntry{"F1", simple<RecallExtremes>},
    ExtremesEntry{"SetRelativeP", simple<Monotone>},
    ExtremesEntry{"DCG", simple<Monotone>},
    ExtremesEntry{"IDCG", simple<Monotone>},
    ExtremesEntry{"Utility", simple<EitherWay>},
    ExtremesEntry{"NumNonrelRet", simple<EitherWay>},
    ExtremesEntry{"R", simple<RecallExtremes>},
    ExtremesEntry{"RelativeP", simple<RecallExtremes>},
    ExtremesEntry{"IPrec", of_relevant<Tried>},
    ExtremesEntry{"IPrec11", of_relevant<Tried>},
    ExtremesEntry{"binG", of_relevant<Tried>},
    ExtremesEntry{"YAAP", of_relevant<Tried>},
    ExtremesEntry{"AP", of_relevant<AveragePrecisionExtremes>},
    ExtremesEntry{"Rprec", of_relevant<RprecExtremes>},
    ExtremesEntry{"nDCG", simple<GainExtremes>},
    ExtremesEntry{"Q", simple<QExtremes>},
    ExtremesEntry{"NCU", of_one_level<false>},
    ExtremesEntry{"Omeasure", of_one_level<false>},
    ExtremesEntry{"Pmeasure", of_one_level<true>},
    ExtremesEntry{"Pplus", of_one_level<true>},
    ExtremesEntry{"Compat", of_one_level<true>},
    ExtremesEntry{"bpref", of_relevant<PreferenceExtremes<AnyTopic<BprefLoss>>>},
    ExtremesEntry{"bpref_R", of_relevant<PreferenceExtremes<AnyTopic<BprefRLoss>>>},
    ExtremesEntry{"bpref_N", of_relevant<PreferenceExtremes<AnyTopic<BprefNLoss>>>},
    ExtremesEntry{"bpref_old", of_relevant<PreferenceExtremes<AnyTopic<BprefOldLoss>>>},
    ExtremesEntry{"bpref10", of_relevant<PreferenceExtremes<AnyTopic<Bpref10Loss>>>},
    ExtremesEntry{"bpref_relative", of_relevant<RelativePreferenceExtremes>},
    ExtremesEntry{"rpref_N", of_gains<PreferenceExtremes<GradedNLoss>, DivideByN>},
    ExtremesEntry{"rpref_relative", of_gains<RelativePreferenceExtremes, DivideByRankBefore>},
    ExtremesEntry{"rpref_relative2", of_gains<AveragePrecisionExtremes, DivideByRank>},
};

// A collection without any label has none to give to open documents.
inline std::unique_ptr<Extremes> make_extremes(const Spec& spec) {
    if (spec.relevant.empty()) return simple<Known>(spec);
    for (const ExtremesEntry& entry : extremes_table)
        if (spec.kernel == entry.name) return entry.make(spec);
    return simple<Declared>(spec);
}

// Rounding may put a bound a hair on the wrong side of a score that is the bound.
inline Range settled(Range range, double value) {
    constexpr double hair = 1e-12;
    if (std::abs(range.low - value) < hair) range.low = value;
    if (std::abs(range.high - value) < hair) range.high = value;
    return range;
}

// Fills low and high[sample][measure][run][topic]. `distinct` holds every label an open document may get.
inline void bounds(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                   const Samples& samples, std::size_t threads, double* low, double* high) {
    const std::size_t topics = pool.topics.size(), runs = pool.runs.size();
    for_each(samples.count * topics, threads, [&](Stopper& stop) {
        std::vector<std::unique_ptr<Extremes>> extremes;
        for (const Spec& spec : specs) extremes.push_back(make_extremes(spec));
        return [&, scorer = Scorer(pool, specs, count_missing, samples, true), extremes = std::move(extremes),
                open = OpenRanking()](std::size_t unit) mutable {
            const std::size_t sample = unit / topics, topic = unit % topics;
            scorer.open(sample, topic);
            for (auto& extreme : extremes) extreme->prepare(scorer.counts());
            for (std::size_t r = 0; r < runs; ++r) {
                stop();
                scorer.turn_to(pool.runs[r]);
                open.set(scorer.ranking());
                for (std::size_t m = 0; m < specs.size(); ++m) {
                    const double value = scorer.value(m);
                    const Range range =
                        open.open.empty() ? Range{value, value} : settled(extremes[m]->range(open, value), value);
                    const std::size_t at = ((sample * specs.size() + m) * runs + r) * topics + topic;
                    low[at] = range.low;
                    high[at] = range.high;
                }
            }
        };
    });
}

}  // namespace poolwise
