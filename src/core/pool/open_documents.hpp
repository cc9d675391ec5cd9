// Documents that labels do not speak for: how many there are, and where they stand in rankings.
#pragma once

#include <algorithm>
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
class RanksOfRun {
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
struct OpenRanks {
    std::uint32_t a, b;
};

// The open documents of two runs (or one) on one topic, those of both once.
class OpenDocuments {
   public:
    OpenDocuments(const Pool& pool, std::uint32_t depth, bool unjudged)
        : pool_(pool), depth_(depth), unjudged_(unjudged) {}

    // `b` may be negative: one run alone.
    const std::vector<OpenRanks>& of(std::uint32_t topic, std::int32_t a, std::int32_t b, const std::int32_t* labels) {
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
    std::vector<OpenRanks> found_;
    RanksOfRun a_, b_;
};

}  // namespace poolwise
