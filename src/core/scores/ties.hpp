// Scores over all orders of tied documents: their mean, and the lowest and highest.
//
// Documents with one score are ordered by their names, which tells nothing about the system. Here every order of
// them is equally likely. Documents outside tie groups keep their ranks.
#pragma once

#include <random>

#include "sampling/front.hpp"
#include "scoring.hpp"
#include "tied_orders.hpp"

namespace poolwise {

// Scores of one topic's rankings over orders of ties.
class TiedScorer {
   public:
    static constexpr std::size_t tried_at_most =
        120;  // orders that are all tried: 5! of five tied documents; more are drawn

    TiedScorer(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
               const Samples& samples, std::size_t draws)
        : pool_(pool),
          specs_(specs),
          samples_(samples),
          classes_(samples.distinct),
          scorer_(pool, specs, count_missing, samples),
          draws_(draws) {}

    void open(std::size_t sample, std::size_t topic) {
        topic_ = static_cast<std::uint32_t>(topic);
        labels_ = samples_.labels + sample * pool_.offsets.back() + pool_.offsets[topic];
        scorer_.open(sample, topic);
    }

    // The mean over all orders of each measure's scores of a run.
    void means(std::size_t number, std::vector<double>& found) {
        const Run& run = pool_.runs[number];
        found.resize(specs_.size());
        if (!orders_.set(run, topic_)) {
            scorer_.turn_to(run);
            for (std::size_t m = 0; m < specs_.size(); ++m) found[m] = scorer_.value(m);
            return;
        }
        if (orders_.count(tried_at_most) <= tried_at_most) {
            every_order(found);
            return;
        }
        linear_means(false, found);
        linear_means(true, found);
        bool sampled = false;
        for (std::size_t m = 0; m < specs_.size(); ++m) {
            const Expectation kind = expectation_of(specs_[m].kernel);
            if (kind == Expectation::precision || kind == Expectation::first || kind == Expectation::any)
                found[m] = closed(kind, specs_[m]);
            sampled |= kind == Expectation::sampled;
        }
        if (sampled) drawn_means(number, found);
    }

    // The lowest and highest score over orders, by each measure.
    void ranges(std::size_t number, std::vector<double>& low, std::vector<double>& high) {
        const Run& run = pool_.runs[number];
        scorer_.turn_to(run);
        low.resize(specs_.size());
        for (std::size_t m = 0; m < specs_.size(); ++m) low[m] = scorer_.value(m);
        high = low;
        if (!orders_.set(run, topic_)) return;
        if (orders_.count(tried_at_most) <= tried_at_most) {
            each_order([&] { widen(low, high); });
            return;
        }
        for (std::size_t m = 0; m < specs_.size(); ++m)
            for (const double sign : {1.0, -1.0}) {
                orders_.restore();
                for (const Orders::Group& group : orders_.groups())
                    std::stable_sort(orders_.order().begin() + group.begin, orders_.order().begin() + group.end,
                                     [&](std::uint32_t a, std::uint32_t b) {
                                         return sign * worth(specs_[m], a) > sign * worth(specs_[m], b);
                                     });
                scorer_.turn_to(orders_.run());
                low[m] = std::min(low[m], scorer_.value(m));
                high[m] = std::max(high[m], scorer_.value(m));
            }
    }

   private:
    std::int32_t class_of(std::uint32_t document) const {
        return document == Orders::unlisted ? -2 : classes_.of(labels_[document]);
    }

    bool relevant(const Spec& spec, std::uint32_t document) const {
        const std::int32_t c = class_of(document);
        return c >= 0 && spec.relevant[c] != 0;
    }

    // How far up a document belongs for a high score: by gain, then those not judged, then those judged without gain.
    double worth(const Spec& spec, std::uint32_t document) const {
        const std::int32_t c = class_of(document);
        if (spec.kernel == "Judged" || spec.kernel == "Unjudged" || spec.kernel == "RBPres") return c >= 0 ? 1.0 : 0.0;
        if (c < 0) return c == -1 ? 1e-9 : 0.0;
        const double gain = spec.gain.empty() ? static_cast<double>(spec.relevant[c]) : spec.gain[c];
        return gain > 0 ? gain : gain - 1e-9;
    }

