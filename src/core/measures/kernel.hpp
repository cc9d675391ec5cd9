// A measure in the core: a kernel, prepared once for a topic's judgments, scores the topic's rankings. Discounts of
// ranks, by name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace poolwise {

struct DiscountEntry {
    const char* name;
    bool chosen_by_name;  // else a measure's declaration asks for it
    std::size_t numbers;  // how many it takes at least
    double (*at)(double rank, const std::vector<double>& numbers);
};

inline constexpr std::array discount_table{
    DiscountEntry{"log2", true, 0, [](double rank, const std::vector<double>&) { return 1.0 / std::log2(rank + 1.0); }},
    DiscountEntry{"jk", true, 1,  // numbers: the base
                  [](double rank, const std::vector<double>& numbers) {
                      return rank <= numbers[0] ? 1.0 : std::log(numbers[0]) / std::log(rank);
                  }},
    DiscountEntry{"zipf", true, 0, [](double rank, const std::vector<double>&) { return 1.0 / rank; }},
    DiscountEntry{"linear", true, 1,  // numbers: the cut-off
                  [](double rank, const std::vector<double>& numbers) {
                      return std::max(0.0, (numbers[0] + 1.0 - rank) / numbers[0]);
                  }},
    DiscountEntry{"uniform", true, 0, [](double, const std::vector<double>&) { return 1.0; }},
    DiscountEntry{"list", false, 0,  // numbers: one per rank, 0 beyond them
                  [](double rank, const std::vector<double>& numbers) {
                      return rank <= static_cast<double>(numbers.size()) ? numbers[static_cast<std::size_t>(rank) - 1]
                                                                         : 0.0;
                  }},
    DiscountEntry{"geometric", false, 1,  // numbers: the probability to go on to the next rank
                  [](double rank, const std::vector<double>& numbers) {
                      return (1.0 - numbers[0]) * std::pow(numbers[0], rank - 1.0);
                  }},
    DiscountEntry{
        "overlap", false, 1,  // numbers: the same
        [](double rank, const std::vector<double>& numbers) { return std::pow(numbers[0], rank - 1.0) / rank; }},
};

// Discounts of ranks 1 to `depth`; with a cut-off, 0 beyond it.
inline std::vector<double> discounts(const std::string& name, const std::vector<double>& numbers, std::size_t depth,
                                     std::size_t cutoff = 0) {
    for (const DiscountEntry& entry : discount_table) {
        if (name != entry.name) continue;
        if (numbers.size() < entry.numbers) throw std::invalid_argument("discount " + name + " lacks its number");
        std::vector<double> values(depth, 0.0);
        const std::size_t end = cutoff == 0 ? depth : std::min(depth, cutoff);
        for (std::size_t i = 0; i < end; ++i) values[i] = entry.at(static_cast<double>(i + 1), numbers);
        return values;
    }
    throw std::invalid_argument("no discount " + name);
}

// A measure with its parameters, in numbers: labels are numbered in ascending order (their class).
struct Spec {
    std::string kernel;
    bool condensed = false;
    std::uint32_t cutoff = 0;      // 0: none
    std::vector<char> relevant;    // by class
    std::vector<double> gain;      // by class
    std::vector<double> discount;  // by rank - 1, long enough for every list
    std::vector<double> numbers;   // what else the kernel takes, in the order of its comment
    double low = 0.0, high = 1.0;  // the scores there can be, as declared
};

// What a kernel takes, so that whoever makes a Spec can make one that fits; `fuzz` draws them at random.
enum class Gains {
    none,         // it looks at which documents are relevant
    any,          // also negative ones
    positive,     // from 0 on
    of_relevant,  // from 0 on, and 0 for documents that are not relevant
    share,        // from 0 to 1
};
enum class Number {
    none,
    choice,        // 0, 1 or 2
    flag,          // 0 or 1
    weight,        // from 0 on
    real,          // also below 0
    share,         // from 0 to 1
    highest_gain,  // no gain is higher, and it is above 0
};
struct Takes {
    Gains gains = Gains::none;
    std::array<Number, 5> numbers{};
    bool share = true;      // its scores lie between 0 and 1
    bool cutoff = false;    // it cannot do without one
    std::size_t depth = 0;  // it wants discounts at least so far down, however short the lists are

    constexpr std::size_t count() const {
        std::size_t found = 0;
        for (const Number number : numbers) found += number != Number::none;
        return found;
    }
};

struct Stratum {
    double documents = 0;  // judged and pooled ones
    std::uint32_t judged = 0;
    std::int32_t number = 0;  // in the judgments
};

