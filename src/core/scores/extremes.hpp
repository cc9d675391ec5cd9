// What bounds are made of: a ranking with open labels, and something that finds the extremes of a measure over them.
#pragma once

#include "measures/front.hpp"

namespace poolwise {

struct Range {
    double low, high;
};

// A ranking in which the labels of some documents are open.
struct OpenRanking {
    std::vector<std::int32_t> label;  // class by rank - 1, -1: open
    std::vector<std::uint32_t> open;  // ranks, ascending

    void set(const Ranking& ranking) {
        label.assign(ranking.retrieved, -1);
        for (std::uint32_t i = 0; i < ranking.count; ++i) label[ranking.rank[i] - 1] = ranking.label[i];
        open.clear();
        for (std::uint32_t rank = 1; rank <= ranking.retrieved; ++rank)
            if (label[rank - 1] < 0) open.push_back(rank);
    }
};

// The extremes of a measure: prepared once for a topic, then asked for every ranking that has open documents.
class Extremes {
   public:
    explicit Extremes(const Spec& spec) : spec_(spec) {}
    virtual ~Extremes() = default;

    virtual void prepare(const TopicCounts& counts) { counts_ = &counts; }

    // `value` is the score as things stand.
    virtual Range range(const OpenRanking& ranking, double value) = 0;

    // Whether some labels reach the bounds; outer bounds are only sure to hold every score.
    virtual bool exact() const { return true; }

   protected:
    const Spec spec_;
    const TopicCounts* counts_ = nullptr;
};

}  // namespace poolwise
