// The pool: topics, their documents, and for each run the ranked documents of each topic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "basics/front.hpp"
#include "reading/front.hpp"

namespace poolwise {

// What is known of a document besides its label.
constexpr std::int32_t pooled = std::numeric_limits<std::int32_t>::min();       // in the pool, not judged
constexpr std::int32_t outside = std::numeric_limits<std::int32_t>::min() + 1;  // not in the pool

// Labels of documents for single subtopics: those of document d stand from begin[d] to begin[d + 1], by subtopic.
struct SubtopicLabels {
    Names names;  // of the topic's subtopics, in byte-wise order
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> document, subtopic;
    std::vector<std::int32_t> label;

    void add(std::uint32_t of, std::string_view name, std::int32_t value) {
        document.push_back(of);
        subtopic.push_back(names.insert(name));
        label.push_back(value);
    }

    // Takes documents by their new numbers (none: they stayed) and puts all in order.
    void finish(const std::vector<std::uint32_t>& now, std::uint32_t documents) {
        const std::vector<std::uint32_t> order_of_names = names.sort();
        for (std::uint32_t& of : document) of = now.empty() ? of : now[of];
        for (std::uint32_t& of : subtopic) of = order_of_names.empty() ? of : order_of_names[of];
        std::vector<std::size_t> order(document.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return document[a] != document[b] ? document[a] < document[b] : subtopic[a] < subtopic[b];
        });
        document = in_order(document, order);
        subtopic = in_order(subtopic, order);
        label = in_order(label, order);
        count(documents);
    }

    void count(std::uint32_t documents) {
        begin.assign(documents + 1, 0);
        for (const std::uint32_t of : document) ++begin[of + 1];
        for (std::uint32_t d = 0; d < documents; ++d) begin[d + 1] += begin[d];
    }

   private:
    template <class T>
    static std::vector<T> in_order(const std::vector<T>& values, const std::vector<std::size_t>& order) {
        std::vector<T> sorted;
        for (const std::size_t at : order) sorted.push_back(values[at]);
        return sorted;
    }
};

// Labels with a decimal point while judgments are read; afterwards all labels are numbered by their values.
constexpr std::int32_t first_real = 1 << 30;

// One topic: documents of the judgments first, in byte-wise order, then those that only runs retrieved.
struct Topic {
    Names documents;
    Filter filter;             // of the listed documents
    std::uint32_t listed = 0;  // how many of them stand in the judgments
    std::vector<std::int32_t> labels;
    std::vector<std::int32_t> strata;
    std::vector<std::int32_t> rounds;
    SubtopicLabels subtopics;
    std::mutex lock;  // held while a run's new documents are added
};

// One run's ranking for one topic, as places in the run's arrays.
struct List {
    std::uint32_t topic;
    std::uint32_t known;      // listed documents it retrieved
    std::uint32_t retrieved;  // all documents it retrieved
    std::size_t known_begin;
    std::size_t all_begin;
};

// A stretch of a run's ranking whose documents have one score.
struct Tie {
    std::uint32_t list;        // its place among the run's lists
    std::uint32_t begin, end;  // places in the ranking, from 0
};

struct Run {
    // Listed documents that the run retrieved, by rank: what every measure needs.
    std::vector<std::uint32_t> rank;
    std::vector<std::uint32_t> document;
    // All documents by rank; kept when the pool keeps all documents.
    std::vector<std::uint32_t> all;
    std::vector<List> lists;
    std::vector<std::int32_t> list_of_topic;  // -1: the run lacks the topic
    std::vector<Tie> tied;                    // by list and place

    std::uint64_t lines = 0;
    std::uint64_t blank = 0;
    std::uint64_t ties = 0;  // documents with the same score as the one before
    std::uint64_t ignored_lines = 0;
    std::uint64_t ignored_topics = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t comments = 0;  // that look like lines of a topic whose name begins with #
    std::uint64_t longer = 0;    // lines of which some fields follow the tag
    std::uint64_t nan = 0;       // scores that are NaN, ranked last

    const List* list(std::uint32_t topic) const {
        const std::int32_t at = list_of_topic[topic];
        return at < 0 ? nullptr : &lists[at];
    }
};

// Whole numbers in numeric order before all other names in byte-wise order.
inline bool topic_before(std::string_view a, std::string_view b) {
    const auto number = [](std::string_view name) {
        return name.find_first_not_of("0123456789") == name.npos && !name.empty() && name.size() < 19;
    };
    const bool a_number = number(a), b_number = number(b);
    if (a_number != b_number) return a_number;
    if (!a_number) return a < b;
    const unsigned long long a_value = std::stoull(std::string(a)), b_value = std::stoull(std::string(b));
    return a_value != b_value ? a_value < b_value : a < b;
}

