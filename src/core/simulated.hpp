// Scores of a topic's rankings under drawn labels, and what they are when a single document has another label.
#pragma once

#include "scoring.hpp"

namespace poolwise {

// Sets of drawn labels of a topic's listed documents: labels[set][draw][document], classes from 0 on, or below 0 where
// a document is outside the pool. Every pooled document has a label, so where the documents of a list stand among
// pooled ones is the same in all draws.
struct Draws {
    const std::int32_t* labels;
    std::size_t sets, draws, listed, classes;

    const std::int32_t* of(std::size_t set, std::size_t draw) const { return labels + (set * draws + draw) * listed; }
};

// Documents of which each label is tried, and which set of draws is that without the document's own.
struct Relabelled {
    const std::vector<std::int32_t>& document;
    const std::vector<std::int32_t>& set;
};

// One measure, one topic.
class Simulated {
   public:
    Simulated(const Pool& pool, std::uint32_t topic, const Spec& spec, bool counts_missing, const Draws& draws)
        : pool_(pool),
          topic_(topic),
          counts_missing_(counts_missing),
          draws_(draws),
          kernel_(make_kernel(spec)),
          condensed_(spec.condensed),
          shown_(kernel_->looks_at()) {
        for (std::size_t i = 0; i < draws.sets * draws.draws; ++i) {
            TopicCounts counts;
            counts.judged.assign(draws.classes, 0);
            const std::int32_t* const labels = draws.labels + i * draws.listed;
            for (std::size_t d = 0; d < draws.listed; ++d) {
                if (labels[d] < 0) continue;
                ++counts.judged[labels[d]];
                ++counts.pool;
            }
            counts_.push_back(std::move(counts));
        }
    }

    void turn_to(std::size_t run) {
        list_ = pool_.runs[run].list(topic_);
        ranks_.clear();
        document_.clear();
        place_.assign(draws_.listed, -1);
        if (list_ == nullptr) return;
        for (std::size_t i = list_->known_begin; i < list_->known_begin + list_->known; ++i) {
            const std::uint32_t document = pool_.runs[run].document[i];
            if (draws_.labels[document] < 0) continue;
            place_[document] = static_cast<std::int32_t>(document_.size());
            document_.push_back(document);
            ranks_.push_back(condensed_ ? static_cast<std::uint32_t>(document_.size()) : pool_.runs[run].rank[i]);
        }
    }

    // values[draw] of a set.
    void values(std::size_t set, double* out) {
        for (std::size_t draw = 0; draw < draws_.draws; ++draw) {
            look(set, draw);
            out[draw] = value();
        }
    }

    // means[i][class], over draws, of documents of one set; where `wanted` is 0, nothing is done. Documents that the
    // run lacks and that have the same label differ in nothing that a measure sees, so one of them speaks for all.
    void means(std::size_t set, const Relabelled& tried, const std::int32_t* wanted, double* out) {
        const std::size_t classes = draws_.classes;
        std::vector<std::vector<double>> absent(classes);  // by own class
        std::vector<double> present;
        for (std::size_t draw = 0; draw < draws_.draws; ++draw) {
            look(set, draw);
            for (std::vector<double>& scores : absent) scores.clear();
            for (std::size_t i = 0; i < tried.document.size(); ++i) {
                if (!wanted[i] || static_cast<std::size_t>(tried.set[i]) != set) continue;
                const std::int32_t document = tried.document[i], own = draws_.of(set, draw)[document];
                std::vector<double>& scores = place_[document] < 0 ? absent[own] : present;
                if (place_[document] >= 0) scores.clear();
                if (scores.empty())
                    for (std::size_t c = 0; c < classes; ++c)
                        scores.push_back(with(place_[document], own, static_cast<std::int32_t>(c)));
                for (std::size_t c = 0; c < classes; ++c)
                    out[i * classes + c] += scores[c] / static_cast<double>(draws_.draws);
            }
        }
    }

   private:
    // The documents of the list that the kernel looks at; `above`, the pooled documents above, is their place in the
    // list.
    void look(std::size_t set, std::size_t draw) {
        const std::int32_t* const labels = draws_.of(set, draw);
        now_ = &counts_[set * draws_.draws + draw];
        rank_.clear();
        above_.clear();
        label_.clear();
        for (std::size_t i = 0; i < document_.size(); ++i) {
            const std::int32_t label = labels[document_[i]];
            if (!shown_[label]) continue;
            rank_.push_back(ranks_[i]);
            above_.push_back(static_cast<std::uint32_t>(i));
            label_.push_back(label);
        }
    }

    double value() {
        if (list_ == nullptr && !counts_missing_) return 0.0;
        kernel_->prepare(*now_);
        const auto judged = static_cast<std::uint32_t>(document_.size());
        return kernel_->score({rank_.data(), above_.data(), above_.data(), label_.data(),
                               static_cast<std::uint32_t>(rank_.size()), judged,
                               condensed_         ? judged
                               : list_ == nullptr ? 0
                                                  : list_->retrieved});
    }

    // The score when the document at a place of the list (below 0: none) has another label than its own.
    double with(std::int32_t place, std::int32_t own, std::int32_t other) {
        --now_->judged[own];
        ++now_->judged[other];
        if (place >= 0) relabel(static_cast<std::uint32_t>(place), own, other);
        const double found = value();
        if (place >= 0) relabel(static_cast<std::uint32_t>(place), other, own);
        --now_->judged[other];
        ++now_->judged[own];
        return found;
    }

    void relabel(std::uint32_t place, std::int32_t from, std::int32_t to) {
        const auto at = std::lower_bound(above_.begin(), above_.end(), place) - above_.begin();
        if (shown_[from] && shown_[to]) {
            label_[at] = to;
        } else if (shown_[from]) {
            rank_.erase(rank_.begin() + at);
            above_.erase(above_.begin() + at);
            label_.erase(label_.begin() + at);
        } else if (shown_[to]) {
            rank_.insert(rank_.begin() + at, ranks_[place]);
            above_.insert(above_.begin() + at, place);
            label_.insert(label_.begin() + at, to);
        }
    }

    const Pool& pool_;
    const std::uint32_t topic_;
    const bool counts_missing_;
    const Draws& draws_;
    const std::unique_ptr<Kernel> kernel_;
    const bool condensed_;
    const std::vector<char> shown_;    // by class
    std::vector<TopicCounts> counts_;  // by set and draw
    TopicCounts* now_ = nullptr;
    const List* list_ = nullptr;
    std::vector<std::uint32_t> ranks_, document_;  // of the list's pooled documents
    std::vector<std::int32_t> place_;              // of a document in it
    std::vector<std::uint32_t> rank_, above_;      // of those that the kernel looks at
    std::vector<std::int32_t> label_;
};

}  // namespace poolwise
