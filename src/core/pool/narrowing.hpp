// Parts of a pool: a few runs alone with judgments of what they retrieved and nothing else, or some of the topics.
#pragma once

#include "pool.hpp"

namespace poolwise {

// Cuts a topic down to some of its listed documents; `now` gives each of the old ones its new number, or none.
class TopicCut {
   public:
    TopicCut(const Topic& from, const std::vector<std::uint32_t>& now) : from_(from), now_(now) {}

    std::unique_ptr<Topic> made(bool has_subtopics) const {
        auto topic = std::make_unique<Topic>();
        topic->documents.reserve(from_.listed);
        for (std::uint32_t d = 0; d < from_.listed; ++d) {
            if (now_[d] == Names::none) continue;
            const std::string_view name = from_.documents[d];  // of names that are kept with their padding
            topic->documents.insert(hash_name(name.data(), name.size()), name);
        }
        topic->listed = topic->documents.size();
        topic->filter.fill(topic->documents);
        topic->labels = of_listed(from_.labels);
        topic->strata = of_listed(from_.strata);
        topic->rounds = of_listed(from_.rounds);
        if (has_subtopics) cut_subtopics(topic->subtopics, topic->listed);
        return topic;
    }

   private:
    std::vector<std::int32_t> of_listed(const std::vector<std::int32_t>& column) const {
        std::vector<std::int32_t> left;
        for (std::size_t d = 0; d < column.size(); ++d)
            if (now_[d] != Names::none) left.push_back(column[d]);
        return left;
    }

    void cut_subtopics(SubtopicLabels& left, std::uint32_t listed) const {
        const SubtopicLabels& all = from_.subtopics;
        left.names = all.names;
        for (std::size_t i = 0; i < all.document.size(); ++i) {
            if (now_[all.document[i]] == Names::none) continue;
            left.document.push_back(now_[all.document[i]]);
            left.subtopic.push_back(all.subtopic[i]);
            left.label.push_back(all.label[i]);
        }
        left.count(listed);
    }

    const Topic& from_;
    const std::vector<std::uint32_t>& now_;
};

// The new numbers of a topic's listed documents, in their old order: of those that one of the runs retrieved.
inline std::vector<std::uint32_t> numbers_of_retrieved(const Pool& pool, const std::vector<std::uint32_t>& runs,
                                                       std::uint32_t topic) {
    std::vector<std::uint32_t> now(pool.topics[topic]->listed, Names::none);
    for (const std::uint32_t r : runs) {
        const Run& run = pool.runs.at(r);
        const List* const list = run.list(topic);
        if (list == nullptr) continue;
        for (std::size_t i = list->known_begin; i < list->known_begin + list->known; ++i) now[run.document[i]] = 0;
    }
    std::uint32_t next = 0;
    for (std::uint32_t& number : now)
        if (number != Names::none) number = next++;
    return now;
}

// Labels keep their numbers and values, also those that none of the documents left has.
inline std::shared_ptr<Pool> narrowed(const Pool& pool, const std::vector<std::uint32_t>& runs) {
    auto left = std::make_shared<Pool>(false);
    left->depth = pool.depth;
    left->nan_last = pool.nan_last;
    left->topic_names = pool.topic_names;
    left->has_judgments = pool.has_judgments;
    left->has_strata = pool.has_strata;
    left->has_subtopics = pool.has_subtopics;
    left->distinct_labels = pool.distinct_labels;
    left->label_values = pool.label_values;
    for (const std::uint32_t r : runs) left->runs.push_back(pool.runs.at(r));
    for (Run& run : left->runs) run.all.clear();
    left->offsets.assign(1, 0);
    for (std::uint32_t t = 0; t < pool.topics.size(); ++t) {
        const std::vector<std::uint32_t> now = numbers_of_retrieved(pool, runs, t);
        left->topics.push_back(TopicCut(*pool.topics[t], now).made(pool.has_subtopics));
        left->offsets.push_back(left->offsets.back() + left->topics.back()->listed);
        for (Run& run : left->runs) {
            const List* const list = run.list(t);
            if (list == nullptr) continue;
            for (std::size_t i = list->known_begin; i < list->known_begin + list->known; ++i)
                run.document[i] = now[run.document[i]];
        }
    }
    return left;
}

inline std::unique_ptr<Topic> copied(const Topic& from) {
    auto topic = std::make_unique<Topic>();
    topic->documents = from.documents;
    topic->filter = from.filter;
    topic->listed = from.listed;
    topic->labels = from.labels;
    topic->strata = from.strata;
    topic->rounds = from.rounds;
    topic->subtopics = from.subtopics;
    return topic;
}

inline void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from, std::size_t begin,
                   std::size_t size) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(size));
}

// A run's lists for some topics, by their old numbers.
inline Run on_topics(const Run& run, const std::vector<std::uint32_t>& topics) {
    Run left;
    left.list_of_topic.assign(topics.size(), -1);
    std::vector<std::int32_t> now(run.lists.size(), -1);
    for (std::uint32_t t = 0; t < topics.size(); ++t) {
        const List* const list = run.list(topics[t]);
        if (list == nullptr) continue;
        now[list - run.lists.data()] = left.list_of_topic[t] = static_cast<std::int32_t>(left.lists.size());
        left.lists.push_back({t, list->known, list->retrieved, left.rank.size(), left.all.size()});
        append(left.rank, run.rank, list->known_begin, list->known);
        append(left.document, run.document, list->known_begin, list->known);
        if (!run.all.empty()) append(left.all, run.all, list->all_begin, list->retrieved);
    }
    for (const Tie& tie : run.tied)
        if (now[tie.list] >= 0) left.tied.push_back({static_cast<std::uint32_t>(now[tie.list]), tie.begin, tie.end});
    return left;
}

// The pool of some topics, given by ascending numbers. Labels are those that occur in them, unless labels are places of
// values; what was counted while lines were read, and comments of the judgments, stay behind.
inline std::shared_ptr<Pool> on_topics(const Pool& pool, const std::vector<std::uint32_t>& topics) {
    auto left = std::make_shared<Pool>(pool.keep_all);
    left->depth = pool.depth;
    left->nan_last = pool.nan_last;
    left->has_judgments = pool.has_judgments;
    left->has_strata = pool.has_strata;
    left->has_subtopics = pool.has_subtopics;
    left->label_values = pool.label_values;
    left->offsets.assign(1, 0);
    std::set<std::int32_t> labels;
    for (const std::uint32_t t : topics) {
        left->topic_names.insert(pool.topic_names[t]);
        left->topics.push_back(copied(*pool.topics.at(t)));
        left->offsets.push_back(left->offsets.back() + left->topics.back()->listed);
        for (const std::int32_t label : left->topics.back()->labels)
            if (label != pooled) labels.insert(label);
    }
    left->distinct_labels.assign(labels.begin(), labels.end());
    if (!pool.label_values.empty()) left->distinct_labels = pool.distinct_labels;
    for (const Run& run : pool.runs) left->runs.push_back(on_topics(run, topics));
    return left;
}

}  // namespace poolwise
