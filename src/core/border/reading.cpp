// Reading: a builder makes a pool from files, pieces of text, or columns.
#include "basics/front.hpp"
#include "border.hpp"
#include "pool/front.hpp"

namespace poolwise {
namespace {

using Report = std::tuple<int, std::uint64_t, nb::bytes>;  // fault, line, what was found

// Paths cross as bytes: not every file name is UTF-8.
std::string to_string(const nb::bytes& text) { return {text.c_str(), text.size()}; }

Report report(const Problem& problem) {
    return {static_cast<int>(problem.fault), problem.line, to_bytes(problem.found)};
}

// A run or the judgments being read piece by piece from Python.
struct RunFeed {
    Lines lines;
    RunReader reader;
};
struct LabelFeed {
    Lines lines;
    LabelReader reader;
};

class Builder {
   public:
    explicit Builder(bool keep_all) : pool(std::make_shared<Pool>(keep_all)) {}

    std::shared_ptr<Pool> pool;
    LabelRules rules;
    bool keep_first_documents = false;

    void set_depth(std::uint32_t depth) { pool->depth = depth; }

    void rank_nan_last() { pool->nan_last = true; }

    void read_subtopics() { pool->has_subtopics = true; }

    void keep_runs(const std::vector<std::size_t>& runs) {
        pool->keep_runs(runs);
        run_feeds_.resize(runs.size());
    }

    void set_label_rules(bool reserve_one, std::int32_t reserved, bool reserve_negative) {
        rules.reserve_one = reserve_one;
        rules.reserved = reserved;
        rules.reserve_negative = reserve_negative;
    }

    void keep_first_duplicates() { rules.keep_first = keep_first_documents = true; }

    Report read_labels(nb::bytes path_bytes) {
        const std::string path = to_string(path_bytes);
        Problem problem;
        {
            nb::gil_scoped_release release;
            Lines lines;
            LabelReader reader(*pool, rules);
            Stopper stop;
            problem = read_file(path, reader, lines, stop);
            pool->label_blank += lines.blank();
        }
        return report(problem);
    }

    Report feed_labels(nb::bytes data, bool last) {
        if (!label_feed_) label_feed_.reset(new LabelFeed{{}, LabelReader(*pool, rules)});
        Problem problem;
        {
            nb::gil_scoped_release release;
            problem = label_feed_->lines.feed(label_feed_->reader, data.c_str(), data.size(), last);
        }
        if (last) {
            pool->label_blank += label_feed_->lines.blank();
            label_feed_.reset();
        }
        return report(problem);
    }

    // Labels of one topic from a table; documents are separated and ended by newlines.
    Report add_labels(nb::bytes topic, nb::bytes documents, Labels labels, Labels strata, Labels rounds) {
        std::string text(documents.c_str(), documents.size());
        text.append(padding, '\0');
        pool->has_strata = strata.size() > 0;
        LabelReader reader(*pool, rules);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            std::size_t size = 0;
            while (text[offset + size] != '\n') ++size;
            const Problem problem =
                reader.add({topic.c_str(), topic.size()}, {text.data() + offset, size},
                           hash_name(text.data() + offset, size), labels.data()[i],
                           i < strata.size() ? strata.data()[i] : 0, i < rounds.size() ? rounds.data()[i] : 0, i + 1);
            if (problem) return report(problem);
            offset += size + 1;
        }
        return report({});
    }

    void finish_labels() { pool->finish_judgments(); }

    // Goes on from the judgments of a pool, which stays as it is.
    void take_labels(const Pool& other) { pool = labels_alone(other, pool->keep_all); }

    // Adds runs of a pool that keeps all documents, each in its place.
    void take_runs(const Pool& other, const std::vector<std::size_t>& runs) {
        check_whole(other);
        check_runs(other, runs);
        nb::gil_scoped_release release;
        if (std::set<std::size_t>(runs.begin(), runs.end()).size() == other.runs.size() && take_documents(other)) {
            for (std::size_t i = 0; i < runs.size(); ++i) pool->runs[i] = other.runs[runs[i]];
            return;
        }
        RunGiver giver(other, *pool);
        for (std::size_t i = 0; i < runs.size(); ++i) giver.give(runs[i], i);
    }