class Pool {
   public:
    explicit Pool(bool keep_all) : keep_all(keep_all) {}

    const bool keep_all;  // every retrieved document, not only those of the judgments
    std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();  // rankings are cut here
    bool nan_last = false;  // a score that is NaN counts as -inf; else it is a fault
    bool is_cut() const { return depth != std::numeric_limits<std::uint32_t>::max(); }
    Names topic_names;
    std::vector<std::unique_ptr<Topic>> topics;
    std::vector<Run> runs;
    bool has_judgments = false;
    bool has_strata = false;
    bool has_subtopics = false;  // the second column of judgments names them, and a label is the highest of these
    std::vector<std::int32_t> distinct_labels;  // ascending
    std::vector<double> label_values;  // of labels 0, 1, 2, ... where some have a decimal point; else labels are values
    bool large_labels = false;         // some are as large as those that stand for labels with a decimal point
    std::vector<std::size_t> offsets;  // where each topic's listed documents begin in flat arrays
    std::uint64_t label_lines = 0;
    std::uint64_t label_blank = 0;
    std::uint64_t label_duplicates = 0;
    std::uint64_t label_comments = 0;       // that look like labels of a topic whose name begins with #
    std::vector<std::string> label_header;  // comments of the judgments that begin with "# poolwise "

    // A label that stands for a number with a decimal point until all are known.
    std::int32_t label_of(double value) {
        const auto found = real_labels_.try_emplace(value, first_real + static_cast<std::int32_t>(real_values_.size()));
        if (found.second) real_values_.push_back(value);
        return found.first->second;
    }
    bool has_real_labels() const { return !real_values_.empty(); }

    Topic& topic_for(std::string_view name) {
        const std::uint32_t number = topic_names.insert(name);
        if (number == topics.size()) topics.push_back(std::make_unique<Topic>());
        return *topics[number];
    }

    // The topic's number for a run; with judgments, only their topics count.
    std::uint32_t topic_of_run(std::string_view name) {
        if (has_judgments) return topic_names.find(name);
        const std::lock_guard<std::mutex> guard(topics_lock_);
        topic_for(name);
        return topic_names.find(name);
    }

    Topic& topic(std::uint32_t number) {
        if (has_judgments) return *topics[number];
        const std::lock_guard<std::mutex> guard(topics_lock_);
        return *topics[number];
    }

    // Puts topics and listed documents in their final order; runs come after.
    void finish_judgments() {
        has_judgments = true;
        sort_topics();
        if (has_real_labels()) number_labels();
        std::set<std::int32_t> labels;
        offsets.assign(1, 0);
        for (const auto& topic : topics) {
            const std::vector<std::uint32_t> now = topic->documents.sort();
            reorder(*topic, now);
            if (has_subtopics) topic->subtopics.finish(now, topic->documents.size());
            topic->listed = topic->documents.size();
            topic->filter.fill(topic->documents);
            offsets.push_back(offsets.back() + topic->listed);
            std::uint64_t small = 0;  // one bit for each label from 0 to 63
            for (const std::int32_t label : topic->labels) {
                if (label >= 0 && label < 64) {
                    small |= 1ULL << label;
                } else if (label != pooled) {
                    labels.insert(label);
                }
            }
            for (; small != 0; small &= small - 1) labels.insert(lowest_bit(small));
        }
        distinct_labels.assign(labels.begin(), labels.end());
    }

    // Before that: takes runs out again, and with them the documents and topics that only they brought.
    void keep_runs(const std::vector<std::size_t>& numbers) {
        std::vector<Run> left;
        for (const std::size_t number : numbers) left.push_back(std::move(runs.at(number)));
        runs = std::move(left);
        std::vector<char> used(topics.size(), has_judgments);
        std::vector<std::vector<char>> retrieved;
        for (const auto& topic : topics) {
            retrieved.emplace_back(topic->documents.size(), 0);
            std::fill_n(retrieved.back().begin(), topic->listed, 1);
        }
        for (const Run& run : runs)
            for (const List& list : run.lists) {
                used[list.topic] = 1;
                for (std::size_t d = list.all_begin; keep_all && d < list.all_begin + list.retrieved; ++d)
                    retrieved[list.topic][run.all[d]] = 1;
            }
        renumber_documents(retrieved);
        if (!has_judgments) renumber_topics(used);
    }

