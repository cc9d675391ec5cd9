// Measures of novelty and diversity: a document may be relevant to some subtopics of its topic and not to others.
// Judgments without subtopics have one per topic. Only subtopics with a relevant document count.
#pragma once

#include "kernels.hpp"

namespace poolwise {

// numbers: the lowest relevant label, and alpha, how much a subtopic loses of its worth each time it is met.
class OverSubtopics : public Kernel {
   public:
    static constexpr Takes takes{Gains::none, {Number::weight, Number::share}};
    using Kernel::Kernel;

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        known_ = counts.subtopics;
        documents_of_.assign(known_.begin == nullptr ? 1 : known_.count, 0);
        if (known_.begin == nullptr) documents_of_[0] = relevant_;
        for (std::uint32_t d = 0; known_.begin != nullptr && d < known_.documents; ++d)
            each_of(d, [&](std::uint32_t subtopic) { ++documents_of_[subtopic]; });
        subtopics_ = 0;
        for (const std::uint32_t documents : documents_of_) subtopics_ += documents > 0;
    }

   protected:
    // Calls with each subtopic that a document is relevant to.
    template <class Call>
    void each_of(std::uint32_t document, Call call) const {
        if (known_.state[document] < 0) return;
        for (std::uint32_t at = known_.begin[document]; at < known_.begin[document + 1]; ++at)
            if (known_.label[at] >= spec_.numbers[0]) call(known_.subtopic[at]);
    }

    // Calls with the rank and each subtopic of the relevant documents down to the cut-off.
    template <class Call>
    void walk(const Ranking& ranking, Call call) const {
        const std::uint32_t depth = within(ranking);
        for (std::uint32_t i = 0; i < depth; ++i) {
            if (!relevant(ranking, i)) continue;
            if (known_.begin == nullptr) {
                call(ranking.rank[i], std::uint32_t{0});
            } else {
                each_of(ranking.document[i], [&](std::uint32_t subtopic) { call(ranking.rank[i], subtopic); });
            }
        }
    }

    KnownSubtopics known_;
    std::vector<std::uint32_t> documents_of_;  // relevant documents of each subtopic
    std::uint32_t subtopics_ = 0;              // of which there is at least one
};

struct StRecall final : OverSubtopics {
    static constexpr Takes takes{Gains::none, {Number::weight, Number::share}, true, true};
    using OverSubtopics::OverSubtopics;
    double score(const Ranking& ranking) const override {
        std::vector<char> met(documents_of_.size(), 0);
        double count = 0.0;
        walk(ranking, [&](std::uint32_t, std::uint32_t subtopic) {
            count += met[subtopic] == 0;
            met[subtopic] = 1;
        });
        return share(count, subtopics_);
    }
};

struct P_IA final : OverSubtopics {
    static constexpr Takes takes{Gains::none, {Number::weight, Number::share}, true, true};
    using OverSubtopics::OverSubtopics;
    double score(const Ranking& ranking) const override {
        double count = 0.0;
        walk(ranking, [&](std::uint32_t, std::uint32_t) { ++count; });
        return share(count, static_cast<double>(spec_.cutoff) * subtopics_);
    }
};

struct AP_IA final : OverSubtopics {
    using OverSubtopics::OverSubtopics;
    double score(const Ranking& ranking) const override {
        std::vector<double> found(documents_of_.size(), 0.0), sum(documents_of_.size(), 0.0);
        walk(ranking, [&](std::uint32_t rank, std::uint32_t subtopic) { sum[subtopic] += ++found[subtopic] / rank; });
        double total = 0.0;
        for (std::size_t s = 0; s < sum.size(); ++s) total += share(sum[s], documents_of_[s]);
        return share(total, subtopics_);
    }
};

// Gains that a subtopic loses as it is met again, discounted by rank: as a share of those of a list whose documents are
// all relevant to every subtopic ("ideal ideal"), or of the greedy ideal list of the judged documents.
class NoveltyGain : public OverSubtopics {
   public:
    using OverSubtopics::OverSubtopics;

    double score(const Ranking& ranking) const override {
        std::vector<double> worth(documents_of_.size(), 1.0);
        double sum = 0.0;
        walk(ranking, [&](std::uint32_t rank, std::uint32_t subtopic) {
            sum += worth[subtopic] * spec_.discount[rank - 1];
            worth[subtopic] *= 1.0 - alpha();
        });
        return share(sum, best_);
    }

   protected:
    double alpha() const { return spec_.numbers[1]; }

    double best_ = 0.0;
};

// Discounts make of these alpha-DCG, ERR-IA and NRBP. A third number is what a subtopic brings that every document of
// an endless list is relevant to.
struct Novelty final : NoveltyGain {
    static constexpr Takes takes{Gains::none, {Number::weight, Number::share, Number::weight}, false};
    using NoveltyGain::NoveltyGain;
    void prepare(const TopicCounts& counts) override {
        OverSubtopics::prepare(counts);
        best_ = spec_.numbers[2] * subtopics_;
    }
};

class NormalisedNovelty final : public NoveltyGain {
   public:
    using NoveltyGain::NoveltyGain;

    void prepare(const TopicCounts& counts) override {
        OverSubtopics::prepare(counts);
        best_ = ideal();
    }

   private:
    // At each rank the document of highest gain, of equal ones that of the highest id, as ndeval has it.
    double ideal() const {
        std::vector<double> worth(documents_of_.size(), 1.0);
        std::vector<std::uint32_t> left;
        for (std::uint32_t d = 0; known_.begin != nullptr && d < known_.documents; ++d) {
            bool any = false;
            each_of(d, [&](std::uint32_t) { any = true; });
            if (any) left.push_back(d);
        }
        if (known_.begin == nullptr) left.resize(relevant_);
        const auto call = [&](std::uint32_t document, auto with) {
            known_.begin == nullptr ? with(std::uint32_t{0}) : each_of(document, with);
        };
        double sum = 0.0;
        const std::size_t depth = spec_.cutoff == 0 ? left.size() : std::min<std::size_t>(left.size(), spec_.cutoff);
        for (std::size_t i = 0; i < depth; ++i) {
            double highest = -1.0;
            std::size_t at = 0;
            for (std::size_t candidate = 0; candidate < left.size(); ++candidate) {
                double gain = 0.0;
                call(left[candidate], [&](std::uint32_t subtopic) { gain += worth[subtopic]; });
                if (gain >= highest) highest = gain, at = candidate;
                if (known_.begin == nullptr) break;  // all are alike
            }
            sum += highest * spec_.discount[i];
            call(left[at], [&](std::uint32_t subtopic) { worth[subtopic] *= 1.0 - alpha(); });
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        }
        return sum;
    }
};

inline constexpr std::array subtopic_kernels{
    entry<StRecall>("StRecall"),
    entry<P_IA>("P_IA"),
    entry<AP_IA>("AP_IA"),
    entry<Novelty>("alpha_DCG"),
    entry<Novelty>("ERR_IA"),
    entry<Novelty>("NRBP"),
    entry<NormalisedNovelty>("alpha_nDCG"),
    entry<NormalisedNovelty>("nERR_IA"),
    entry<NormalisedNovelty>("nNRBP"),
};

}  // namespace poolwise
