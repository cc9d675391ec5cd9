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

// What is known of a topic's listed documents under one assignment of labels, and the rankings cut down to it. Each
// view shows the judged documents of some classes.
class Desk {
   public:
    Desk(const Pool& pool, const std::vector<std::int32_t>& labels, const std::vector<std::vector<char>>& views,
         bool with_strata)
        : pool_(pool), classes_(labels), number_(labels.size()), with_strata_(with_strata) {
        for (const std::vector<char>& shown : views) {
            views_.emplace_back();
            views_.back().shown = shown;
        }
    }

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
        for (View& view : views_) {
            view.code.resize(listed);
            for (std::uint32_t d = 0; d < listed; ++d) view.code[d] = state_[d] < 0 ? 0 : view.shown[state_[d]] ? 3 : 1;
        }
        all_pooled_ = counts.pool == listed;
        if (pool_.has_subtopics) {
            const SubtopicLabels& own = pool_.topics[topic]->subtopics;
            counts.subtopics = {own.begin.data(), own.subtopic.data(), own.label.data(), state_.data(),
                                listed,           own.names.size()};
        }
        if (with_strata_) open_strata(strata, listed);
    }

    // Takes in a run's list; without one, the empty ranking.
    void turn_to(const Run& run, const List* list) {
        list_ = list == nullptr ? List{} : *list;
        rank_ = run.rank.data() + list_.known_begin;
        document_ = run.document.data() + list_.known_begin;
        if (!all_pooled_) count_pooled();
        for (View& view : views_) look(view);
        if (with_strata_) pooled_ = pooled_documents(rank_, document_, list_.known);
    }

    Ranking full(std::size_t number) const {
        const View& view = views_[number];
        return {view.rank.data(), view.before.data(), view.above.data(), view.label.data(),   view.count,
                view.judged,      list_.retrieved,    pooled_,           view.document.data()};
    }

    // Without unjudged documents all that stand above are judged ones.
    Ranking condensed(std::size_t number) const {
        const View& view = views_[number];
        return {view.place.data(),   view.before.data(), view.before.data(), view.label.data(),
                view.count,          view.judged,        view.judged,        {},
                view.document.data()};
    }

    TopicCounts counts;

   private:
    struct View {
        std::vector<char> shown;         // by class
        std::vector<std::uint8_t> code;  // of the listed documents: 1 judged, 3 shown
        std::vector<std::uint32_t> rank, before, above, place;
        std::vector<std::uint32_t> document;  // where there are subtopics
        std::vector<std::int32_t> label;
        std::uint32_t count = 0, judged = 0;
    };

    // Finds the documents that a view shows, in the order of their ranks. Codes of 32 documents are put into one word,
    // so that most documents cost no branch and no store.
    void look(View& view) const {
        const std::uint32_t known = list_.known;
        if (view.rank.size() < known)
            for (auto* column : {&view.rank, &view.before, &view.above, &view.place}) column->resize(known);
        if (view.label.size() < known) view.label.resize(known);
        if (pool_.has_subtopics && view.document.size() < known) view.document.resize(known);
        constexpr std::uint64_t low = 0x5555555555555555ULL;
        std::uint32_t count = 0, judged = 0;
        for (std::uint32_t begin = 0; begin < known; begin += 32) {
            const std::uint64_t word = codes(view, begin, std::min(begin + 32, known));
            for (std::uint64_t shown = word & ~low; shown != 0; shown &= shown - 1) {
                const int bit = lowest_bit(shown);
                const std::uint32_t at = begin + static_cast<std::uint32_t>(bit / 2);
                const std::uint32_t before = judged + count_bits(word & low & ((1ULL << (bit - 1)) - 1));
                view.rank[count] = rank_[at];
                view.before[count] = before;
                view.place[count] = before + 1;
                view.above[count] = all_pooled_ ? at : pooled_above_[at];
                if (!view.document.empty()) view.document[count] = document_[at];
                view.label[count++] = state_[document_[at]];
            }
            judged += count_bits(word & low);
        }
        view.count = count;
        view.judged = judged;
    }

    // Two bits for each of up to 32 documents, the first lowest; in four chains that do not wait for each other.
    std::uint64_t codes(const View& view, std::uint32_t begin, std::uint32_t end) const {
        const std::uint32_t* const document = document_ + begin;
        const std::uint8_t* const code = view.code.data();
        std::uint64_t word = 0;
        if (end - begin == 32) {
            std::uint64_t parts[4] = {0, 0, 0, 0};
            for (int i = 7; i >= 0; --i)
                for (int part = 0; part < 4; ++part) parts[part] = 4 * parts[part] + code[document[8 * part + i]];
            return parts[0] | parts[1] << 16 | parts[2] << 32 | parts[3] << 48;
        }
        for (std::uint32_t i = end - begin; i-- > 0;) word = 4 * word + code[document[i]];
        return word;
    }

    // Pooled documents above each known one, where some are outside the pool.
    void count_pooled() {
        pooled_above_.resize(std::max<std::size_t>(pooled_above_.size(), list_.known));
        std::uint32_t above = 0;
        for (std::uint32_t i = 0; i < list_.known; ++i) {
            pooled_above_[i] = above;
            above += state_[document_[i]] >= -1;
        }
    }

    // Strata may have any numbers; here they are 0, 1, 2, ... in ascending order of those.
    void open_strata(const std::int32_t* strata, std::uint32_t listed) {
        std::vector<std::int32_t> numbers;
        if (strata != nullptr) {
            numbers.assign(strata, strata + listed);
            std::sort(numbers.begin(), numbers.end());
            numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        }
        counts.strata.assign(std::max<std::size_t>(1, numbers.size()), {});
        for (std::size_t s = 0; s < numbers.size(); ++s) counts.strata[s].number = numbers[s];
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
    std::vector<View> views_;
    std::vector<std::int32_t> state_;
    bool all_pooled_ = true;
    List list_{};
    const std::uint32_t* rank_ = nullptr;
    const std::uint32_t* document_ = nullptr;
    PooledDocuments pooled_{};
    std::vector<std::uint32_t> pooled_above_;
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
          desk_(pool, samples.distinct, views_, std::any_of(kernels_.begin(), kernels_.end(), [](const auto& kernel) {
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
        desk_.turn_to(run, list_);
    }

    double value(std::size_t measure) const {
        if (list_ == nullptr && !count_missing_[measure]) return 0.0;
        const std::size_t view = view_of_[measure];
        return kernels_[measure]->score(specs_[measure].condensed ? desk_.condensed(view) : desk_.full(view));
    }

    Ranking ranking() const { return desk_.full(0); }
    const TopicCounts& counts() const { return desk_.counts; }

   private:
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
    Desk desk_;
    std::uint32_t topic_ = 0;
    const List* list_ = nullptr;
};

// Fills values[sample][measure][run][topic], for the runs asked for.
inline void score(const Pool& pool, const std::vector<Spec>& specs, const std::vector<char>& count_missing,
                  const Samples& samples, const std::vector<std::size_t>& runs, std::size_t threads, double* values) {
    const std::size_t topics = pool.topics.size();
    for_each(samples.count * topics, threads, [&](Stopper&) {
        return [&, scorer = Scorer(pool, specs, count_missing, samples)](std::size_t unit) mutable {
            const std::size_t sample = unit % samples.count, topic = unit / samples.count;  // lists stay in the cache
            scorer.open(sample, topic);
            for (std::size_t r = 0; r < runs.size(); ++r) {
                scorer.turn_to(pool.runs[runs[r]]);
                for (std::size_t m = 0; m < specs.size(); ++m)
                    values[((sample * specs.size() + m) * runs.size() + r) * topics + topic] = scorer.value(m);
            }
        };
    });
}

}  // namespace poolwise
