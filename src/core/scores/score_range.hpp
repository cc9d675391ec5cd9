// How far labels of unjudged documents could move a score, or the difference of two runs, by any measure.
#pragma once

#include <numeric>

#include "counted_bounds.hpp"
#include "pool/front.hpp"
#include "scoring.hpp"

namespace poolwise {

// Tries labels on the unjudged documents down to a depth: the worst label for all, the best for the first 1, 4, 16,
// ..., all of them in the order in which they matter most to run a against run b, and to run b against run a. What it
// finds is reached by some labels, so a difference that changes its sign could be undone; extremes may lie farther out.
class ScoreRangeSearch {
   public:
    ScoreRangeSearch(const Pool& pool, const Spec& spec, bool counts_missing, const std::vector<std::int32_t>& distinct,
                     std::uint32_t depth)
        : pool_(pool),
          spec_(spec),
          counts_missing_(counts_missing),
          classes_(distinct),
          kernel_(make_kernel(spec)),
          places_(pool, depth, true),
          best_(extreme_class(1.0)),
          worst_(extreme_class(-1.0)) {}

    void open(std::uint32_t topic, const std::int32_t* labels) {
        topic_ = topic;
        labels_ = labels;
        known_.judged.assign(spec_.relevant.size(), 0);
        known_.pool = 0;
        for (std::uint32_t d = 0; d < pool_.topics[topic]->listed; ++d) {
            const std::int32_t state = classes_.of(labels[d]);
            if (state >= 0) ++known_.judged[state];
            known_.pool += state >= -1;
        }
    }

    // The lowest and highest a - b; `b` may be negative: a alone.
    Range of(std::int32_t a, std::int32_t b) {
        sides_[0].look(pool_, a, topic_, labels_, classes_);
        sides_[1].look(pool_, b, topic_, labels_, classes_);
        const std::vector<OpenRanks>& open = places_.of(topic_, a, b, labels_);
        label_.assign(open.size(), unlabelled);
        sides_[0].sort(open, &OpenRanks::a);
        sides_[1].sort(open, &OpenRanks::b);
        counts_ = known_;
        const double start = difference();
        Range found{start, start};
        if (open.empty() || (b < 0 && sides_[0].list == nullptr)) return found;
        for (const double sign : {1.0, -1.0}) {
            const std::vector<std::size_t> order = order_of(open, sign);
            for (std::size_t taken = 0; taken <= order.size(); taken = next(taken, order.size())) {
                if (sign < 0.0 && (taken == 0 || taken == order.size())) continue;  // the same either way round
                for (std::size_t i = 0; i < order.size(); ++i) label_[order[i]] = i < taken ? best_ : worst_;
                counts_ = known_;
                counts_.judged[best_] += static_cast<std::uint32_t>(taken);
                counts_.judged[worst_] += static_cast<std::uint32_t>(order.size() - taken);
                const double value = difference();
                found = {std::min(found.low, value), std::max(found.high, value)};
            }
        }
        return found;
    }

   private:
    static constexpr std::int32_t unlabelled = -1;

    // Open documents in the order in which they matter to a against b, or to b against a if the sign is negative. Of
    // those that matter alike the ones nearest to the top of both come first: what is found goes neither by the names
    // of documents nor by which run is called a.
    static std::vector<std::size_t> order_of(const std::vector<OpenRanks>& open, double sign) {
        std::vector<std::pair<std::pair<double, double>, std::size_t>> keys;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const double a = share(open[i].a), b = share(open[i].b);
            keys.push_back({{-sign * (a - b), -(a + b)}, i});
        }
        std::sort(keys.begin(), keys.end());
        std::vector<std::size_t> order;
        for (const auto& key : keys) order.push_back(key.second);
        return order;
    }

    static double share(std::uint32_t rank) { return rank == 0 ? 0.0 : 1.0 / rank; }

    static std::size_t next(std::size_t taken, std::size_t all) {
        return taken == all ? all + 1 : taken == 0 ? 1 : std::min(4 * taken, all);
    }

    // The class that is worth most (sign 1) or least (sign -1); of equals the highest or lowest.
    std::int32_t extreme_class(double sign) const {
        std::int32_t found = 0;
        const auto worth = [&](std::int32_t c) {
            return sign * (spec_.gain.empty() ? spec_.relevant[c] : spec_.gain[c]);
        };
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(spec_.relevant.size()); ++c)
            if (worth(c) > worth(found) || (sign > 0 && worth(c) == worth(found))) found = c;
        return found;
    }

    // One run's judged documents on the topic, and the open ones by rank.
    struct Side {
        const List* list = nullptr;
        std::vector<std::uint32_t> rank;
        std::vector<std::int32_t> label;
        std::vector<std::pair<std::uint32_t, std::size_t>> open;  // rank, number among the open ones

        void look(const Pool& pool, std::int32_t run, std::uint32_t topic, const std::int32_t* labels,
                  const Classes& classes) {
            rank.clear();
            label.clear();
            list = run < 0 ? nullptr : pool.runs[run].list(topic);
            if (list == nullptr) return;
            for (std::size_t i = list->known_begin; i < list->known_begin + list->known; ++i) {
                const std::int32_t state = classes.of(labels[pool.runs[run].document[i]]);
                if (state < 0) continue;
                rank.push_back(pool.runs[run].rank[i]);
                label.push_back(state);
            }
        }

        void sort(const std::vector<OpenRanks>& documents, std::uint32_t OpenRanks::* rank_of) {
            open.clear();
            for (std::size_t i = 0; i < documents.size(); ++i)
                if (documents[i].*rank_of > 0) open.emplace_back(documents[i].*rank_of, i);
            std::sort(open.begin(), open.end());
        }
    };

    double difference() {
        kernel_->prepare(counts_);
        return value(sides_[0]) - value(sides_[1]);
    }

    double value(const Side& side) {
        if (side.list == nullptr && (!counts_missing_ || &side == &sides_[1])) return 0.0;
        rank_.clear();
        class_.clear();
        std::size_t o = 0;
        for (std::size_t j = 0; j <= side.rank.size(); ++j) {
            for (; o < side.open.size() && (j == side.rank.size() || side.open[o].first < side.rank[j]); ++o)
                if (label_[side.open[o].second] != unlabelled) {
                    rank_.push_back(side.open[o].first);
                    class_.push_back(label_[side.open[o].second]);
                }
            if (j == side.rank.size()) break;
            rank_.push_back(side.rank[j]);
            class_.push_back(side.label[j]);
        }
        const auto count = static_cast<std::uint32_t>(rank_.size());
        place_.resize(count);
        before_.resize(count);
        std::iota(before_.begin(), before_.end(), 0u);
        std::iota(place_.begin(), place_.end(), 1u);
        const std::uint32_t retrieved = side.list == nullptr ? 0 : side.list->retrieved;
        const std::uint32_t* const ranks = spec_.condensed ? place_.data() : rank_.data();
        return kernel_->score(
            {ranks, before_.data(), before_.data(), class_.data(), count, count, spec_.condensed ? count : retrieved});
    }

    const Pool& pool_;
    const Spec& spec_;
    const bool counts_missing_;
    const Classes classes_;
    const std::unique_ptr<Kernel> kernel_;
    OpenDocuments places_;
    const std::int32_t best_, worst_;
    TopicCounts known_, counts_;
    std::uint32_t topic_ = 0;
    const std::int32_t* labels_ = nullptr;
    Side sides_[2];
    std::vector<std::int32_t> label_;  // of the open documents
    std::vector<std::uint32_t> rank_, before_, place_;
    std::vector<std::int32_t> class_;
};

}  // namespace poolwise
