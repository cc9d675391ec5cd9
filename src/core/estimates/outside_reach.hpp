// How far documents that labels do not speak for could move a score.
#pragma once

#include "outside.hpp"

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
class PrecisionReach {
   public:
    double farthest(double sign, const PrecisionSum& a, const PrecisionSum& b, double relevant,
                    const std::vector<OpenPlace>& open) {
        double sum = sign * (a.total() - b.total());
        double best = sum / std::max(relevant, 1.0);
        left_ = open;
        gain_.clear();
        for (const OpenPlace& place : open) gain_.push_back(sign * (a.growth(place.a) - b.growth(place.b)));
        for (std::size_t taken = 1; !left_.empty(); ++taken) {
            const auto at = static_cast<std::size_t>(std::max_element(gain_.begin(), gain_.end()) - gain_.begin());
            const OpenPlace place = left_[at];
            sum += gain_[at];
            best = std::max(best, sum / std::max(relevant + static_cast<double>(taken), 1.0));
            left_[at] = left_.back();
            gain_[at] = gain_.back();
            left_.pop_back();
            gain_.pop_back();
            for (std::size_t i = 0; i < left_.size(); ++i)
                gain_[i] += sign * (a.both(left_[i].a, place.a) - b.both(left_[i].b, place.b));
        }
        return sign * best;
    }

   private:
    std::vector<OpenPlace> left_;
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
class GainReach {
   public:
    GainReach(const double* height, std::size_t steps, const double* worth, std::size_t most)
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

}  // namespace poolwise
