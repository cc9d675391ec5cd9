// What is in a pool: names, labels, lists.
#include "border.hpp"
#include "pool/front.hpp"

namespace poolwise {
namespace {

std::vector<nb::bytes> topic_names(const Pool& pool) {
    std::vector<nb::bytes> names;
    for (std::uint32_t t = 0; t < pool.topic_names.size(); ++t) names.push_back(to_bytes(pool.topic_names[t]));
    return names;
}

std::vector<nb::bytes> first_names(const Names& documents, std::uint32_t count) {
    std::vector<nb::bytes> names;
    for (std::uint32_t d = 0; d < count; ++d) names.push_back(to_bytes(documents[d]));
    return names;
}

// The topic's documents, those of the judgments first.
std::vector<nb::bytes> document_names(const Pool& pool, std::uint32_t topic) {
    check_whole(pool);
    const Names& documents = pool.topics.at(topic)->documents;
    return first_names(documents, documents.size());
}

// Those of the judgments alone.
std::vector<nb::bytes> listed_names(const Pool& pool, std::uint32_t topic) {
    return first_names(pool.topics.at(topic)->documents, pool.topics[topic]->listed);
}

View<std::int32_t> flat(const Pool& pool, std::vector<std::int32_t> Topic::* column) {
    std::vector<std::int32_t> values;
    for (const auto& topic : pool.topics) {
        const auto& part = (*topic).*column;
        values.insert(values.end(), part.begin(), part.end());
    }
    return hand_over(std::move(values));
}

// A view of the pool's own memory, as offsets are asked for topic by topic; it keeps the pool alive.
View<const std::int64_t> offsets(nb::handle_t<Pool> self) {
    static_assert(sizeof(std::size_t) == sizeof(std::int64_t), "offsets are seen as int64");
    const Pool& pool = nb::cast<const Pool&>(self);
    return {reinterpret_cast<const std::int64_t*>(pool.offsets.data()), {pool.offsets.size()}, self};
}

// How many documents each run retrieved for each topic; 0: the run lacks the topic.
View<std::int32_t, 2> retrieved(const Pool& pool) {
    std::vector<std::int32_t> counts(pool.runs.size() * pool.topics.size(), 0);
    for (std::size_t r = 0; r < pool.runs.size(); ++r)
        for (const List& list : pool.runs[r].lists) counts[r * pool.topics.size() + list.topic] = list.retrieved;
    return hand_over(std::move(counts), {pool.runs.size(), pool.topics.size()});
}

// RanksOfRun and numbers of the listed documents a run retrieved for a topic.
std::tuple<View<std::uint32_t>, View<std::uint32_t>> known_documents(const Pool& pool, std::size_t run,
                                                                     std::uint32_t topic) {
    std::vector<std::uint32_t> ranks, documents;
    check_topic(pool, topic);
    if (const List* list = pool.runs.at(run).list(topic)) {
        const Run& source = pool.runs[run];
        ranks.assign(source.rank.begin() + list->known_begin, source.rank.begin() + list->known_begin + list->known);
        documents.assign(source.document.begin() + list->known_begin,
                         source.document.begin() + list->known_begin + list->known);
    }
    return {hand_over(std::move(ranks)), hand_over(std::move(documents))};
}

// Numbers of all documents a run retrieved for a topic, by rank.
View<std::uint32_t> all_documents(const Pool& pool, std::size_t run, std::uint32_t topic) {
    std::vector<std::uint32_t> documents;
    check_whole(pool);
    check_topic(pool, topic);
    const List* list = pool.runs.at(run).list(topic);
    if (list != nullptr) {
        const auto begin = pool.runs[run].all.begin() + list->all_begin;
        documents.assign(begin, begin + list->retrieved);
    }
    return hand_over(std::move(documents));
}

// Labels at ranks 1 to `depth` of every list: runs x topics x depth; `pooled` where not judged or past the end.
View<std::int32_t, 3> label_matrix(const Pool& pool, Labels labels, std::size_t depth) {
    check_size(pool, labels, 1);
    const std::size_t runs = pool.runs.size(), topics = pool.topics.size();
    std::vector<std::int32_t> matrix(size_of({runs, topics, depth}), pooled);
    for (std::size_t r = 0; r < runs; ++r)
        for (const List& list : pool.runs[r].lists)
            for (std::size_t i = list.known_begin; i < list.known_begin + list.known; ++i) {
                if (pool.runs[r].rank[i] > depth) break;
                const std::int32_t label = labels.data()[pool.offsets[list.topic] + pool.runs[r].document[i]];
                matrix[(r * topics + list.topic) * depth + pool.runs[r].rank[i] - 1] =
                    label == outside ? pooled : label;
            }
    return hand_over(std::move(matrix), {runs, topics, depth});
}

// Where the stretches of a ranking whose documents have one score begin and end, by position from 0.
std::vector<std::pair<std::uint32_t, std::uint32_t>> tie_groups(const Pool& pool, std::size_t run, std::size_t topic) {
    check_topic(pool, topic);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> groups;
    const std::int32_t list = pool.runs.at(run).list_of_topic[topic];
    for (const Tie& tie : pool.runs[run].tied)
        if (static_cast<std::int64_t>(tie.list) == list) groups.emplace_back(tie.begin, tie.end);
    return groups;
}

// What became of the lines of each run, in the order of RUN_COUNTS.
std::vector<std::vector<std::uint64_t>> run_counts(const Pool& pool) {
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Run& run : pool.runs) {
        std::uint64_t listed = 0;
        for (const List& list : run.lists) listed += list.known;
        counts.push_back({run.lines, run.blank, run.ties, run.ignored_lines, run.ignored_topics, run.duplicates,
                          run.comments, run.longer, run.nan, listed});
    }
    return counts;
}

// Runs of which another pool of the same judgments and runs read something else.
std::vector<std::size_t> changed_runs(const Pool& pool, const Pool& other) {
    check(pool.runs.size() == other.runs.size(), "as many runs in both pools");
    std::vector<std::size_t> changed;
    for (std::size_t r = 0; r < pool.runs.size(); ++r)
        if (!is_same_reading(pool.runs[r], other.runs[r])) changed.push_back(r);
    return changed;
}

}  // namespace

