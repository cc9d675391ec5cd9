// Scores of all runs on all topics, for one or many assignments of labels to the same pool.
#pragma once

#include "kernels.hpp"
#include "parallel.hpp"
#include "pool.hpp"

namespace poolwise {

// The number of a label among the ascending labels of a collection.
class Classes {
   public:
    explicit Classes(const std::vector<std::int32_t>& labels) : labels_(labels) {
        if (labels_.empty()) return;
        const std::int64_t range = std::int64_t{labels_.back()} - labels_.front() + 1;
        if (range > 4096) return;
        table_.assign(static_cast<std::size_t>(range), 0);
        for (std::size_t c = 0; c < labels_.size(); ++c)
            table_[labels_[c] - labels_.front()] = static_cast<std::int32_t>(c);
    }

    // Class of a judged document, -1 for a pooled one, -2 for one outside the pool.
    std::int32_t of(std::int32_t label) const {
        if (label == pooled) return -1;
        if (label == outside) return -2;
        if (!table_.empty()) return table_[label - labels_.front()];
        return static_cast<std::int32_t>(std::lower_bound(labels_.begin(), labels_.end(), label) - labels_.begin());
    }

   private:
    const std::vector<std::int32_t>& labels_;
    std::vector<std::int32_t> table_;
};

// What is known of a topic's listed documents under one assignment of labels, and the rankings cut down to it.
class Desk {
   public:
    Desk(const Pool& pool, const std::vector<std::int32_t>& labels)
        : pool_(pool), classes_(labels), number_(labels.size()) {}

    void open(std::uint32_t topic, const std::int32_t* labels) {
        const std::uint32_t listed = pool_.topics[topic]->listed;
        state_.resize(listed);
        counts.judged.assign(number_, 0);
        counts.pool = 0;
        for (std::uint32_t d = 0; d < listed; ++d) {
            const std::int32_t state = classes_.of(labels[d]);
            state_[d] = state;
            if (state >= 0) ++counts.judged[state];
            counts.pool += state >= -1;
        }
    }

    // The judged documents of a list by rank; without a list, the empty ranking.
    Ranking full(const Run& run, const List* list) {
        std::uint32_t judged = 0, above = 0;
        const std::uint32_t known = list == nullptr ? 0 : list->known;
        if (rank_.size() < known) {
            rank_.resize(known);
            above_.resize(known);
            label_.resize(known);
            while (natural_.size() < known) natural_.push_back(static_cast<std::uint32_t>(natural_.size() + 1));
        }
        const std::uint32_t* const rank = list == nullptr ? nullptr : run.rank.data() + list->known_begin;
        const std::uint32_t* const document = list == nullptr ? nullptr : run.document.data() + list->known_begin;
        for (std::uint32_t i = 0; i < known; ++i) {
            const std::int32_t state = state_[document[i]];
            rank_[judged] = rank[i];
            above_[judged] = above;
            label_[judged] = state;
            judged += state >= 0;
            above += state >= -1;
        }
        return {rank_.data(), above_.data(), label_.data(), judged, list == nullptr ? 0 : list->retrieved};
    }

    Ranking condensed(const Ranking& full) const {
        return {natural_.data(), full.above, full.label, full.judged, full.judged};
    }

    TopicCounts counts;

   private:
    const Pool& pool_;
    const Classes classes_;
    const std::size_t number_;
    std::vector<std::int32_t> state_;
    std::vector<std::uint32_t> rank_, above_, natural_;
    std::vector<std::int32_t> label_;
};

// The labels of the pool's own judgments, one topic after the other.
inline std::vector<std::int32_t> flat_labels(const Pool& pool) {
    std::vector<std::int32_t> labels;
    labels.reserve(pool.offsets.back());
    for (const auto& topic : pool.topics) labels.insert(labels.end(), topic->labels.begin(), topic->labels.end());
    return labels;
}

// The deepest rank any measure can ask a discount of.
inline std::size_t deepest_rank(const Pool& pool) {
    std::size_t deepest = 1;
    for (const Run& run : pool.runs)
        for (const List& list : run.lists) deepest = std::max<std::size_t>(deepest, list.retrieved);
    for (const auto& topic : pool.topics) deepest = std::max<std::size_t>(deepest, topic->listed);
    return deepest;
}

// Fills values[sample][measure][run][topic]. `labels` holds one value per listed document and sample; `distinct`
// the labels that occur, ascending. `count_missing` says which measures look at topics that a run lacks; all others
// are 0 there.
inline void score(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                  const std::int32_t* labels, std::size_t samples, const std::vector<std::int32_t>& distinct,
                  std::size_t threads, double* values) {
    const std::size_t topics = pool.topics.size(), runs = pool.runs.size(), listed = pool.offsets.back();
    for_each(samples * topics, threads, [&] {
        std::vector<std::unique_ptr<Kernel>> kernels;
        for (const Spec& spec : specs) kernels.push_back(make_kernel(spec));
        return [&, kernels = std::move(kernels), desk = Desk(pool, distinct)](std::size_t unit) mutable {
            const std::size_t sample = unit / topics, topic = unit % topics;
            desk.open(static_cast<std::uint32_t>(topic), labels + sample * listed + pool.offsets[topic]);
            for (auto& kernel : kernels) kernel->prepare(desk.counts);
            for (std::size_t r = 0; r < runs; ++r) {
                const List* const list = pool.runs[r].list(static_cast<std::uint32_t>(topic));
                const Ranking full = desk.full(pool.runs[r], list);
                const Ranking condensed = desk.condensed(full);
                for (std::size_t m = 0; m < kernels.size(); ++m) {
                    const bool counts = list != nullptr || count_missing[m];
                    values[((sample * kernels.size() + m) * runs + r) * topics + topic] =
                        counts ? kernels[m]->score(specs[m].condensed ? condensed : full) : 0.0;
                }
            }
        };
    });
}

}  // namespace poolwise
