// Documents outside the pool: how far they could move scores and differences of runs that retrieve them, and of runs
// that do not.
#pragma once

#include "pool/front.hpp"

namespace poolwise {

// ---- Average precision with probabilities ------------------------------------------------------------------------

// S = sum over ranks k of p_k (1 + sum above of p) / k of one ranking, and by how much a relevant document more, at any
// rank, makes it grow.
class PrecisionSum {
   public:
    void look(const Pool& pool, std::int32_t run, std::uint32_t topic, std::uint32_t cutoff, const double* p) {
        const List* const list = run < 0 ? nullptr : pool.runs[run].list(topic);
        const std::size_t size = list == nullptr ? 0 : known_within(pool.runs[run], *list, cutoff);
        rank_ = size == 0 ? nullptr : pool.runs[run].rank.data() + list->known_begin;
        size_ = size;
        cutoff_ = cutoff;
        above_.resize(size + 1);
        weighted_.resize(size + 1);
        double above = 0.0, weighted = 0.0, total = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            above_[i] = above;
            weighted_[i] = weighted;
            const double share = p[pool.runs[run].document[list->known_begin + i]] / rank_[i];
            total += share * (1.0 + above);
            above += p[pool.runs[run].document[list->known_begin + i]];
            weighted += share;
        }
        above_[size] = above;
        weighted_[size] = weighted;
        total_ = total;
    }

    double total() const { return total_; }

    // The total of a ranking alone, of which no growth is asked for.
    static double total_of(const Pool& pool, std::int32_t run, std::uint32_t topic, std::uint32_t cutoff,
                           const double* p) {
        const List* const list = run < 0 ? nullptr : pool.runs[run].list(topic);
        if (list == nullptr) return 0.0;
        const std::uint32_t* const rank = pool.runs[run].rank.data() + list->known_begin;
        const std::uint32_t* const document = pool.runs[run].document.data() + list->known_begin;
        double above = 0.0, total = 0.0;
        for (std::uint32_t i = 0; i < list->known && rank[i] <= cutoff; ++i) {
            total += p[document[i]] / rank[i] * (1.0 + above);
            above += p[document[i]];
        }
        return total;
    }

    double growth(std::uint32_t rank) const {
        if (rank == 0 || rank > cutoff_) return 0.0;
        const auto at = static_cast<std::size_t>(std::lower_bound(rank_, rank_ + size_, rank) - rank_);
        return (1.0 + above_[at]) / rank + weighted_[size_] - weighted_[at];
    }

    // What two relevant documents at these ranks add together beyond what each adds alone.
    double both(std::uint32_t i, std::uint32_t j) const {
        if (i == 0 || j == 0 || i > cutoff_ || j > cutoff_) return 0.0;
        return 1.0 / std::max(i, j);
    }

   private:
    const std::uint32_t* rank_ = nullptr;  // of the known documents down to the cut-off
    std::size_t size_ = 0;
    std::vector<double> above_, weighted_;  // of those above each, and of all
    double total_ = 0.0;
    std::uint32_t cutoff_ = 0;
};

// The extremes of (S_a - S_b) / R, R at least 1, over which open documents are relevant: documents are added one after
// the other, always the one that moves the numerator most, and the best of all these is kept. For one run that is the
// extreme, since the documents are then the first, or the last, of its list. For two it need not be, as documents act
// together; labels that reach it exist.
class PrecisionRange {
   public:
    double farthest(double sign, const PrecisionSum& a, const PrecisionSum& b, double relevant,
                    const std::vector<OpenRanks>& open) {
        double sum = sign * (a.total() - b.total());
        double best = sum / std::max(relevant, 1.0);
        left_ = open;
        gain_.clear();
        for (const OpenRanks& ranks : open) gain_.push_back(sign * (a.growth(ranks.a) - b.growth(ranks.b)));
        for (std::size_t taken = 1; !left_.empty(); ++taken) {
            const auto at = static_cast<std::size_t>(std::max_element(gain_.begin(), gain_.end()) - gain_.begin());
            const OpenRanks ranks = left_[at];
            sum += gain_[at];
            best = std::max(best, sum / std::max(relevant + static_cast<double>(taken), 1.0));
            left_[at] = left_.back();
            gain_[at] = gain_.back();
            left_.pop_back();
            gain_.pop_back();
            for (std::size_t i = 0; i < left_.size(); ++i)
                gain_[i] += sign * (a.both(left_[i].a, ranks.a) - b.both(left_[i].b, ranks.b));
        }
        return sign * best;
    }

