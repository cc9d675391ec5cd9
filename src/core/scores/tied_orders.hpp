// Orders that tied documents may have, and means over all of them that need no order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pool/front.hpp"

namespace poolwise {

// One run's ranking of one topic, of which some stretches are tied; writes it anew in other orders.
class Orders {
   public:
    static constexpr std::uint32_t unlisted = 0xFFFFFFFFu;

    struct Group {
        std::uint32_t begin, end;  // positions, from 0
        std::uint32_t size() const { return end - begin; }
    };

    // Whether the ranking has ties at all.
    bool set(const Run& run, std::uint32_t topic) {
        groups_.clear();
        const std::int32_t at = run.list_of_topic[topic];
        if (at < 0) return false;
        const auto first = std::partition_point(run.tied.begin(), run.tied.end(), [&](const Tie& tie) {
            return tie.list < static_cast<std::uint32_t>(at);
        });
        for (auto tie = first; tie != run.tied.end() && tie->list == static_cast<std::uint32_t>(at); ++tie)
            groups_.push_back({tie->begin, tie->end});
        if (groups_.empty()) return false;
        const List& list = run.lists[at];
        as_ranked_.assign(list.retrieved, unlisted);
        for (std::uint32_t i = 0; i < list.known; ++i)
            as_ranked_[run.rank[list.known_begin + i] - 1] = run.document[list.known_begin + i];
        written_.lists = {List{topic, list.known, list.retrieved, 0, 0}};
        written_.list_of_topic.assign(run.list_of_topic.size(), -1);
        written_.list_of_topic[topic] = 0;
        order_ = as_ranked_;
        return true;
    }

    const std::vector<Group>& groups() const { return groups_; }
    std::vector<std::uint32_t>& order() { return order_; }
    const std::vector<std::uint32_t>& as_ranked() const { return as_ranked_; }
    void restore() { order_ = as_ranked_; }

    // The ranking in the order that was made last.
    const Run& run() {
        written_.rank.clear();
        written_.document.clear();
        for (std::uint32_t index = 0; index < order_.size(); ++index) {
            if (order_[index] == unlisted) continue;
            written_.rank.push_back(index + 1);
            written_.document.push_back(order_[index]);
        }
        return written_;
    }

    // How many orders there are, up to `most`.
    std::size_t count(std::size_t most) const {
        std::size_t found = 1;
        for (const Group& group : groups_)
            for (std::size_t factor = 2; factor <= group.size(); ++factor) {
                found *= factor;
                if (found > most) return most + 1;
            }
        return found;
    }

   private:
    std::vector<Group> groups_;
    std::vector<std::uint32_t> as_ranked_, order_;  // documents by position
    Run written_;
};

// How the mean over all orders is found.
enum class Expectation {
    linear,     // a sum over documents of what each adds at its rank
    precision,  // AP
    first,      // RR
    any,        // Success
    sampled,    // nobody has worked it out
};

struct ExpectationEntry {
    const char* name;
    Expectation kind;
};

inline constexpr std::array expectation_table{
    ExpectationEntry{"P", Expectation::linear},
    ExpectationEntry{"R", Expectation::linear},
    ExpectationEntry{"Rprec", Expectation::linear},
    ExpectationEntry{"RelativeP", Expectation::linear},
    ExpectationEntry{"Judged", Expectation::linear},
    ExpectationEntry{"Unjudged", Expectation::linear},
    ExpectationEntry{"RBP", Expectation::linear},
    ExpectationEntry{"RBPres", Expectation::linear},
    ExpectationEntry{"DCG", Expectation::linear},
    ExpectationEntry{"IDCG", Expectation::linear},
    ExpectationEntry{"nDCG", Expectation::linear},
    ExpectationEntry{"RnDCG", Expectation::linear},
    ExpectationEntry{"SetP", Expectation::linear},
    ExpectationEntry{"SetR", Expectation::linear},
    ExpectationEntry{"SetF", Expectation::linear},
    ExpectationEntry{"SetAP", Expectation::linear},
    ExpectationEntry{"SetRelativeP", Expectation::linear},
    ExpectationEntry{"Utility", Expectation::linear},
    ExpectationEntry{"NumQ", Expectation::linear},
    ExpectationEntry{"NumRet", Expectation::linear},
    ExpectationEntry{"NumRel", Expectation::linear},
    ExpectationEntry{"NumRelRet", Expectation::linear},
    ExpectationEntry{"NumNonrelRet", Expectation::linear},
    ExpectationEntry{"AP", Expectation::precision},
    ExpectationEntry{"RR", Expectation::first},
    ExpectationEntry{"Success", Expectation::any},
};

inline Expectation expectation_of(const std::string& kernel) {
    for (const ExpectationEntry& entry : expectation_table)
        if (kernel == entry.name) return entry.kind;
    return Expectation::sampled;
}

// A stretch of a ranking in any order: so many documents, so many of them relevant.
struct Stretch {
    std::uint32_t size, relevant;
};

inline double expected_precision(const std::vector<Stretch>& stretches, std::uint32_t cutoff, double relevant) {
    double sum = 0.0, found = 0.0;
    std::uint32_t rank = 0;  // of the document before the stretch
    for (const Stretch& stretch : stretches) {
        const double r = stretch.relevant, n = stretch.size;
        for (std::uint32_t i = 0; i < stretch.size; ++i) {
            if (cutoff > 0 && rank + i >= cutoff) break;
            const double others = n > 1 ? i * (r - 1) / (n - 1) : 0.0;  // relevant ones before it in the stretch
            sum += r / n * (found + 1 + others) / (rank + i + 1);
        }
        found += r;
        rank += stretch.size;
    }
    return relevant > 0 ? sum / relevant : 0.0;
}

inline double expected_first(const std::vector<Stretch>& stretches, std::uint32_t cutoff) {
    std::uint32_t rank = 0;
    for (const Stretch& stretch : stretches) {
        const double r = stretch.relevant;
        double sum = 0.0, none = 1.0;  // the chance that all before are not relevant
        for (std::uint32_t i = 0; r > 0 && i + stretch.relevant <= stretch.size; ++i) {
            const double left = stretch.size - i;
            if (cutoff == 0 || rank + i < cutoff) sum += none * r / left / (rank + i + 1);
            none *= (left - r) / left;
        }
        if (r > 0) return sum;
        rank += stretch.size;
    }
    return 0.0;
}

inline double expected_any(const std::vector<Stretch>& stretches, std::uint32_t cutoff) {
    std::uint32_t rank = 0;
    for (const Stretch& stretch : stretches) {
        if (rank >= cutoff) break;
        const std::uint32_t within = std::min(stretch.size, cutoff - rank);
        double none = 1.0;
        for (std::uint32_t i = 0; i < within; ++i) {
            const double left = stretch.size - i;
            none *= std::max(0.0, left - stretch.relevant) / left;
        }
        if (stretch.relevant > 0) return 1.0 - none;
        rank += stretch.size;
    }
    return 0.0;
}

}  // namespace poolwise