    nb::bytes pack_run(std::size_t number) const { return to_bytes(poolwise::pack_run(*pool, number)); }

    void unpack_run(std::size_t number, nb::bytes packed) {
        poolwise::unpack_run({packed.c_str(), packed.size()}, *pool, number);
    }

    void expect_runs(std::size_t count) {
        pool->runs.resize(count);
        run_feeds_.resize(count);
    }

    // Reads text files, each into its run; others are reported as compressed for Python to open.
    std::vector<Report> read_runs(const std::vector<std::size_t>& numbers, const std::vector<nb::bytes>& path_bytes,
                                  std::size_t threads) {
        std::vector<std::string> paths;
        for (const nb::bytes& path : path_bytes) paths.push_back(to_string(path));
        std::vector<Problem> problems(paths.size());
        {
            nb::gil_scoped_release release;
            for_each(paths.size(), threads, [&](Stopper& stop) {
                return [&, lines = std::make_unique<Lines>()](std::size_t i) {
                    problems[i] = read_run(numbers[i], paths[i], *lines, false, stop);
                    if (problems[i].fault == Fault::scattered)
                        problems[i] = read_run(numbers[i], paths[i], *lines, true, stop);
                };
            });
        }
        std::vector<Report> reports;
        for (const Problem& problem : problems) reports.push_back(report(problem));
        return reports;
    }

    void start_run(std::size_t number, bool gather) {
        pool->runs.at(number) = Run{};
        run_feeds_[number].reset(new RunFeed{{}, RunReader(*pool, pool->runs[number], keep_first_documents, gather)});
    }

    Report feed_run(std::size_t number, nb::bytes data, bool last) {
        if (!run_feeds_.at(number)) throw std::logic_error("the run was not started");
        RunFeed& feed = *run_feeds_[number];
        Problem problem;
        {
            nb::gil_scoped_release release;
            problem = feed.lines.feed(feed.reader, data.c_str(), data.size(), last);
        }
        if (last) {
            pool->runs[number].blank = feed.lines.blank();
            run_feeds_[number].reset();
        }
        return report(problem);
    }

    // A whole run from lines of text.
    Report add_text(std::size_t number, nb::bytes text, bool gather) {
        Run& run = pool->runs.at(number);
        run = Run{};
        Problem problem;
        {
            nb::gil_scoped_release release;
            RunReader reader(*pool, run, keep_first_documents, gather);
            lines_.restart();
            problem = lines_.feed(reader, text.c_str(), text.size(), true);
            run.blank = lines_.blank();
        }
        return report(problem);
    }

    // One ranking of a run from a table; documents are separated and ended by newlines.
    Report add_list(std::size_t number, nb::bytes topic, nb::bytes documents, Numbers scores) {
        Problem problem;
        std::string text(documents.c_str(), documents.size());
        text.append(padding, '\0');
        {
            nb::gil_scoped_release release;
            RunReader reader(*pool, pool->runs[number], keep_first_documents, false);
            problem = reader.list({topic.c_str(), topic.size()}, text.data(), scores.data(), scores.size());
        }
        return report(problem);
    }

    // Rankings of a run from columns. Topic t has the rows from begins[t] to begins[t + 1]; the document of row i
    // is from offsets[i] to offsets[i + 1] in `documents`, counted from offsets[0].
    Report add_lists(std::size_t number, const std::vector<nb::bytes>& topics, Offsets begins, Offsets offsets,
                     nb::bytes documents, Numbers scores) {
        const std::string bytes = columns(topics, begins, offsets, documents, scores.size());
        std::vector<std::string_view> names;
        for (const nb::bytes& topic : topics) names.emplace_back(topic.c_str(), topic.size());
        Problem problem;
        {
            nb::gil_scoped_release release;
            RunReader reader(*pool, pool->runs.at(number), keep_first_documents, false);
            for (std::size_t t = 0; t < names.size() && !problem; ++t)
                problem = reader.rows(names[t], bytes.data(), offsets.data(), scores.data(),
                                      static_cast<std::size_t>(begins.data()[t]),
                                      static_cast<std::size_t>(begins.data()[t + 1]));
        }
        return report(problem);
    }

