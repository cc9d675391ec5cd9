// What is known of a topic's documents under an assignment of labels, and a run's list cut down to that.
#pragma once

#include "measures/front.hpp"
#include "pool/front.hpp"
#include "sample_lists.hpp"

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

    // The same for many labels; false if one of them is unknown. Samples have pooled documents at random positions, so
    // nothing here hangs on a branch.
    bool of_all(const std::int32_t* labels, std::size_t count, std::int32_t* classes) const {
        std::int32_t lacking = 0;
        if (table_.empty()) {
            for (std::size_t d = 0; d < count; ++d) classes[d] = of(labels[d]);
        } else {
            const auto first = static_cast<std::uint32_t>(labels_.front());
            const auto size = static_cast<std::uint32_t>(table_.size());
            for (std::size_t d = 0; d < count; ++d) {
                const std::int32_t other = labels[d] == pooled ? -1 : labels[d] == outside ? -2 : unknown;
                const std::uint32_t at = static_cast<std::uint32_t>(labels[d]) - first;
                classes[d] = at < size ? static_cast<std::int32_t>(at) : other;
            }
            if (labels_.size() < table_.size()) look_up(classes, count);
        }
        for (std::size_t d = 0; d < count; ++d) lacking |= static_cast<std::int32_t>(classes[d] == unknown);
        return lacking == 0;
    }

   private:
    // Places in the table become classes. Where labels follow each other without a gap they are the same.
    void look_up(std::int32_t* labels, std::size_t count) const {
        const std::int32_t* const table = table_.data();
        for (std::size_t d = 0; d < count; ++d) {
            const std::int32_t found = table[std::max(labels[d], 0)];
            labels[d] = labels[d] < 0 ? labels[d] : found;
        }
    }

    const std::vector<std::int32_t>& labels_;
    std::vector<std::int32_t> table_;
};

// What is known of a topic's listed documents under one assignment of labels, and the rankings cut down to it. Each
// view shows the judged documents of some classes.
class LabelledTopic {
   public:
    LabelledTopic(const Pool& pool, const std::vector<std::int32_t>& labels,
                  const std::vector<std::vector<char>>& views, bool with_strata)
        : pool_(pool), classes_(labels), number_(labels.size()), with_strata_(with_strata) {
        for (const std::vector<char>& shown : views) {
            views_.emplace_back();
            views_.back().code_of = {0, 0};
            for (const char is_shown : shown) views_.back().code_of.push_back(is_shown != 0 ? 3 : 1);
            lists_.add_view(shown);
        }
    }

    // `strata` of the listed documents may be missing: all are one stratum then.
    void open(std::uint32_t topic, const std::int32_t* labels, const std::int32_t* strata) {
        take_in(topic, labels, 0, 1);
        tally_.resize(number_ + 2);
        count_classes(0);
        for (View& view : views_) {
            view.code.resize(listed_);
            for (std::uint32_t d = 0; d < listed_; ++d) view.code[d] = view.code_of[states_[d] + 2];
        }
        choose(0, strata);
    }

    // Several assignments at once, each `step` labels after the one before; `choose` then says which one counts.
    void open_many(std::uint32_t topic, const std::int32_t* labels, std::size_t step, std::size_t count) {
        take_in(topic, labels, step, count);
        lists_.open(states_.data(), listed_, count);
        tally_.resize(count * (number_ + 2));
        for (std::size_t s = 0; s < count; ++s) count_classes(s);
    }

    // Finds what all of them show of a run's list; `turn_to` then says the index of a list among these.
    void lay_out(const Run& run) {
        const List* list = run.list(topic_);
        const std::size_t begin = list == nullptr ? 0 : list->known_begin;
        lists_.add(run.rank.data() + begin, run.document.data() + begin, list == nullptr ? 0 : list->known);
    }
    void clear_lists() { lists_.clear(); }
    std::size_t laid_out() const { return lists_.size(); }

    // What counts from here on: one of the assignments.
    void choose(std::size_t sample, const std::int32_t* strata) {
        sample_ = sample;
        state_ = states_.data() + sample * listed_;
        const std::uint32_t* const tally = tally_.data() + sample * (number_ + 2);
        counts.judged.assign(tally + 2, tally + 2 + number_);
        counts.pool = listed_ - tally[0];
        all_pooled_ = counts.pool == listed_;
        if (pool_.has_subtopics) {
            const SubtopicLabels& subtopics = pool_.topics[topic_]->subtopics;
            counts.subtopics = {
                subtopics.begin.data(), subtopics.subtopic.data(), subtopics.label.data(), state_, listed_,
                subtopics.names.size()};
        }
        if (with_strata_) open_strata(strata, listed_);
    }

    static constexpr std::size_t not_laid = static_cast<std::size_t>(-1);

    // Takes in a run's list; without one, the empty ranking. `list_index`: of the list among those laid out.
    void turn_to(const Run& run, const List* list, std::size_t list_index = not_laid) {
        list_ = list == nullptr ? List{} : *list;
        rank_ = run.rank.data() + list_.known_begin;
        document_ = run.document.data() + list_.known_begin;
        if (!all_pooled_) count_pooled();
        if (with_strata_) pooled_ = pooled_documents(rank_, document_, list_.known);
        for (std::size_t v = 0; v < views_.size(); ++v) {
            View& view = views_[v];
            if (list_index == not_laid)
                look(view, [&](const auto& put) { return each_shown(view, put); });
            else
                look(view, [&](const auto& put) { return lists_.each(v, list_index, sample_, put); });
        }
    }