// Labels of a topic's documents for its subtopics, and what is known of each document (its class, below 0: no label).
struct KnownSubtopics {
    const std::uint32_t* begin = nullptr;  // of document d, one more entry than documents; none: no subtopics
    const std::uint32_t* subtopic = nullptr;
    const std::int32_t* label = nullptr;
    const std::int32_t* state = nullptr;
    std::uint32_t documents = 0;
    std::uint32_t count = 0;  // of subtopics
};

// The judgments of one topic. Strata are there when a kernel asks for them.
struct TopicCounts {
    std::vector<std::uint32_t> judged;  // by class
    std::uint32_t pool = 0;             // judged and pooled documents
    std::vector<Stratum> strata;
    std::vector<std::uint32_t> judged_of;  // by stratum, then class
    KnownSubtopics subtopics = {};
};

// The pooled documents of a ranking, judged or not, by rank; there when a kernel asks for strata.
struct PooledDocuments {
    const std::uint32_t* rank = nullptr;
    const std::int32_t* label = nullptr;  // class, -1: not judged
    const std::uint32_t* stratum = nullptr;
    std::uint32_t count = 0;
};

// One ranking as a measure sees it: judged documents by rank, at least those of the classes it looks at. In a condensed
// list the rank is one more than the number of judged documents before.
struct Ranking {
    const std::uint32_t* rank;    // 1-based
    const std::uint32_t* before;  // judged documents ranked higher
    const std::uint32_t* above;   // pooled documents ranked higher, judged ones included
    const std::int32_t* label;    // class
    std::uint32_t count;          // of the documents here
    std::uint32_t judged;         // of all judged documents that were retrieved
    std::uint32_t retrieved;
    PooledDocuments pooled = {};
    const std::uint32_t* document = nullptr;  // by number, where there are subtopics
};

class Kernel {
   public:
    static constexpr Takes takes{};  // kernels that take more have a `takes` of their own

    explicit Kernel(const Spec& spec) : spec_(spec) {}
    virtual ~Kernel() = default;

    virtual void prepare(const TopicCounts& counts) {
        relevant_ = nonrelevant_ = 0;
        for (std::size_t c = 0; c < counts.judged.size(); ++c)
            (spec_.relevant[c] ? relevant_ : nonrelevant_) += counts.judged[c];
    }

    virtual double score(const Ranking& ranking) const = 0;

    // Whether counts by stratum and the pooled documents of rankings must be there.
    virtual bool needs_strata() const { return false; }

    // The classes of judged documents that it must see, by class; others may be left out of rankings.
    virtual std::vector<char> looks_at() const { return spec_.relevant; }

    const Spec& spec() const { return spec_; }

   protected:
    bool relevant(const Ranking& ranking, std::uint32_t i) const { return spec_.relevant[ranking.label[i]] != 0; }

    // How many of the documents here are within the cut-off.
    std::uint32_t within(const Ranking& ranking) const {
        if (spec_.cutoff == 0) return ranking.count;
        std::uint32_t count = 0;
        while (count < ranking.count && ranking.rank[count] <= spec_.cutoff) ++count;
        return count;
    }

    std::vector<char> with_gain() const {
        std::vector<char> classes;
        for (const double gain : spec_.gain) classes.push_back(gain > 0);
        return classes;
    }

    std::vector<char> all_classes() const { return std::vector<char>(spec_.relevant.size(), 1); }

    double share(double sum, double of) const { return of > 0 ? sum / of : 0.0; }

    // Classes with a positive gain, highest gain first: the order of an ideal list.
    std::vector<std::uint32_t> ideal_order() const { return order_by_gain(1.0); }

    // With sign -1: classes with a negative gain, most negative first.
    std::vector<std::uint32_t> order_by_gain(double sign) const {
        std::vector<std::uint32_t> order;
        for (std::uint32_t c = 0; c < spec_.gain.size(); ++c)
            if (sign * spec_.gain[c] > 0) order.push_back(c);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return sign * spec_.gain[a] > sign * spec_.gain[b]; });
        return order;
    }

    const Spec spec_;
    std::uint32_t relevant_ = 0;
    std::uint32_t nonrelevant_ = 0;
};

// A row of the tables of kernels. Each table follows its kernels.
struct Entry {
    const char* name = nullptr;
    std::unique_ptr<Kernel> (*make)(const Spec&) = nullptr;
    Takes takes{};
};

template <class K>
std::unique_ptr<Kernel> make(const Spec& spec) {
    return std::make_unique<K>(spec);
}

template <class K>
constexpr Entry entry(const char* name) {
    return {name, make<K>, K::takes};
}

}  // namespace poolwise
