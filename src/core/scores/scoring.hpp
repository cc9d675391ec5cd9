// Scores of all runs on all topics, for one or many assignments of labels to the same pool.
#pragma once

#include "basics/front.hpp"
#include "labelled_topic.hpp"
#include "measures/front.hpp"

namespace poolwise {

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
    // `count_missing` says which measures look at topics that a run lacks; all others are 0 there. `see_all` is for
    // callers that ask for the ranking of all judged documents.
    Scorer(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
           const Samples& samples, bool see_all = false)
        : pool_(pool),
          specs_(specs),
          count_missing_(count_missing),
          samples_(samples),
          kernels_(make_kernels(specs)),
          views_(see_all ? 1 : 0, std::vector<char>(samples.distinct.size(), 1)),
          view_of_(find_views()),
          labelled_(pool, samples.distinct, views_,
                    std::any_of(kernels_.begin(), kernels_.end(),
                                [](const auto& kernel) { return kernel->needs_strata(); })) {}

    void open(std::size_t sample, std::size_t topic) {
        const std::size_t at = sample * pool_.offsets.back() + pool_.offsets[topic];
        topic_ = static_cast<std::uint32_t>(topic);
        labelled_.open(topic_, samples_.labels + at, samples_.strata == nullptr ? nullptr : samples_.strata + at);
        for (auto& kernel : kernels_) kernel->prepare(labelled_.counts);
    }

    void turn_to(const Run& run, std::size_t list_index = LabelledTopic::not_laid) {
        list_ = run.list(topic_);
        labelled_.turn_to(run, list_, list_index);
    }

    // Up to 32 samples at once: calls visit(sample, run) for each of them and of the runs, `run` being the position in
    // these. What they show of all lists is found first, in portions that stay in the cache.
    template <class Visit>
    void each_of(std::size_t first, std::size_t count, std::size_t topic, const std::vector<std::size_t>& runs,
                 const Visit& visit) {
        const std::size_t step = pool_.offsets.back(), at = first * step + pool_.offsets[topic];
        topic_ = static_cast<std::uint32_t>(topic);
        labelled_.open_many(topic_, samples_.labels + at, step, count);
        const auto run_at = [&](std::size_t r) -> const Run& { return pool_.runs[runs[r]]; };
        for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
            labelled_.clear_lists();
            for (; end < runs.size() && (end == begin || labelled_.laid_out() < most_laid_out); ++end)
                labelled_.lay_out(run_at(end));
            for (std::size_t s = 0; s < count; ++s) {
                labelled_.choose(s, samples_.strata == nullptr ? nullptr : samples_.strata + at + s * step);
                for (auto& kernel : kernels_) kernel->prepare(labelled_.counts);
                for (std::size_t r = begin; r < end; ++r) {
                    turn_to(run_at(r), r - begin);
                    visit(first + s, r);
                }
            }
        }
    }

    double value(std::size_t measure) const {
        if (list_ == nullptr && !count_missing_[measure]) return 0.0;
        const std::size_t view = view_of_[measure];
        return kernels_[measure]->score(specs_[measure].condensed ? labelled_.condensed(view) : labelled_.full(view));
    }

    Ranking ranking() const { return labelled_.full(0); }
    const TopicCounts& counts() const { return labelled_.counts; }

   private:
    static constexpr std::size_t most_laid_out =
        1 << 15;  // documents, of 48 bytes each: 1.5 MB, what a second-level cache holds

    static std::vector<std::unique_ptr<Kernel>> make_kernels(const std::vector<Spec>& specs) {
        std::vector<std::unique_ptr<Kernel>> kernels;
        for (const Spec& spec : specs) kernels.push_back(make_kernel(spec));
        return kernels;
    }

    // Kernels that look at the same classes share a view.
    std::vector<std::size_t> find_views() {
        std::vector<std::size_t> numbers;
        for (const auto& kernel : kernels_) {
            const std::vector<char> classes = kernel->looks_at();
            const auto found = std::find(views_.begin(), views_.end(), classes);
            numbers.push_back(static_cast<std::size_t>(found - views_.begin()));
            if (found == views_.end()) views_.push_back(classes);
        }
        return numbers;
    }

    const Pool& pool_;
    const std::vector<Spec>& specs_;
    const std::vector<char>& count_missing_;
    const Samples& samples_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<std::vector<char>> views_;
    std::vector<std::size_t> view_of_;  // by measure
    LabelledTopic labelled_;
    std::uint32_t topic_ = 0;
    const List* list_ = nullptr;
};

// Fills values[sample][measure][run][topic], for the runs asked for.
inline void score(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                  const Samples& samples, const std::vector<std::size_t>& runs, std::size_t threads, double* values) {
    const std::size_t topics = pool.topics.size();
    // Many samples are scored together, unless that leaves threads without work.
    const std::size_t groups = (samples.count + SampleLists::most - 1) / SampleLists::most;
    const bool together = samples.count >= SampleLists::worth && (threads < 2 || groups * topics >= 4 * threads);
    const std::size_t units = together ? groups : samples.count;
    for_each(units * topics, threads, [&](Stopper&) {
        return [&, scorer = Scorer(pool, specs, count_missing, samples)](std::size_t unit) mutable {
            const std::size_t number = unit % units, topic = unit / units;  // lists stay in the cache
            const auto store = [&](std::size_t sample, std::size_t r) {
                for (std::size_t m = 0; m < specs.size(); ++m)
                    values[((sample * specs.size() + m) * runs.size() + r) * topics + topic] = scorer.value(m);
            };
            if (together) {
                const std::size_t first = number * SampleLists::most;
                scorer.each_of(first, std::min(SampleLists::most, samples.count - first), topic, runs, store);
                return;
            }
            scorer.open(number, topic);
            for (std::size_t r = 0; r < runs.size(); ++r) {
                scorer.turn_to(pool.runs[runs[r]]);
                store(number, r);
            }
        };
    });
}

}  // namespace poolwise