    // After the last run: numbers that do not depend on the order in which files were read.
    void finish_runs() {
        if (!has_judgments) {
            const std::vector<std::uint32_t> now = sort_topics();
            offsets.assign(topics.size() + 1, 0);
            for (Run& run : runs)
                for (List& list : run.lists) list.topic = now[list.topic];
        }
        std::vector<std::vector<std::uint32_t>> now;
        Stopper stop;
        for (const auto& topic : topics) {
            stop();
            now.push_back(topic->documents.sort(topic->listed));
        }
        for (Run& run : runs) {
            run.list_of_topic.assign(topics.size(), -1);
            for (std::size_t i = 0; i < run.lists.size(); ++i) {
                const List& list = run.lists[i];
                run.list_of_topic[list.topic] = static_cast<std::int32_t>(i);
                if (!keep_all || now[list.topic].empty()) continue;
                for (std::size_t d = list.all_begin; d < list.all_begin + list.retrieved; ++d)
                    run.all[d] = now[list.topic][run.all[d]];
            }
        }
    }

    std::size_t memory() const {
        std::size_t bytes = topic_names.memory();
        for (const auto& topic : topics)
            bytes += topic->documents.memory() + topic->filter.memory() +
                     (topic->labels.capacity() * 3) * sizeof(std::int32_t) + sizeof(Topic);
        for (const Run& run : runs)
            bytes += (run.rank.capacity() + run.document.capacity() + run.all.capacity()) * sizeof(std::uint32_t) +
                     run.lists.capacity() * sizeof(List) + run.list_of_topic.capacity() * sizeof(std::int32_t) +
                     run.tied.capacity() * sizeof(Tie);
        return bytes;
    }

   private:
    // Labels become places among all values, in ascending order.
    void number_labels() {
        const auto value = [&](std::int32_t label) {
            return label >= first_real ? real_values_[label - first_real] : static_cast<double>(label);
        };
        std::map<double, std::int32_t> indices;
        for (const auto& topic : topics)
            for (const std::int32_t label : topic->labels)
                if (label != pooled) indices.emplace(value(label), 0);
        for (auto& [number, index] : indices) {
            index = static_cast<std::int32_t>(label_values.size());
            label_values.push_back(number);
        }
        for (const auto& topic : topics)
            for (std::int32_t& label : topic->labels)
                if (label != pooled) label = indices[value(label)];
    }

    void renumber_documents(const std::vector<std::vector<char>>& used) {
        std::vector<std::vector<std::uint32_t>> now;
        for (std::size_t t = 0; t < topics.size(); ++t) now.push_back(topics[t]->documents.keep(used[t]));
        for (Run& run : runs)
            for (const List& list : run.lists)
                for (std::size_t d = list.all_begin; keep_all && d < list.all_begin + list.retrieved; ++d)
                    run.all[d] = now[list.topic][run.all[d]];
    }

    void renumber_topics(const std::vector<char>& used) {
        const std::vector<std::uint32_t> now = topic_names.keep(used);
        std::vector<std::unique_ptr<Topic>> left;
        for (std::size_t t = 0; t < topics.size(); ++t)
            if (used[t]) left.push_back(std::move(topics[t]));
        topics = std::move(left);
        for (Run& run : runs)
            for (List& list : run.lists) list.topic = now[list.topic];
    }

    std::vector<std::uint32_t> sort_topics() {
        std::vector<std::uint32_t> order(topics.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return topic_before(topic_names[a], topic_names[b]); });
        std::vector<std::unique_ptr<Topic>> sorted;
        for (const std::uint32_t number : order) sorted.push_back(std::move(topics[number]));
        topics = std::move(sorted);
        return topic_names.renumber(order);
    }

    static void reorder(Topic& topic, const std::vector<std::uint32_t>& now) {
        if (now.empty()) return;
        for (std::vector<std::int32_t>* column : {&topic.labels, &topic.strata, &topic.rounds}) {
            if (column->empty()) continue;
            std::vector<std::int32_t> sorted(column->size());
            for (std::size_t old = 0; old < now.size(); ++old) sorted[now[old]] = (*column)[old];
            *column = std::move(sorted);
        }
    }

    std::mutex topics_lock_;
    std::map<double, std::int32_t> real_labels_;
    std::vector<double> real_values_;
};

}  // namespace poolwise