   private:
    std::vector<OpenRanks> left_;
    std::vector<double> gain_;
};

// ---- Discounted gains with expected gains ------------------------------------------------------------------------

// The sum of discount times expected gain over one ranking; 0 for no run.
inline double list_total(const Pool& pool, std::uint32_t topic, std::int32_t run, const double* table,
                         std::size_t depth, const double* gain) {
    const List* const list = run < 0 ? nullptr : pool.runs[run].list(topic);
    double total = 0.0;
    for (std::uint32_t i = 0; list != nullptr && i < list->known; ++i) {
        const std::uint32_t rank = pool.runs[run].rank[list->known_begin + i];
        if (rank > depth) break;
        total += table[rank - 1] * gain[pool.runs[run].document[list->known_begin + i]];
    }
    return total;
}

// The extremes of (DCG_a - DCG_b) / I over the labels of open documents. Gains are sums of steps; `worth` holds for
// each step what the ideal list has of it with 0, 1, 2, ... open documents more that take it (see GainExtremes, which
// says why steps may be chosen one by one for a positive extreme and together for a negative one). Without `worth` the
// divisor is 1.
class GainRange {
   public:
    GainRange(const double* height, std::size_t steps, const double* worth, std::size_t most)
        : height_(height), steps_(steps), worth_(worth), most_(most) {}

    // `start` is the value when no open document has any gain, `total` its numerator, `weights` discounts in a less b.
    double farthest(double sign, double start, double total, std::vector<double>& weights) {
        std::sort(weights.begin(), weights.end(), [&](double x, double y) { return sign * x > sign * y; });
        sums_.assign(1, 0.0);
        for (const double weight : weights) sums_.push_back(sums_.back() + sign * weight);
        double best = sign * start;
        std::vector<std::size_t> taken(steps_);
        for (std::size_t t = 1; t < sums_.size(); ++t) {
            std::fill(taken.begin(), taken.end(), t);
            best = std::max(best, ratio(sign * total, taken));
        }
        // Dinkelbach's method: the best choice for numerator - x divisor, x being the best ratio so far.
        for (int turn = 0; best > 0.0 && turn < 50 && sums_.size() > 1; ++turn) {
            for (std::size_t h = 0; h < steps_; ++h) taken[h] = best_number(h, best);
            const double found = ratio(sign * total, taken);
            if (found <= best) break;
            best = found;
        }
        return sign * best;
    }

   private:
    double divisor(std::size_t step, std::size_t taken) const {
        return worth_ == nullptr ? 0.0 : worth_[step * (most_ + 1) + taken];
    }

    double ratio(double total, const std::vector<std::size_t>& taken) const {
        double numerator = total, denominator = 0.0;
        for (std::size_t h = 0; h < steps_; ++h) {
            numerator += height_[h] * sums_[taken[h]];
            denominator += height_[h] * divisor(h, taken[h]);
        }
        return worth_ == nullptr ? numerator : denominator > 0.0 ? numerator / denominator : 0.0;
    }

    // At least one document takes the first step: without any, the value is `start`.
    std::size_t best_number(std::size_t step, double x) const {
        std::size_t best = step == 0 ? 1 : 0;
        for (std::size_t t = best + 1; t < sums_.size(); ++t)
            if (sums_[t] - x * divisor(step, t) > sums_[best] - x * divisor(step, best)) best = t;
        return best;
    }

    const double* height_;
    const std::size_t steps_;
    const double* worth_;  // steps x (most + 1)
    const std::size_t most_;
    std::vector<double> sums_;
};

