// Scores of all runs on all topics, for one or many assignments of labels to the same pool.
#pragma once

#include "kernel_table.hpp"
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
        table_.assign(static_cast<std::size_t>(range), unknown);
        for (std::size_t c = 0; c < labels_.size(); ++c)
            table_[labels_[c] - labels_.front()] = static_cast<std::int32_t>(c);
    }

    static constexpr std::int32_t unknown = -3;

    // Class of a judged document, -1 for a pooled one, -2 for one outside the pool, `unknown` for no label of these.
    std::int32_t of(std::int32_t label) const {
        if (label == pooled) return -1;
        if (label == outside) return -2;
        if (!table_.empty()) {
            const std::int64_t at = std::int64_t{label} - labels_.front();
            return at >= 0 && at < static_cast<std::int64_t>(table_.size()) ? table_[at] : unknown;
        }
        const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
        return at != labels_.end() && *at == label ? static_cast<std::int32_t>(at - labels_.begin()) : unknown;
    }

   private:
    const std::vector<std::int32_t>& labels_;
    std::vector<std::int32_t> table_;
};

// What is known of a topic's listed documents under one assignment of labels, and the rankings cut down to it.
class Desk {
   public:
    Desk(const Pool& pool, const std::vector<std::int32_t>& labels, bool with_strata)
        : pool_(pool), classes_(labels), number_(labels.size()), with_strata_(with_strata) {}

    // `strata` of the listed documents may be missing: all are one stratum then.
    void open(std::uint32_t topic, const std::int32_t* labels, const std::int32_t* strata) {
        const std::uint32_t listed = pool_.topics[topic]->listed;
        state_.resize(listed);
        counts.judged.assign(number_, 0);
        counts.pool = 0;
        for (std::uint32_t d = 0; d < listed; ++d) {
            const std::int32_t state = classes_.of(labels[d]);
            if (state == Classes::unknown) throw std::invalid_argument("a label that the judgments do not have");
            state_[d] = state;
            if (state >= 0) ++counts.judged[state];
            counts.pool += state >= -1;
        }
        if (with_strata_) open_strata(strata, listed);
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
        return {rank_.data(),
                above_.data(),
                label_.data(),
                judged,
                list == nullptr ? 0 : list->retrieved,
                with_strata_ ? pooled_documents(rank, document, known) : PooledDocuments{}};
    }

    Ranking condensed(const Ranking& full) const {
        return {natural_.data(), full.above, full.label, full.judged, full.judged};
    }

    TopicCounts counts;

   private:
    // Strata may have any numbers; here they are 0, 1, 2, ... in ascending order of those.
    void open_strata(const std::int32_t* strata, std::uint32_t listed) {
        std::vector<std::int32_t> numbers;
        if (strata != nullptr) {
            numbers.assign(strata, strata + listed);
            std::sort(numbers.begin(), numbers.end());
            numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        }
        counts.strata.assign(std::max<std::size_t>(1, numbers.size()), {});
        counts.judged_of.assign(counts.strata.size() * number_, 0);
        stratum_.assign(listed, 0);
        for (std::uint32_t d = 0; d < listed; ++d) {
            if (strata != nullptr)
                stratum_[d] = static_cast<std::uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), strata[d]) -
                                                         numbers.begin());
            if (state_[d] < -1) continue;
            ++counts.strata[stratum_[d]].documents;
            if (state_[d] < 0) continue;
            ++counts.strata[stratum_[d]].judged;
            ++counts.judged_of[stratum_[d] * number_ + state_[d]];
        }
    }

    PooledDocuments pooled_documents(const std::uint32_t* rank, const std::uint32_t* document, std::uint32_t known) {
        if (pooled_rank_.size() < known) {
            pooled_rank_.resize(known);
            pooled_label_.resize(known);
            pooled_stratum_.resize(known);
        }
        std::uint32_t count = 0;
        for (std::uint32_t i = 0; i < known; ++i) {
            pooled_rank_[count] = rank[i];
            pooled_label_[count] = state_[document[i]];
            pooled_stratum_[count] = stratum_[document[i]];
            count += state_[document[i]] >= -1;
        }
        return {pooled_rank_.data(), pooled_label_.data(), pooled_stratum_.data(), count};
    }

    const Pool& pool_;
    const Classes classes_;
    const std::size_t number_;
    const bool with_strata_;
    std::vector<std::int32_t> state_;
    std::vector<std::uint32_t> rank_, above_, natural_;
    std::vector<std::int32_t> label_;
    std::vector<std::uint32_t> stratum_;  // of the listed documents
    std::vector<std::uint32_t> pooled_rank_, pooled_stratum_;
    std::vector<std::int32_t> pooled_label_;
};