    // Labels from such columns. With `repeated`, a document may have the same label several times.
    Report add_label_rows(const std::vector<nb::bytes>& topics, Offsets begins, Offsets offsets, nb::bytes documents,
                          Labels labels, bool repeated) {
        const std::string bytes = columns(topics, begins, offsets, documents, labels.size());
        std::vector<std::string_view> names;
        for (const nb::bytes& topic : topics) names.emplace_back(topic.c_str(), topic.size());
        Problem problem;
        {
            nb::gil_scoped_release release;
            for (std::size_t t = 0; t < names.size() && !problem; ++t)
                problem = add_rows(names[t], bytes.data(), begins.data() + t, offsets.data(), labels.data(), repeated);
        }
        return report(problem);
    }

    void finish_runs() {
        nb::gil_scoped_release release;
        pool->finish_runs();
    }

   private:
    // Takes all documents of a pool whose judgments list what these list: then all of its numbers hold here, too.
    bool take_documents(const Pool& other) {
        if (pool->topics.size() != other.topics.size()) return false;
        for (std::uint32_t t = 0; t < other.topics.size(); ++t) {
            const Topic &here = *pool->topics[t], &there = *other.topics[t];
            if (pool->topic_names[t] != other.topic_names[t] || here.listed != there.listed) return false;
            for (std::uint32_t d = 0; d < here.listed; ++d)
                if (here.documents[d] != there.documents[d]) return false;
        }
        for (std::uint32_t t = 0; t < other.topics.size(); ++t) pool->topics[t]->documents = other.topics[t]->documents;
        return true;
    }