    const Ranking& full(std::size_t number) const { return views_[number].full; }
    const Ranking& condensed(std::size_t number) const { return views_[number].condensed; }

    TopicCounts counts;

   private:
    struct View {
        std::vector<std::uint8_t> code_of;  // by class + 2: 0 not judged, 1 judged, 3 shown
        std::vector<std::uint8_t> code;     // of the listed documents
        std::vector<std::uint32_t> rank, before, above, condensed_rank;
        std::vector<std::uint32_t> document;  // where there are subtopics
        std::vector<std::int32_t> label;
        Ranking full{}, condensed{};  // of the list at hand
    };

    // Numbers of the labels; those of one assignment after those of another.
    void take_in(std::uint32_t topic, const std::int32_t* labels, std::size_t step, std::size_t count) {
        topic_ = topic;
        listed_ = pool_.topics[topic]->listed;
        states_.resize(count * listed_);
        for (std::size_t s = 0; s < count; ++s)
            if (!classes_.of_all(labels + s * step, listed_, states_.data() + s * listed_))
                throw std::invalid_argument("a label that the judgments do not have");
    }

    // Documents of each class under an assignment. Four counts each, so that documents of one class do not wait for
    // each other.
    void count_classes(std::size_t sample) {
        const std::size_t known = number_ + 2;  // outside the pool, pooled, then the classes
        const std::int32_t* const state = states_.data() + sample * listed_;
        four_.assign(4 * known, 0);
        std::uint32_t* const tally = four_.data() + 2;
        std::uint32_t d = 0;
        for (; d + 4 <= listed_; d += 4)
            for (std::uint32_t i = 0; i < 4; ++i) ++tally[static_cast<std::ptrdiff_t>(i * known) + state[d + i]];
        for (; d < listed_; ++d) ++tally[state[d]];
        for (std::size_t c = 0; c < known; ++c)
            tally_[sample * known + c] = four_[c] + four_[known + c] + four_[2 * known + c] + four_[3 * known + c];
    }

    // Finds the documents that a view shows, in the order of their ranks. `walk` calls with each of them and how many
    // judged documents are above it, and gives how many of the list are judged.
    template <class Walk>
    void look(View& view, const Walk& walk) const {
        if (all_pooled_)
            look(view, walk, [](std::uint32_t at) { return at; });
        else
            look(view, walk, [above = pooled_above_.data()](std::uint32_t at) { return above[at]; });
    }

    // `above` is how many pooled documents are above a position of the list.
    template <class Walk, class Above>
    void look(View& view, const Walk& walk, const Above& above) const {
        const std::uint32_t known = list_.known;
        if (view.rank.size() < known)
            for (auto* column : {&view.rank, &view.before, &view.above, &view.condensed_rank}) column->resize(known);
        if (view.label.size() < known) view.label.resize(known);
        if (pool_.has_subtopics && view.document.size() < known) view.document.resize(known);
        std::uint32_t *const rank = view.rank.data(), *const befores = view.before.data();
        std::uint32_t *const aboves = view.above.data(), *const condensed_rank = view.condensed_rank.data();
        std::int32_t* const label = view.label.data();
        std::uint32_t* const documents = view.document.empty() ? nullptr : view.document.data();
        std::uint32_t count = 0;
        const std::uint32_t judged = walk([&](const SampleLists::Shown& document, std::uint32_t before) {
            rank[count] = document.rank;
            befores[count] = before;
            condensed_rank[count] = before + 1;
            aboves[count] = above(document.index);
            if (documents != nullptr) documents[count] = document.document;
            label[count++] = state_[document.document];
        });
        view.full = {rank, befores, aboves, label, count, judged, list_.retrieved, pooled_, documents};
        // Without unjudged documents all that are above are judged ones.
        view.condensed = {condensed_rank, befores, befores, label, count, judged, judged, {}, documents};
    }

    // Codes of 32 documents are put into one word, so that most documents cost no branch and no store.
    template <class Put>
    std::uint32_t each_shown(const View& view, const Put& put) const {
        constexpr std::uint64_t low = 0x5555555555555555ULL;
        std::uint32_t judged = 0;
        for (std::uint32_t begin = 0; begin < list_.known; begin += 32) {
            const std::uint64_t word = codes(view, begin, std::min(begin + 32, list_.known));
            for (std::uint64_t shown = word & ~low; shown != 0; shown &= shown - 1) {
                const int bit = lowest_bit(shown);
                const std::uint32_t at = begin + static_cast<std::uint32_t>(bit / 2);
                put({at, rank_[at], document_[at], 0}, judged + count_bits(word & low & ((1ULL << (bit - 1)) - 1)));
            }
            judged += count_bits(word & low);
        }
        return judged;
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
    std::uint32_t topic_ = 0, listed_ = 0;
    std::vector<std::int32_t> states_;     // of the listed documents, one assignment after the other
    const std::int32_t* state_ = nullptr;  // those of the one that counts
    std::size_t sample_ = 0;
    std::vector<std::uint32_t> tally_;  // of documents, by assignment and class + 2
    std::vector<std::uint32_t> four_;   // while they are counted
    SampleLists lists_;                 // of several assignments at once
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

}  // namespace poolwise
