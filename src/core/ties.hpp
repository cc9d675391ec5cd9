// Scores over all orders of tied documents: their mean, and the lowest and highest.
//
// Documents with one score stand in the order of their names, which says nothing of the system. Here every order of
// them is equally likely. Documents outside tie groups keep their ranks.
#pragma once

#include <random>

#include "sampling.hpp"
#include "scoring.hpp"

namespace poolwise {

// One run's ranking of one topic, of which some stretches are tied; writes it anew in other orders.
class Orders {
   public:
    static constexpr std::uint32_t unlisted = 0xFFFFFFFFu;

    struct Group {
        std::uint32_t begin, end;  // places, from 0
        std::uint32_t size() const { return end - begin; }
    };

    // Whether the ranking has ties at all.
    bool set(const Run& run, std::uint32_t topic) {
        groups_.clear();
        const std::int32_t at = run.list_of_topic[topic];
        if (at < 0) return false;
        const auto first = std::partition_point(run.tied.begin(), run.tied.end(), [&](const Tie& tie) {
            return tie.list < static_cast<std::uint32_t>(at);
        });
        for (auto tie = first; tie != run.tied.end() && tie->list == static_cast<std::uint32_t>(at); ++tie)
            groups_.push_back({tie->begin, tie->end});
        if (groups_.empty()) return false;
        const List& list = run.lists[at];
        own_.assign(list.retrieved, unlisted);
        for (std::uint32_t i = 0; i < list.known; ++i)
            own_[run.rank[list.known_begin + i] - 1] = run.document[list.known_begin + i];
        written_.lists = {List{topic, list.known, list.retrieved, 0, 0}};
        written_.list_of_topic.assign(run.list_of_topic.size(), -1);
        written_.list_of_topic[topic] = 0;
        order_ = own_;
        return true;
    }

    const std::vector<Group>& groups() const { return groups_; }
    std::vector<std::uint32_t>& order() { return order_; }
    const std::vector<std::uint32_t>& own() const { return own_; }
    void restore() { order_ = own_; }

    // The ranking in the order that was made last.
    const Run& run() {
        written_.rank.clear();
        written_.document.clear();
        for (std::uint32_t place = 0; place < order_.size(); ++place) {
            if (order_[place] == unlisted) continue;
            written_.rank.push_back(place + 1);
            written_.document.push_back(order_[place]);
        }
        return written_;
    }

    // How many orders there are, up to `most`.
    std::size_t count(std::size_t most) const {
        std::size_t found = 1;
        for (const Group& group : groups_)
            for (std::size_t factor = 2; factor <= group.size(); ++factor) {
                found *= factor;
                if (found > most) return most + 1;
            }
        return found;
    }