// ---- Documents that only other runs have --------------------------------------------------------------------------

// They may be relevant, too, and then count in the number of relevant documents or the ideal list, and in rankings that
// have them farther down.

// How many runs have each of a topic's documents within a depth.
inline std::vector<std::uint32_t> retrieving_runs(const Pool& pool, std::uint32_t topic, std::uint32_t depth) {
    std::vector<std::uint32_t> counts(pool.topics[topic]->documents.size(), 0);
    for (const Run& run : pool.runs) {
        const List* const list = run.list(topic);
        if (list == nullptr) continue;
        if (pool.keep_all)
            for (std::uint32_t i = 0; i < std::min(list->retrieved, depth); ++i) ++counts[run.all[list->all_begin + i]];
        else
            for (std::uint32_t i = 0; i < list->known && run.rank[list->known_begin + i] <= depth; ++i)
                ++counts[run.document[list->known_begin + i]];
    }
    return counts;
}

// `rates` (steps x documents) says how often each document takes each step of gain at most; it is 0 where a document is
// not outside.
struct StepRates {
    const double* of_document;
    std::size_t documents, steps;

    double of(std::size_t step, std::uint32_t document) const { return of_document[step * documents + document]; }
};

// How often documents outside the pool are relevant at most: `caution` times as often as the pooled ones that as many
// runs have (`runs`; `many` or more are counted as `many`), where few are so with all of the topic's counting as
// `prior` documents. `tail_chance` (pooled documents x steps) are chances of these to take each step.
class RatesByRuns {
   public:
    RatesByRuns(const std::uint32_t* runs, const std::int32_t* labels, std::size_t listed, const double* tail_chance,
                std::size_t steps, std::uint32_t many)
        : runs_(runs),
          labels_(labels),
          listed_(listed),
          steps_(steps),
          many_(many),
          sizes_(many + 1, 0.0),
          sums_((many + 1) * steps, 0.0) {
        for (std::size_t d = 0; d < listed; ++d) {
            if (labels[d] == outside) continue;
            const std::uint32_t number = group(d);
            sizes_[number] += 1.0;
            for (std::size_t h = 0; h < steps; ++h) sums_[number * steps + h] += tail_chance[h];
            tail_chance += steps;
        }
    }

    // (many + 1) x steps.
    std::vector<double> rates(double prior, double caution) const {
        std::vector<double> found(sums_.size());
        for (std::size_t h = 0; h < steps_; ++h) {
            const double all = overall(h);
            for (std::size_t number = 0; number <= many_; ++number) {
                const double rate = (sums_[number * steps_ + h] + prior * all) / (sizes_[number] + prior);
                found[number * steps_ + h] = std::min(caution * rate, 1.0);
            }
        }
        return found;
    }

    // Steps x documents: those of the documents that are outside and that some run has, 0 for others.
    std::vector<double> spread(const std::vector<double>& rates, std::size_t documents) const {
        std::vector<double> found(steps_ * documents, 0.0);
        for (std::size_t d = 0; d < documents; ++d) {
            if (runs_[d] == 0 || (d < listed_ && labels_[d] != outside)) continue;
            for (std::size_t h = 0; h < steps_; ++h) found[h * documents + d] = rates[group(d) * steps_ + h];
        }
        return found;
    }

   private:
    std::uint32_t group(std::size_t document) const { return std::min(runs_[document], many_); }

    // The mean over documents that some run has; over all where there are none such.
    double overall(std::size_t step) const {
        double sum = 0.0, size = 0.0;
        for (std::size_t number = 1; number <= many_; ++number) {
            sum += sums_[number * steps_ + step];
            size += sizes_[number];
        }
        if (size > 0.0) return sum / size;
        return sizes_[0] > 0.0 ? sums_[step] / sizes_[0] : 1.0;
    }

    const std::uint32_t* const runs_;
    const std::int32_t* const labels_;
    const std::size_t listed_, steps_;
    const std::uint32_t many_;
    std::vector<double> sizes_, sums_;
};