void bind_pool(nb::module_& module, nb::class_<Pool>& pool) {
    module.attr("RUN_COUNTS") = nb::make_tuple("lines", "blank", "ties", "ignored_lines", "ignored_topics",
                                               "duplicates", "comments", "longer", "nan", "listed");
    pool.def("__getstate__", [](const Pool& pool) { return std::make_pair(pool.keep_all, to_bytes(pack(pool))); })
        .def("__setstate__",
             [](Pool& pool, const std::pair<bool, nb::bytes>& state) {
                 new (&pool) Pool(state.first);
                 unpack({state.second.c_str(), state.second.size()}, pool);
             })
        .def_ro("has_strata", &Pool::has_strata)
        .def_ro("has_subtopics", &Pool::has_subtopics)
        .def(
            "subtopics",
            [](const Pool& pool, std::size_t topic) {
                const SubtopicLabels& labels = pool.topics.at(topic)->subtopics;
                std::vector<nb::bytes> names;
                for (std::uint32_t s = 0; s < labels.names.size(); ++s) names.push_back(to_bytes(labels.names[s]));
                return std::make_tuple(std::move(names), labels.document, labels.subtopic, labels.label);
            },
            "topic"_a)
        .def_ro("keeps_all", &Pool::keep_all)
        .def_ro("distinct_labels", &Pool::distinct_labels)
        .def_ro("label_values", &Pool::label_values)
        .def_ro("label_lines", &Pool::label_lines)
        .def_ro("label_blank", &Pool::label_blank)
        .def_ro("label_duplicates", &Pool::label_duplicates)
        .def_ro("label_comments", &Pool::label_comments)
        .def_prop_ro("label_header",
                     [](const Pool& pool) {
                         std::vector<nb::bytes> lines;
                         for (const std::string& line : pool.label_header) lines.push_back(to_bytes(line));
                         return lines;
                     })
        .def_prop_ro("memory", &Pool::memory)
        .def("topic_names", &topic_names)
        .def("document_names", &document_names, "topic"_a)
        .def("listed_names", &listed_names, "topic"_a)
        .def("labels", [](const Pool& pool) { return flat(pool, &Topic::labels); })
        .def("strata", [](const Pool& pool) { return flat(pool, &Topic::strata); })
        .def("rounds", [](const Pool& pool) { return flat(pool, &Topic::rounds); })
        .def("offsets", &offsets)
        .def("retrieved", &retrieved)
        .def("known_documents", &known_documents, "run"_a, "topic"_a)
        .def("all_documents", &all_documents, "run"_a, "topic"_a)
        .def("tie_groups", &tie_groups, "run"_a, "topic"_a)
        .def("label_matrix", &label_matrix, "labels"_a, "depth"_a)
        .def("run_counts", &run_counts)
        .def("changed_runs", &changed_runs, "other"_a)
        .def("narrowed", &narrowed, "runs"_a)
        .def(
            "on_topics",
            [](const Pool& pool, const std::vector<std::uint32_t>& topics) { return on_topics(pool, topics); },
            "topics"_a);
}

}  // namespace poolwise