    void widen(std::vector<double>& low, std::vector<double>& high) {
        scorer_.turn_to(orders_.run());
        for (std::size_t m = 0; m < specs_.size(); ++m) {
            low[m] = std::min(low[m], scorer_.value(m));
            high[m] = std::max(high[m], scorer_.value(m));
        }
    }

    void every_order(std::vector<double>& found) {
        std::fill(found.begin(), found.end(), 0.0);
        std::size_t count = 0;
        each_order([&] {
            scorer_.turn_to(orders_.run());
            for (std::size_t m = 0; m < specs_.size(); ++m) found[m] += scorer_.value(m);
            ++count;
        });
        for (double& sum : found) sum /= static_cast<double>(count);
    }

    // Calls after every order, groups turning like the wheels of a counter.
    template <class Call>
    void each_order(Call call) {
        const auto& groups = orders_.groups();
        std::vector<std::vector<std::uint32_t>> orders;
        for (const Orders::Group& group : groups) {
            orders.emplace_back(group.size());
            std::iota(orders.back().begin(), orders.back().end(), 0u);
        }
        for (bool more = true; more;) {
            for (std::size_t g = 0; g < groups.size(); ++g)
                for (std::uint32_t i = 0; i < groups[g].size(); ++i)
                    orders_.order()[groups[g].begin + i] = orders_.as_ranked()[groups[g].begin + orders[g][i]];
            call();
            more = false;
            for (std::size_t g = 0; g < groups.size() && !more; ++g)
                more = std::next_permutation(orders[g].begin(), orders[g].end());
        }
    }

    // In a turn of a group every document comes to every rank once; so the mean over turns is that over orders, where
    // documents add up. On condensed lists, judged documents turn and the others are behind them.
    void linear_means(bool condensed, std::vector<double>& found) {
        const auto is_asked = [&](const Spec& spec) {
            return spec.condensed == condensed && expectation_of(spec.kernel) == Expectation::linear;
        };
        if (std::none_of(specs_.begin(), specs_.end(), is_asked)) return;
        orders_.restore();
        if (condensed)
            for (const Orders::Group& group : orders_.groups())
                std::stable_partition(orders_.order().begin() + group.begin, orders_.order().begin() + group.end,
                                      [&](std::uint32_t document) { return class_of(document) >= 0; });
        scorer_.turn_to(orders_.run());
        std::vector<double> start(specs_.size()), sums(specs_.size());
        for (std::size_t m = 0; m < specs_.size(); ++m)
            if (is_asked(specs_[m])) found[m] = start[m] = scorer_.value(m);
        for (const Orders::Group& group : orders_.groups()) {
            const auto begin = orders_.order().begin() + group.begin;
            auto end = orders_.order().begin() + group.end;
            if (condensed)
                end = std::find_if(begin, end, [&](std::uint32_t document) { return class_of(document) < 0; });
            const auto size = end - begin;
            if (size < 2) continue;
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::ptrdiff_t turn = 0; turn < size; ++turn) {
                std::rotate(begin, begin + 1, end);  // after the last turn the order is as it was
                scorer_.turn_to(orders_.run());
                for (std::size_t m = 0; m < specs_.size(); ++m)
                    if (is_asked(specs_[m])) sums[m] += scorer_.value(m) - start[m];
            }
            for (std::size_t m = 0; m < specs_.size(); ++m)
                if (is_asked(specs_[m])) found[m] += sums[m] / static_cast<double>(size);
        }
    }

