// Documents that labels do not speak for: where they stand in rankings, and how far they could move a score.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "pool.hpp"

namespace poolwise {

constexpr std::uint32_t no_document = std::numeric_limits<std::uint32_t>::max();

// Whether a document with such a label is open.
inline bool is_open(std::int32_t label, bool unjudged) { return label == outside || (unjudged && label == pooled); }

// Calls visit(rank, document) for the open documents of a ranking down to a depth: those that are neither judged nor
// pooled, or with `unjudged` all that are not judged. A document that the pool does not keep has no number.
template <class Visit>
void visit_open(const Pool& pool, std::size_t run, std::uint32_t topic, std::uint32_t depth, const std::int32_t* labels,
                bool unjudged, Visit visit) {
    const List* const list = pool.runs[run].list(topic);
    if (list == nullptr) return;
    const std::uint32_t* const known = pool.runs[run].rank.data() + list->known_begin;
    const std::uint32_t* const document = pool.runs[run].document.data() + list->known_begin;
    const std::uint32_t* const all = pool.keep_all ? pool.runs[run].all.data() + list->all_begin : nullptr;
    const std::uint32_t last = std::min(depth, list->retrieved);
    for (std::uint32_t rank = 1, i = 0; rank <= last; ++rank) {
        if (i < list->known && known[i] == rank) {
            const std::int32_t label = labels[document[i]];
            if (is_open(label, unjudged)) visit(rank, document[i]);
            ++i;
        } else {
            visit(rank, all == nullptr ? no_document : all[rank - 1]);
        }
    }
}

// How many known documents a list has down to a rank.
inline std::uint32_t known_within(const Run& run, const List& list, std::uint32_t depth) {
    const std::uint32_t* const rank = run.rank.data() + list.known_begin;
    if (depth >= list.retrieved) return list.known;
    return static_cast<std::uint32_t>(std::upper_bound(rank, rank + std::min(list.known, depth), depth) - rank);
}

// The known documents of a run's lists, looked at by rank. Where no label is open, as in complete judgments, all known
// documents are closed, and where these stand is found without looking at each.
class Closed {
   public:
    Closed(const Pool& pool, const std::int32_t* labels, bool unjudged)
        : pool_(pool), labels_(labels), unjudged_(unjudged) {
        bool open = false;  // in one loop over all, which compilers make one over several at a time
        for (std::size_t d = 0; d < pool.offsets.back(); ++d) open |= is_open(labels[d], unjudged);
        all_ = !open;
    }

    // How many open documents a list has down to a rank.
    std::uint32_t open_within(const Run& run, const List& list, std::uint32_t depth) const {
        const std::uint32_t last = std::min(depth, list.retrieved);
        const std::uint32_t known = known_within(run, list, last);
        if (all_) return last - known;
        std::uint32_t closed = 0;
        for (std::uint32_t i = 0; i < known; ++i) closed += is_closed(run, list, i);
        return last - closed;
    }

    // The deepest rank, at most `depth`, down to which a list has no open document.
    std::uint32_t without_gap(const Run& run, const List& list, std::uint32_t depth) const {
        const std::uint32_t* const rank = run.rank.data() + list.known_begin;
        std::uint32_t end = std::min(depth, list.known);
        if (end > 0 && rank[end - 1] != end) {  // ranks have no gap as long as they say how many documents there are
            std::uint32_t low = 0;
            while (low + 1 < end) {
                const std::uint32_t middle = low + (end - low) / 2;
                (rank[middle - 1] == middle ? low : end) = middle;
            }
            end = low;
        }
        if (all_) return end;
        std::uint32_t found = 0;
        while (found < end && is_closed(run, list, found)) ++found;
        return found;
    }

    // Calls visit(rank) for the closed documents of a list below a rank and down to another.
    template <class Visit>
    void visit(const Run& run, const List& list, std::uint32_t begin, std::uint32_t end, Visit visit) const {
        const std::uint32_t* const rank = run.rank.data() + list.known_begin;
        for (std::uint32_t i = known_within(run, list, begin); i < list.known && rank[i] <= end; ++i)
            if (all_ || is_closed(run, list, i)) visit(rank[i]);
    }

   private:
    bool is_closed(const Run& run, const List& list, std::uint32_t i) const {
        return !is_open(labels_[pool_.offsets[list.topic] + run.document[list.known_begin + i]], unjudged_);
    }

