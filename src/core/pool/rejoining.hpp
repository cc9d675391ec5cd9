// Judgments and runs that a pool holds, joined anew: the judgments of one with runs read again, or runs with other
// judgments.
#pragma once

#include "narrowing.hpp"

namespace poolwise {

// The judgments of a pool, and what was counted while they were read, in a pool without runs.
inline std::shared_ptr<Pool> labels_alone(const Pool& from, bool keep_all) {
    auto pool = std::make_shared<Pool>(keep_all);
    pool->depth = from.depth;
    pool->nan_last = from.nan_last;
    pool->topic_names = from.topic_names;
    pool->has_judgments = from.has_judgments;
    pool->has_strata = from.has_strata;
    pool->has_subtopics = from.has_subtopics;
    pool->distinct_labels = from.distinct_labels;
    pool->label_values = from.label_values;
    pool->offsets = from.offsets;
    pool->label_lines = from.label_lines;
    pool->label_blank = from.label_blank;
    pool->label_duplicates = from.label_duplicates;
    pool->label_comments = from.label_comments;
    pool->label_header = from.label_header;
    for (const auto& topic : from.topics) {
        if (topic->documents.size() == topic->listed) {
            pool->topics.push_back(copied(*topic));
            continue;
        }
        std::vector<std::uint32_t> now(topic->listed);
        std::iota(now.begin(), now.end(), 0u);
        pool->topics.push_back(TopicCut(*topic, now).made(from.has_subtopics));
    }
    return pool;
}

// Gives runs of a pool that keeps all documents to one that has judgments; topics that these lack are ignored.
class RunGiver {
   public:
    RunGiver(const Pool& from, Pool& to) : from_(from), to_(to), now_(from.topics.size()) {
        for (std::uint32_t t = 0; t < from.topics.size(); ++t)
            topics_.push_back(to.topic_names.find(from.topic_names[t]));
    }

    void give(std::size_t from, std::size_t to) {
        const Run& source = from_.runs.at(from);
        Run& run = to_.runs.at(to) = Run{};
        run.lines = source.lines, run.blank = source.blank, run.ties = source.ties;
        run.ignored_lines = source.ignored_lines, run.ignored_topics = source.ignored_topics;
        run.duplicates = source.duplicates, run.comments = source.comments;
        run.longer = source.longer, run.nan = source.nan;
        std::vector<std::uint32_t> lists(source.lists.size(), Names::none);
        for (std::size_t i = 0; i < source.lists.size(); ++i) {
            if (topics_[source.lists[i].topic] == Names::none) {
                ++run.ignored_topics;
                run.ignored_lines += source.lists[i].retrieved;
                continue;
            }
            lists[i] = static_cast<std::uint32_t>(run.lists.size());
            run.lists.push_back(given(source, source.lists[i], run));
        }
        for (const Tie& tie : source.tied)
            if (lists[tie.list] != Names::none) run.tied.push_back({lists[tie.list], tie.begin, tie.end});
    }

   private:
    List given(const Run& source, const List& list, Run& run) {
        List made{topics_[list.topic], 0, list.retrieved, run.rank.size(), run.all.size()};
        Topic& topic = *to_.topics[made.topic];
        const Names& names = from_.topics[list.topic]->documents;
        std::vector<std::uint32_t>& now = now_[list.topic];
        now.resize(names.size(), Names::none);
        for (std::uint32_t i = 0; i < list.retrieved; ++i) {
            std::uint32_t& number = now[source.all[list.all_begin + i]];
            if (number == Names::none) {
                const std::string_view name = names[source.all[list.all_begin + i]];
                number = topic.documents.insert(hash_name(name.data(), name.size()), name);
            }
            run.all.push_back(number);
            if (number >= topic.listed) continue;
            run.rank.push_back(i + 1);
            run.document.push_back(number);
        }
        made.known = static_cast<std::uint32_t>(run.rank.size() - made.known_begin);
        return made;
    }

    const Pool& from_;
    Pool& to_;
    std::vector<std::uint32_t> topics_;            // of the first, by the numbers of the second
    std::vector<std::vector<std::uint32_t>> now_;  // the same of documents, topic by topic; none until one is given
};

// Whether two readings of a run, of one pool's judgments, found the same as far as judgments list it.
inline bool is_same_reading(const Run& a, const Run& b) {
    const auto same_list = [](const List& x, const List& y) {
        return x.topic == y.topic && x.known == y.known && x.retrieved == y.retrieved;
    };
    const auto same_tie = [](const Tie& x, const Tie& y) {
        return x.list == y.list && x.begin == y.begin && x.end == y.end;
    };
    return a.lines == b.lines && a.ties == b.ties && a.ignored_lines == b.ignored_lines && a.rank == b.rank &&
           a.document == b.document &&
           std::equal(a.lists.begin(), a.lists.end(), b.lists.begin(), b.lists.end(), same_list) &&
           std::equal(a.tied.begin(), a.tied.end(), b.tied.begin(), b.tied.end(), same_tie);
}

}  // namespace poolwise
