// Scores of a topic's rankings under drawn labels, and what they are when a single document has another label.
#pragma once

#include <numeric>

#include "scoring.hpp"

namespace poolwise {

// Sets of drawn labels of a topic's listed documents: labels[set][draw][document], classes from 0 on, or below 0 where
// a document is outside the pool. Every pooled document has a label, so the positions of the documents of a list among
// pooled ones are the same in all draws.
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
class SimulatedScores {
   public:
    SimulatedScores(const Pool& pool, std::uint32_t topic, const Spec& spec, bool counts_missing, const Draws& draws)
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
        find_shown();
    }

    void turn_to(std::size_t run) {
        list_ = pool_.runs[run].list(topic_);
        ranks_.clear();
        document_.clear();
        index_.assign(draws_.listed, -1);
        if (list_ == nullptr) return;
        for (std::size_t i = list_->known_begin; i < list_->known_begin + list_->known; ++i) {
            const std::uint32_t document = pool_.runs[run].document[i];
            if (draws_.labels[document] < 0) continue;
            index_[document] = static_cast<std::int32_t>(document_.size());
            document_.push_back(document);
            ranks_.push_back(condensed_ ? static_cast<std::uint32_t>(document_.size()) : pool_.runs[run].rank[i]);
        }
    }

    // The documents of the list that the kernel looks at, in every draw of a set.
    void open(std::size_t set) {
        set_ = set;
        for (Looked& draw : looked_) draw.clear();
        for (std::size_t i = 0; i < document_.size(); ++i) {
            const std::size_t at = set * draws_.listed + document_[i];
            for (std::size_t s = begin_[at]; s < begin_[at + 1]; ++s)
                looked_[shown_at_[s].draw].push_back(ranks_[i], static_cast<std::uint32_t>(i), shown_at_[s].label);
        }
    }

    // values[draw] of the set that is open.
    void values(double* out) {
        for (std::size_t draw = 0; draw < draws_.draws; ++draw) {
            look(draw);
            out[draw] = value();
        }
    }

    // means[i][class], over draws, of documents of the set that is open; where `wanted` is 0, nothing is done.
    // Documents that the run lacks and that have the same label differ in nothing that a measure sees, so one of them
    // speaks for all.
    void means(const Relabelled& tried, const std::int32_t* wanted, double* out) {
        const std::size_t classes = draws_.classes;
        std::vector<std::size_t> here;
        for (std::size_t i = 0; i < tried.document.size(); ++i)
            if (wanted[i] && static_cast<std::size_t>(tried.set[i]) == set_) here.push_back(i);
        if (here.empty()) return;
        std::vector<std::vector<double>> absent(classes);  // by own class
        std::vector<double> present;
        for (std::size_t draw = 0; draw < draws_.draws; ++draw) {
            look(draw);
            const double as_drawn = value();
            for (std::vector<double>& scores : absent) scores.clear();
            for (const std::size_t i : here) {
                const std::int32_t document = tried.document[i], as_drawn_class = draws_.of(set_, draw)[document];
                std::vector<double>& scores = index_[document] < 0 ? absent[as_drawn_class] : present;
                if (index_[document] >= 0) scores.clear();
                if (scores.empty())
                    for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c)
                        scores.push_back(c == as_drawn_class ? as_drawn : with(index_[document], as_drawn_class, c));
                for (std::size_t c = 0; c < classes; ++c)
                    out[i * classes + c] += scores[c] / static_cast<double>(draws_.draws);
            }
        }
    }

   private:
    // Documents that the kernel looks at in one draw; `above`, the pooled documents above, is their position in the
    // list.
    struct Looked {
        std::vector<std::uint32_t> rank, above;
        std::vector<std::int32_t> label;

        void clear() {
            rank.clear();
            above.clear();
            label.clear();
        }
        void push_back(std::uint32_t at, std::uint32_t index, std::int32_t class_) {
            rank.push_back(at);
            above.push_back(index);
            label.push_back(class_);
        }
    };

    struct Shown {
        std::uint32_t draw;
        std::int32_t label;
    };

    // Of each set and document: the draws in which the kernel looks at it. Few documents are relevant in many draws.
    void find_shown() {
        std::vector<std::size_t> size(draws_.sets * draws_.listed + 1, 0);
        each_shown([&](std::size_t at, std::size_t, std::int32_t) { ++size[at + 1]; });
        std::partial_sum(size.begin(), size.end(), size.begin());
        begin_ = size;
        shown_at_.resize(size.back());
        each_shown([&](std::size_t at, std::size_t draw, std::int32_t label) {
            shown_at_[size[at]++] = {static_cast<std::uint32_t>(draw), label};
        });
        looked_.resize(draws_.draws);
    }

    template <class Each>
    void each_shown(Each each) const {
        for (std::size_t set = 0; set < draws_.sets; ++set)
            for (std::size_t draw = 0; draw < draws_.draws; ++draw) {
                const std::int32_t* const labels = draws_.of(set, draw);
                for (std::size_t d = 0; d < draws_.listed; ++d)
                    if (labels[d] >= 0 && shown_[labels[d]]) each(set * draws_.listed + d, draw, labels[d]);
            }
    }

    void look(std::size_t draw) {
        now_ = &counts_[set_ * draws_.draws + draw];
        seen_ = &looked_[draw];
    }

    double value() {
        if (list_ == nullptr && !counts_missing_) return 0.0;
        kernel_->prepare(*now_);
        const auto judged = static_cast<std::uint32_t>(document_.size());
        return kernel_->score({seen_->rank.data(), seen_->above.data(), seen_->above.data(), seen_->label.data(),
                               static_cast<std::uint32_t>(seen_->rank.size()), judged,
                               condensed_         ? judged
                               : list_ == nullptr ? 0
                                                  : list_->retrieved});
    }

    // The score when the document at a position of the list (below 0: none) has another label than its own.
    double with(std::int32_t index, std::int32_t from, std::int32_t other) {
        --now_->judged[from];
        ++now_->judged[other];
        if (index >= 0) relabel(static_cast<std::uint32_t>(index), from, other);
        const double found = value();
        if (index >= 0) relabel(static_cast<std::uint32_t>(index), other, from);
        --now_->judged[other];
        ++now_->judged[from];
        return found;
    }

    void relabel(std::uint32_t index, std::int32_t from, std::int32_t to) {
        Looked& seen = *seen_;
        const auto at = std::lower_bound(seen.above.begin(), seen.above.end(), index) - seen.above.begin();
        if (shown_[from] && shown_[to]) {
            seen.label[at] = to;
        } else if (shown_[from]) {
            seen.rank.erase(seen.rank.begin() + at);
            seen.above.erase(seen.above.begin() + at);
            seen.label.erase(seen.label.begin() + at);
        } else if (shown_[to]) {
            seen.rank.insert(seen.rank.begin() + at, ranks_[index]);
            seen.above.insert(seen.above.begin() + at, index);
            seen.label.insert(seen.label.begin() + at, to);
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
    std::vector<std::int32_t> index_;              // of a document in it
    std::vector<std::size_t> begin_;               // of each set and document, in shown_at_
    std::vector<Shown> shown_at_;
    std::size_t set_ = 0;         // that is open
    std::vector<Looked> looked_;  // of each of its draws
    Looked* seen_ = nullptr;
};

}  // namespace poolwise