   private:
    std::vector<Group> groups_;
    std::vector<std::uint32_t> own_, order_;  // documents by place
    Run written_;
};

// How the mean over all orders is found.
enum class Expectation {
    linear,     // a sum over documents of what each adds at its rank
    precision,  // AP
    first,      // RR
    any,        // Success
    sampled,    // nobody has worked it out
};

struct ExpectationEntry {
    const char* name;
    Expectation kind;
};

inline constexpr std::array expectation_table{
    ExpectationEntry{"P", Expectation::linear},
    ExpectationEntry{"R", Expectation::linear},
    ExpectationEntry{"Rprec", Expectation::linear},
    ExpectationEntry{"RelativeP", Expectation::linear},
    ExpectationEntry{"Judged", Expectation::linear},
    ExpectationEntry{"Unjudged", Expectation::linear},
    ExpectationEntry{"RBP", Expectation::linear},
    ExpectationEntry{"RBPres", Expectation::linear},
    ExpectationEntry{"DCG", Expectation::linear},
    ExpectationEntry{"IDCG", Expectation::linear},
    ExpectationEntry{"nDCG", Expectation::linear},
    ExpectationEntry{"RnDCG", Expectation::linear},
    ExpectationEntry{"SetP", Expectation::linear},
    ExpectationEntry{"SetR", Expectation::linear},
    ExpectationEntry{"SetF", Expectation::linear},
    ExpectationEntry{"SetAP", Expectation::linear},
    ExpectationEntry{"SetRelativeP", Expectation::linear},
    ExpectationEntry{"Utility", Expectation::linear},
    ExpectationEntry{"NumQ", Expectation::linear},
    ExpectationEntry{"NumRet", Expectation::linear},
    ExpectationEntry{"NumRel", Expectation::linear},
    ExpectationEntry{"NumRelRet", Expectation::linear},
    ExpectationEntry{"NumNonrelRet", Expectation::linear},
    ExpectationEntry{"AP", Expectation::precision},
    ExpectationEntry{"RR", Expectation::first},
    ExpectationEntry{"Success", Expectation::any},
};

inline Expectation expectation_of(const std::string& kernel) {
    for (const ExpectationEntry& entry : expectation_table)
        if (kernel == entry.name) return entry.kind;
    return Expectation::sampled;
}

// A stretch of a ranking in any order: so many documents, so many of them relevant.
struct Stretch {
    std::uint32_t size, relevant;
};

inline double expected_precision(const std::vector<Stretch>& stretches, std::uint32_t cutoff, double relevant) {
    double sum = 0.0, found = 0.0;
    std::uint32_t rank = 0;  // of the document before the stretch
    for (const Stretch& stretch : stretches) {
        const double r = stretch.relevant, n = stretch.size;
        for (std::uint32_t i = 0; i < stretch.size; ++i) {
            if (cutoff > 0 && rank + i >= cutoff) break;
            const double others = n > 1 ? i * (r - 1) / (n - 1) : 0.0;  // relevant ones before it in the stretch
            sum += r / n * (found + 1 + others) / (rank + i + 1);
        }
        found += r;
        rank += stretch.size;
    }
    return relevant > 0 ? sum / relevant : 0.0;
}

inline double expected_first(const std::vector<Stretch>& stretches, std::uint32_t cutoff) {
    std::uint32_t rank = 0;
    for (const Stretch& stretch : stretches) {
        const double r = stretch.relevant;
        double sum = 0.0, none = 1.0;  // the chance that all before are not relevant
        for (std::uint32_t i = 0; r > 0 && i + stretch.relevant <= stretch.size; ++i) {
            const double left = stretch.size - i;
            if (cutoff == 0 || rank + i < cutoff) sum += none * r / left / (rank + i + 1);
            none *= (left - r) / left;
        }
        if (r > 0) return sum;
        rank += stretch.size;
    }
    return 0.0;
}

inline double expected_any(const std::vector<Stretch>& stretches, std::uint32_t cutoff) {
    std::uint32_t rank = 0;
    for (const Stretch& stretch : stretches) {
        if (rank >= cutoff) break;
        const std::uint32_t within = std::min(stretch.size, cutoff - rank);
        double none = 1.0;
        for (std::uint32_t i = 0; i < within; ++i) {
            const double left = stretch.size - i;
            none *= std::max(0.0, left - stretch.relevant) / left;
        }
        if (stretch.relevant > 0) return 1.0 - none;
        rank += stretch.size;
    }
    return 0.0;
}

// Scores of one topic's rankings over orders of ties.
class TiedScorer {
   public:
    static constexpr std::size_t tried_at_most = 120;  // orders that are all tried; more are drawn, or need not be

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
        std::vector<std::vector<std::uint32_t>> places;
        for (const Orders::Group& group : groups) {
            places.emplace_back(group.size());
            std::iota(places.back().begin(), places.back().end(), 0u);
        }
        for (bool more = true; more;) {
            for (std::size_t g = 0; g < groups.size(); ++g)
                for (std::uint32_t i = 0; i < groups[g].size(); ++i)
                    orders_.order()[groups[g].begin + i] = orders_.own()[groups[g].begin + places[g][i]];
            call();
            more = false;
            for (std::size_t g = 0; g < groups.size() && !more; ++g)
                more = std::next_permutation(places[g].begin(), places[g].end());
        }
    }

    // In a turn of a group every document comes to every rank once; so the mean over turns is that over orders, where
    // documents add up. On condensed lists, judged documents turn and the others stand behind them.
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
        for (std::uint32_t place = 0; place < orders_.own().size();) {
            std::uint32_t end = place + 1;
            if (next < groups.size() && groups[next].begin == place) end = groups[next++].end;
            Stretch stretch{0, 0};
            for (; place < end; ++place) {
                if (spec.condensed && class_of(orders_.own()[place]) < 0) continue;
                ++stretch.size;
                stretch.relevant += relevant(spec, orders_.own()[place]);
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
