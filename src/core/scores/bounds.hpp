// The lowest and highest score a ranking can have once its unjudged documents are judged, whatever their labels.
//
// Every retrieved document that is not judged is open: it may get any label of the collection. Judged documents keep
// their labels, and documents that the ranking lacks stay as they are. Once all is judged, a condensed list is the
// full one, so both have the same bounds.
#pragma once

#include <set>

#include "counted_bounds.hpp"
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

// Rounding may put a bound a hair on the wrong side of a score that is the bound. Sums of 1000 terms below 1 are off by
// 1e-13 at most.
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