    double closed(Expectation kind, const Spec& spec) {
        std::vector<Stretch> stretches;
        std::size_t next = 0;
        const auto& groups = orders_.groups();
        for (std::uint32_t index = 0; index < orders_.as_ranked().size();) {
            std::uint32_t end = index + 1;
            if (next < groups.size() && groups[next].begin == index) end = groups[next++].end;
            Stretch stretch{0, 0};
            for (; index < end; ++index) {
                if (spec.condensed && class_of(orders_.as_ranked()[index]) < 0) continue;
                ++stretch.size;
                stretch.relevant += relevant(spec, orders_.as_ranked()[index]);
            }
            if (stretch.size > 0) stretches.push_back(stretch);
        }
        if (kind == Expectation::first) return expected_first(stretches, spec.cutoff);
        if (kind == Expectation::any) return expected_any(stretches, spec.cutoff);
        double relevant = 0.0;
        const std::vector<std::uint32_t>& judged = scorer_.counts().judged;
        for (std::size_t c = 0; c < judged.size(); ++c)
            if (spec.relevant[c]) relevant += judged[c];
        return expected_precision(stretches, spec.cutoff, relevant);
    }

    // Orders are drawn by run and name of the topic alone, so that they depend neither on threads nor on what other
    // topics are there.
    void drawn_means(std::size_t number, std::vector<double>& found) {
        std::mt19937_64 random(1 + number * 1000003ULL + spelled(pool_.topic_names[topic_]));
        std::vector<double> sums(specs_.size(), 0.0);
        for (std::size_t draw = 0; draw < draws_; ++draw) {
            orders_.restore();
            for (const Orders::Group& group : orders_.groups())
                for (std::uint32_t i = group.size(); i > 1; --i)
                    std::swap(orders_.order()[group.begin + i - 1], orders_.order()[group.begin + random() % i]);
            scorer_.turn_to(orders_.run());
            for (std::size_t m = 0; m < specs_.size(); ++m)
                if (expectation_of(specs_[m].kernel) == Expectation::sampled) sums[m] += scorer_.value(m);
        }
        for (std::size_t m = 0; m < specs_.size(); ++m)
            if (expectation_of(specs_[m].kernel) == Expectation::sampled)
                found[m] = sums[m] / static_cast<double>(draws_);
    }

    const Pool& pool_;
    const std::vector<Spec>& specs_;
    const Samples& samples_;
    const Classes classes_;
    Scorer scorer_;
    const std::size_t draws_;
    Orders orders_;
    const std::int32_t* labels_ = nullptr;
    std::uint32_t topic_ = 0;
};

// Fills values[sample][measure][run][topic] with means over orders.
inline void score_expected(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                           const Samples& samples, std::size_t draws, std::size_t threads, double* values) {
    const std::size_t topics = pool.topics.size(), runs = pool.runs.size();
    for_each(samples.count * topics, threads, [&](Stopper& stop) {
        return [&, scorer = std::make_unique<TiedScorer>(pool, specs, count_missing, samples, draws),
                found = std::vector<double>()](std::size_t unit) mutable {
            const std::size_t sample = unit / topics, topic = unit % topics;
            scorer->open(sample, topic);
            for (std::size_t r = 0; r < runs; ++r) {
                stop();
                scorer->means(r, found);
                for (std::size_t m = 0; m < specs.size(); ++m)
                    values[((sample * specs.size() + m) * runs + r) * topics + topic] = found[m];
            }
        };
    });
}

// Fills low and high likewise with the lowest and highest scores.
inline void score_range(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                        const Samples& samples, std::size_t threads, double* low, double* high) {
    const std::size_t topics = pool.topics.size(), runs = pool.runs.size();
    for_each(samples.count * topics, threads, [&](Stopper& stop) {
        return [&, scorer = std::make_unique<TiedScorer>(pool, specs, count_missing, samples, 0),
                ends = std::pair<std::vector<double>, std::vector<double>>()](std::size_t unit) mutable {
            const std::size_t sample = unit / topics, topic = unit % topics;
            scorer->open(sample, topic);
            for (std::size_t r = 0; r < runs; ++r) {
                stop();
                scorer->ranges(r, ends.first, ends.second);
                for (std::size_t m = 0; m < specs.size(); ++m) {
                    const std::size_t at = ((sample * specs.size() + m) * runs + r) * topics + topic;
                    low[at] = ends.first[m];
                    high[at] = ends.second[m];
                }
            }
        };
    });
}

}  // namespace poolwise