// The extremes of numerator / divisor(mass) over documents that are worth their rates or nothing, `mass` being the sums
// of the rates of each step that are. What two of these documents add together beyond what each adds is left out: rates
// are small. Documents join in the order of how they pull the numerator, and the farthest of all these is kept.
class OtherDocuments {
   public:
    // A run's own documents down to `own` are not among these.
    OtherDocuments(const Pool& pool, std::uint32_t topic, std::uint32_t own_depth, StepRates rates)
        : pool_(pool), topic_(topic), own_depth_(own_depth), rates_(rates) {
        for (std::uint32_t d = 0; d < rates.documents; ++d)
            if (rates.of(0, d) > 0.0) open_.push_back(d);
    }

    // Whether ranks matter at all: not where there are no such documents.
    bool any() const { return !open_.empty(); }

    // `pull_a` and `pull_b` say what a unit of gain at a rank adds to the numerator of each run.
    template <class PullA, class PullB>
    void look(std::int32_t a, std::int32_t b, PullA pull_a, PullB pull_b) {
        if (any()) {
            a_.fill(pool_, topic_, a);
            b_.fill(pool_, topic_, b);
        }
        pulls_.clear();
        still_.assign(rates_.steps, 0.0);
        for (const std::uint32_t d : open_) {
            const std::uint32_t rank_a = a_.of(d), rank_b = b_.of(d);
            if (is_own(rank_a) || is_own(rank_b)) continue;
            const double pull = pull_a(rank_a) - pull_b(rank_b);
            if (pull != 0.0)
                pulls_.emplace_back(pull, d);
            else
                for (std::size_t h = 0; h < rates_.steps; ++h) still_[h] += rates_.of(h, d);
        }
        std::sort(pulls_.begin(), pulls_.end());
    }

    // `start` is the value without any of these documents, `total` its numerator, `height` the gain of each step.
    template <class Divisor>
    double farthest(double sign, double start, double total, const double* height, Divisor divisor) {
        double best = sign * start, numerator = sign * total;
        mass_.assign(rates_.steps, 0.0);
        const auto look_again = [&] { best = std::max(best, numerator / divisor(mass_)); };
        const auto join = [&](const std::pair<double, std::uint32_t>& document) {
            for (std::size_t h = 0; h < rates_.steps; ++h) {
                mass_[h] += rates_.of(h, document.second);
                numerator += sign * document.first * height[h] * rates_.of(h, document.second);
            }
            look_again();
        };
        const auto middle = std::lower_bound(pulls_.begin(), pulls_.end(), std::make_pair(0.0, std::uint32_t{0}));
        if (sign > 0.0)
            std::for_each(std::make_reverse_iterator(pulls_.end()), std::make_reverse_iterator(middle), join);
        else
            std::for_each(pulls_.begin(), middle, join);
        for (std::size_t h = 0; h < rates_.steps; ++h) mass_[h] += still_[h];
        if (still_[0] > 0.0) look_again();
        if (sign > 0.0)
            std::for_each(std::make_reverse_iterator(middle), std::make_reverse_iterator(pulls_.begin()), join);
        else
            std::for_each(middle, pulls_.end(), join);
        return sign * best;
    }

   private:
    bool is_own(std::uint32_t rank) const { return rank > 0 && rank <= own_depth_; }

    const Pool& pool_;
    const std::uint32_t topic_, own_depth_;
    const StepRates rates_;
    std::vector<std::uint32_t> open_;
    RanksOfRun a_, b_;
    std::vector<std::pair<double, std::uint32_t>> pulls_;
    std::vector<double> still_, mass_;
};

// A table of values at equally distant positions from 0 to `end`, and straight lines between them.
inline double between(const double* table, std::size_t points, double end, double x) {
    if (end <= 0.0 || points < 2) return table[0];
    const double at = std::min(x / end, 1.0) * static_cast<double>(points - 1);
    const auto left = std::min(static_cast<std::size_t>(at), points - 2);
    return table[left] + (at - static_cast<double>(left)) * (table[left + 1] - table[left]);
}

}  // namespace poolwise