// The labels of the pool's own judgments, one topic after the other.
inline std::vector<std::int32_t> flat_labels(const Pool& pool) {
    std::vector<std::int32_t> labels;
    labels.reserve(pool.offsets.back());
    for (const auto& topic : pool.topics) labels.insert(labels.end(), topic->labels.begin(), topic->labels.end());
    return labels;
}

// The deepest rank any measure can ask a discount of: an ideal list may hold every listed and retrieved document.
inline std::size_t deepest_rank(const Pool& pool) {
    std::size_t retrieved = 1, listed = 0;
    for (const Run& run : pool.runs)
        for (const List& list : run.lists) retrieved = std::max<std::size_t>(retrieved, list.retrieved);
    for (const auto& topic : pool.topics) listed = std::max<std::size_t>(listed, topic->listed);
    return retrieved + listed;
}

// Assignments of labels to the listed documents of a pool: `labels` holds one value per document and sample, `strata`
// likewise or nothing, `distinct` the labels that occur, ascending.
struct Samples {
    const std::int32_t* labels;
    const std::int32_t* strata;
    std::size_t count;
    const std::vector<std::int32_t>& distinct;
};

// What one thread needs to score: kernels, and the topic and run they look at.
class Scorer {
   public:
    // `count_missing` says which measures look at topics that a run lacks; all others are 0 there.
    Scorer(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
           const Samples& samples)
        : pool_(pool),
          specs_(specs),
          count_missing_(count_missing),
          samples_(samples),
          kernels_(make_kernels(specs)),
          desk_(pool, samples.distinct, std::any_of(kernels_.begin(), kernels_.end(), [](const auto& kernel) {
                    return kernel->needs_strata();
                })) {}

    void open(std::size_t sample, std::size_t topic) {
        const std::size_t at = sample * pool_.offsets.back() + pool_.offsets[topic];
        topic_ = static_cast<std::uint32_t>(topic);
        desk_.open(topic_, samples_.labels + at, samples_.strata == nullptr ? nullptr : samples_.strata + at);
        for (auto& kernel : kernels_) kernel->prepare(desk_.counts);
    }

    void turn_to(const Run& run) {
        list_ = run.list(topic_);
        full_ = desk_.full(run, list_);
        condensed_ = desk_.condensed(full_);
    }

    double value(std::size_t measure) const {
        if (list_ == nullptr && !count_missing_[measure]) return 0.0;
        return kernels_[measure]->score(specs_[measure].condensed ? condensed_ : full_);
    }

    const Ranking& ranking() const { return full_; }
    const TopicCounts& counts() const { return desk_.counts; }

   private:
    static std::vector<std::unique_ptr<Kernel>> make_kernels(const std::vector<Spec>& specs) {
        std::vector<std::unique_ptr<Kernel>> kernels;
        for (const Spec& spec : specs) kernels.push_back(make_kernel(spec));
        return kernels;
    }

    const Pool& pool_;
    const std::vector<Spec>& specs_;
    const std::vector<char>& count_missing_;
    const Samples& samples_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    Desk desk_;
    std::uint32_t topic_ = 0;
    const List* list_ = nullptr;
    Ranking full_{}, condensed_{};
};

// Fills values[sample][measure][run][topic].
inline void score(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                  const Samples& samples, std::size_t threads, double* values) {
    const std::size_t topics = pool.topics.size(), runs = pool.runs.size();
    for_each(samples.count * topics, threads, [&] {
        return [&, scorer = Scorer(pool, specs, count_missing, samples)](std::size_t unit) mutable {
            const std::size_t sample = unit / topics, topic = unit % topics;
            scorer.open(sample, topic);
            for (std::size_t r = 0; r < runs; ++r) {
                scorer.turn_to(pool.runs[r]);
                for (std::size_t m = 0; m < specs.size(); ++m)
                    values[((sample * specs.size() + m) * runs + r) * topics + topic] = scorer.value(m);
            }
        };
    });
}

}  // namespace poolwise