    const Pool& pool_;
    const std::int32_t* const labels_;
    const bool unjudged_;
    bool all_ = false;  // the known documents are closed
};

// How many open documents every run has down to a depth, runs x topics.
inline void count_open(const Pool& pool, const std::int32_t* labels, std::uint32_t depth, bool unjudged,
                       std::int32_t* counts) {
    const Closed closed(pool, labels, unjudged);
    const std::size_t topics = pool.topics.size();
    for (std::size_t r = 0; r < pool.runs.size(); ++r)
        for (const List& list : pool.runs[r].lists)
            counts[r * topics + list.topic] = static_cast<std::int32_t>(closed.open_within(pool.runs[r], list, depth));
}

// The same over all topics, and of how many documents: two numbers per run.
inline void total_open(const Pool& pool, const std::int32_t* labels, std::uint32_t depth, bool unjudged,
                       std::int64_t* totals) {
    const Closed closed(pool, labels, unjudged);
    for (std::size_t r = 0; r < pool.runs.size(); ++r)
        for (const List& list : pool.runs[r].lists) {
            totals[2 * r] += closed.open_within(pool.runs[r], list, depth);
            totals[2 * r + 1] += std::min(depth, list.retrieved);
        }
}

// Of some runs together: documents outside below `begin` and down to each rank up to `end`, and of how many.
inline void outside_by_rank(const Pool& pool, const std::int32_t* labels, const std::vector<std::size_t>& runs,
                            std::uint32_t begin, std::uint32_t end, std::int64_t* counts) {
    const Closed closed(pool, labels, false);
    const std::size_t size = end - begin;
    std::vector<std::int64_t> ending(size + 1, 0);  // lists by how far they go past `begin`
    for (const std::size_t r : runs)
        for (const List& list : pool.runs[r].lists) {
            if (list.retrieved <= begin) continue;
            ++ending[std::min(end, list.retrieved) - begin];
            closed.visit(pool.runs[r], list, begin, end,
                         [&](std::uint32_t rank) { --counts[std::size_t{2} * (rank - begin - 1)]; });
        }
    std::int64_t going = 0, documents = 0, open = 0;
    for (const std::int64_t lists : ending) going += lists;
    for (std::size_t i = 0; i < size; ++i) {
        going -= ending[i];  // those that end before this rank
        documents += going;
        open += going + counts[2 * i];
        counts[2 * i] = open;
        counts[2 * i + 1] = documents;
    }
}

// For each run the deepest rank down to which all its documents are in the pool, in every topic; `no_document` if all
// are that it retrieves.
inline std::vector<std::uint32_t> covered_ranks(const Pool& pool, const std::int32_t* labels) {
    const Closed closed(pool, labels, false);
    std::vector<std::uint32_t> covered;
    for (const Run& run : pool.runs) {
        std::uint32_t deepest = no_document;
        for (const List& list : run.lists) {
            const std::uint32_t rank = closed.without_gap(run, list, deepest);
            if (rank < list.retrieved) deepest = std::min(deepest, rank);
        }
        covered.push_back(deepest);
    }
    return covered;
}

// The ranks that a run gives documents of a topic. What an earlier run left behind is told by its stamp.
class Ranks {
   public:
    void fill(const Pool& pool, std::uint32_t topic, std::int32_t run) {
        if (stamp_ > 0 && run == run_ && topic == topic_) return;
        run_ = run, topic_ = topic, ++stamp_;
        const std::size_t documents = pool.topics[topic]->documents.size();
        if (stamped_.size() < documents) stamped_.resize(documents);
        const List* const list = run < 0 ? nullptr : pool.runs[run].list(topic);
        if (list == nullptr) return;
        const Run& source = pool.runs[run];
        for (std::uint32_t i = 0; i < list->known; ++i)
            stamped_[source.document[list->known_begin + i]] = {stamp_, source.rank[list->known_begin + i]};
        for (std::uint32_t i = 0; pool.keep_all && i < list->retrieved; ++i)
            stamped_[source.all[list->all_begin + i]] = {stamp_, i + 1};
    }

    // 0: not retrieved.
    std::uint32_t of(std::uint32_t document) const {
        return stamped_[document].first == stamp_ ? stamped_[document].second : 0;
    }

   private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> stamped_;
    std::uint64_t stamp_ = 0;
    std::uint32_t topic_ = 0;
    std::int32_t run_ = 0;
};

// Where an open document stands in two rankings; 0: not retrieved.
struct OpenPlace {
    std::uint32_t a, b;
};

// The open documents of two runs (or one) on one topic, those of both once.
class OpenPlaces {
   public:
    OpenPlaces(const Pool& pool, std::uint32_t depth, bool unjudged)
        : pool_(pool), depth_(depth), unjudged_(unjudged) {}

    // `b` may be negative: one run alone.
    const std::vector<OpenPlace>& of(std::uint32_t topic, std::int32_t a, std::int32_t b, const std::int32_t* labels) {
        found_.clear();
        if (b >= 0) b_.fill(pool_, topic, b);
        visit_open(pool_, a, topic, depth_, labels, unjudged_, [&](std::uint32_t rank, std::uint32_t document) {
            found_.push_back({rank, b < 0 || document == no_document ? 0 : b_.of(document)});
        });
        if (b < 0) return found_;
        a_.fill(pool_, topic, a);
        visit_open(pool_, b, topic, depth_, labels, unjudged_, [&](std::uint32_t rank, std::uint32_t document) {
            const std::uint32_t other = document == no_document ? 0 : a_.of(document);
            if (other == 0 || other > depth_) found_.push_back({other, rank});
        });
        return found_;
    }

   private:
    const Pool& pool_;
    const std::uint32_t depth_;
    const bool unjudged_;
    std::vector<OpenPlace> found_;
    Ranks a_, b_;
};

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