    Problem add_rows(std::string_view topic_name, const char* bytes, const std::int64_t* range,
                     const std::int64_t* offsets, const std::int32_t* labels, bool repeated) {
        LabelReader reader(*pool, rules);
        Topic& topic = pool->topic_for(topic_name);
        const auto rows = static_cast<std::size_t>(range[1] - range[0]);
        topic.documents.reserve(repeated ? std::min<std::size_t>(rows, 64) : rows);  // runs may repeat documents
        topic.labels.reserve(rows);
        for (std::int64_t i = range[0]; i < range[1]; ++i) {
            const std::string_view name(bytes + (offsets[i] - offsets[0]),
                                        static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
            const std::uint64_t hash = hash_name(name.data(), name.size());
            if (repeated) {
                const std::uint32_t known = topic.documents.find(hash, name);
                if (known != Names::none && topic.labels[known] == rules.apply(labels[i])) continue;
            }
            if (Problem problem =
                    reader.add(topic_name, name, hash, labels[i], 0, 0, static_cast<std::uint64_t>(i) + 1))
                return problem;
        }
        return {};
    }

    // Checks columns of rows and gives the documents room to be read over.
    static std::string columns(const std::vector<nb::bytes>& topics, const Offsets& begins, const Offsets& offsets,
                               const nb::bytes& documents, std::size_t rows) {
        bool fit = begins.size() == topics.size() + 1 && offsets.size() == rows + 1 && begins.data()[0] == 0 &&
                   begins.data()[topics.size()] == static_cast<std::int64_t>(rows) &&
                   offsets.data()[rows] - offsets.data()[0] == static_cast<std::int64_t>(documents.size());
        for (std::size_t t = 0; fit && t < topics.size(); ++t) fit = begins.data()[t] <= begins.data()[t + 1];
        for (std::size_t i = 0; fit && i < rows; ++i) fit = offsets.data()[i] <= offsets.data()[i + 1];
        if (!fit) throw nb::value_error("columns do not fit each other");
        std::string bytes(documents.c_str(), documents.size());
        bytes.append(padding, '\0');
        return bytes;
    }

    Problem read_run(std::size_t number, const std::string& path, Lines& lines, bool gather, Stopper& stop) {
        Run& run = pool->runs[number];
        run = Run{};
        RunReader reader(*pool, run, keep_first_documents, gather);
        const Problem problem = read_file(path, reader, lines, stop);
        run.blank = lines.blank();
        return problem;
    }

    Lines lines_;  // of the text that is added
    std::unique_ptr<LabelFeed> label_feed_;
    std::vector<std::unique_ptr<RunFeed>> run_feeds_;
};

// Topics of text as they come, where they begin, how many lines come before, and whether they are in the pool's order.
// A line without an end does not count.
std::tuple<std::vector<nb::bytes>, View<std::int64_t>, View<std::int64_t>, bool> blocks_of(nb::bytes text) {
    Blocks found;
    {
        nb::gil_scoped_release release;
        const std::string_view all(text.c_str(), text.size());
        found = find_blocks(all.substr(0, all.rfind('\n') + 1));
    }
    std::vector<nb::bytes> names;
    for (const std::string_view topic : found.topics) names.push_back(to_bytes(topic));
    return {std::move(names), hand_over(std::move(found.begins)), hand_over(std::move(found.lines)), found.ascending};
}

}  // namespace

void bind_reading(nb::module_& module) {
    module.attr("FAULTS") = names_of(fault_names);

    nb::class_<Builder>(module, "Builder")
        .def(nb::init<bool>(), "keep_all"_a)
        .def("set_label_rules", &Builder::set_label_rules, "reserve_one"_a, "reserved"_a, "reserve_negative"_a)
        .def("set_depth", &Builder::set_depth, "depth"_a)
        .def("rank_nan_last", &Builder::rank_nan_last)
        .def("read_subtopics", &Builder::read_subtopics)
        .def("keep_runs", &Builder::keep_runs, "runs"_a)
        .def("keep_first_duplicates", &Builder::keep_first_duplicates)
        .def("read_labels", &Builder::read_labels, "path"_a)
        .def("feed_labels", &Builder::feed_labels, "data"_a, "last"_a)
        .def("add_lists", &Builder::add_lists, "number"_a, "topics"_a, "begins"_a, "offsets"_a, "documents"_a,
             "scores"_a)
        .def("add_label_rows", &Builder::add_label_rows, "topics"_a, "begins"_a, "offsets"_a, "documents"_a, "labels"_a,
             "repeated"_a)
        .def("add_labels", &Builder::add_labels, "topic"_a, "documents"_a, "labels"_a, "strata"_a, "rounds"_a)
        .def("finish_labels", &Builder::finish_labels)
        .def("take_labels", &Builder::take_labels, "pool"_a)
        .def("take_runs", &Builder::take_runs, "pool"_a, "runs"_a)
        .def("pack_run", &Builder::pack_run, "number"_a)
        .def("unpack_run", &Builder::unpack_run, "number"_a, "packed"_a)
        .def("expect_runs", &Builder::expect_runs, "count"_a)
        .def("read_runs", &Builder::read_runs, "numbers"_a, "paths"_a, "threads"_a)
        .def("start_run", &Builder::start_run, "number"_a, "gather"_a)
        .def("feed_run", &Builder::feed_run, "number"_a, "data"_a, "last"_a)
        .def("add_text", &Builder::add_text, "number"_a, "text"_a, "gather"_a)
        .def("add_list", &Builder::add_list, "number"_a, "topic"_a, "documents"_a, "scores"_a)
        .def("finish_runs", &Builder::finish_runs)
        .def("pool", [](const Builder& builder) { return builder.pool; });

    module.def("kind_of", [](nb::bytes start) { return kind_of(start.c_str(), start.size()); }, "start"_a);
    module.def("find_blocks", &blocks_of, "text"_a);
}

}  // namespace poolwise
