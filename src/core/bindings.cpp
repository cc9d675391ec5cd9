// The border to Python: arrays, bytes and numbers only; words and checks stay on the other side.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <numeric>
#include <optional>

#include "assisted.hpp"
#include "blocks.hpp"
#include "bounds.hpp"
#include "pairs.hpp"
#include "reading.hpp"
#include "sampling.hpp"
#include "storing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace poolwise {
namespace {

using Report = std::tuple<int, std::uint64_t, nb::bytes>;  // fault, line, what was found
using Labels = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
template <class T>
using View = nb::ndarray<nb::memview, T, nb::c_contig>;

nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// Paths cross as bytes: not every file name is UTF-8.
std::string to_string(const nb::bytes& text) { return {text.c_str(), text.size()}; }

Report report(const Problem& problem) {
    return {static_cast<int>(problem.fault), problem.line, to_bytes(problem.found)};
}

// An array that Python owns and sees without numpy.
template <class T>
View<T> hand_over(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return View<T>(kept->data(), shape, owner);
}

template <class T>
View<T> hand_over(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return hand_over(std::move(values), {size});
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

    void set_label_rules(bool reserve_one, std::int32_t reserved, bool reserve_negative) {
        rules.reserve_one = reserve_one;
        rules.reserved = reserved;
        rules.reserve_negative = reserve_negative;
    }

    void keep_first_duplicates() { rules.keep_first = keep_first_documents = true; }

    Report read_labels(nb::bytes given) {
        const std::string path = to_string(given);
        Problem problem;
        {
            nb::gil_scoped_release release;
            Lines lines;
            LabelReader reader(*pool, rules);
            problem = read_file(path, reader, lines);
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

    // Goes on from a pool of judgments; the pool is used up.
    void take_labels(std::shared_ptr<Pool> given) { pool = std::move(given); }

    nb::bytes pack_run(std::size_t number) const { return to_bytes(poolwise::pack_run(*pool, number)); }

    void unpack_run(std::size_t number, nb::bytes packed) {
        poolwise::unpack_run({packed.c_str(), packed.size()}, *pool, number);
    }

    void expect_runs(std::size_t count) {
        pool->runs.resize(count);
        run_feeds_.resize(count);
    }

    // Reads text files, each into its run; others are reported as compressed for Python to open.
    std::vector<Report> read_runs(const std::vector<std::size_t>& numbers, const std::vector<nb::bytes>& given,
                                  std::size_t threads) {
        std::vector<std::string> paths;
        for (const nb::bytes& path : given) paths.push_back(to_string(path));
        std::vector<Problem> problems(paths.size());
        {
            nb::gil_scoped_release release;
            for_each(paths.size(), threads, [&] {
                return [&, lines = std::make_unique<Lines>()](std::size_t i) {
                    problems[i] = read_run(numbers[i], paths[i], *lines, false);
                    if (problems[i].fault == Fault::scattered)
                        problems[i] = read_run(numbers[i], paths[i], *lines, true);
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
    // stands from offsets[i] to offsets[i + 1] in `documents`, counted from offsets[0].
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

    // Labels from such columns. With `repeated`, a document may stand several times with the same label.
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

    Problem read_run(std::size_t number, const std::string& path, Lines& lines, bool gather) {
        Run& run = pool->runs[number];
        run = Run{};
        RunReader reader(*pool, run, keep_first_documents, gather);
        const Problem problem = read_file(path, reader, lines);
        run.blank = lines.blank();
        return problem;
    }

    std::unique_ptr<LabelFeed> label_feed_;
    std::vector<std::unique_ptr<RunFeed>> run_feeds_;
};

// ---- What is in a pool -----------------------------------------------------------------------------------------

std::vector<nb::bytes> topic_names(const Pool& pool) {
    std::vector<nb::bytes> names;
    for (std::uint32_t t = 0; t < pool.topic_names.size(); ++t) names.push_back(to_bytes(pool.topic_names[t]));
    return names;
}

// The topic's documents, those of the judgments first.
std::vector<nb::bytes> document_names(const Pool& pool, std::uint32_t topic) {
    std::vector<nb::bytes> names;
    const Names& documents = pool.topics.at(topic)->documents;
    for (std::uint32_t d = 0; d < documents.size(); ++d) names.push_back(to_bytes(documents[d]));
    return names;
}

View<std::int32_t> flat(const Pool& pool, std::vector<std::int32_t> Topic::* column) {
    std::vector<std::int32_t> values;
    for (const auto& topic : pool.topics) {
        const auto& part = (*topic).*column;
        values.insert(values.end(), part.begin(), part.end());
    }
    return hand_over(std::move(values));
}

View<std::int64_t> offsets(const Pool& pool) {
    return hand_over(std::vector<std::int64_t>(pool.offsets.begin(), pool.offsets.end()));
}

// How many documents each run retrieved for each topic; 0: the run lacks the topic.
View<std::int32_t> retrieved(const Pool& pool) {
    std::vector<std::int32_t> counts(pool.runs.size() * pool.topics.size(), 0);
    for (std::size_t r = 0; r < pool.runs.size(); ++r)
        for (const List& list : pool.runs[r].lists) counts[r * pool.topics.size() + list.topic] = list.retrieved;
    return hand_over(std::move(counts), {pool.runs.size(), pool.topics.size()});
}

// Ranks and numbers of the listed documents a run retrieved for a topic.
std::tuple<View<std::uint32_t>, View<std::uint32_t>> known_documents(const Pool& pool, std::size_t run,
                                                                     std::uint32_t topic) {
    std::vector<std::uint32_t> ranks, documents;
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
    const List* list = pool.runs.at(run).list(topic);
    if (list != nullptr && pool.keep_all) {
        const auto begin = pool.runs[run].all.begin() + list->all_begin;
        documents.assign(begin, begin + list->retrieved);
    }
    return hand_over(std::move(documents));
}

void check_size(const Pool& pool, const Labels& labels, std::size_t samples) {
    if (labels.size() != samples * pool.offsets.back()) throw nb::value_error("labels of another pool");
}

// Labels at ranks 1 to `depth` of every list: runs x topics x depth; `pooled` where not judged or past the end.
View<std::int32_t> label_matrix(const Pool& pool, Labels labels, std::size_t depth) {
    check_size(pool, labels, 1);
    const std::size_t runs = pool.runs.size(), topics = pool.topics.size();
    std::vector<std::int32_t> matrix(runs * topics * depth, pooled);
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

// Lines, blank lines, ties, ignored lines, ignored topics and duplicates of each run.
std::vector<std::vector<std::uint64_t>> run_counts(const Pool& pool) {
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Run& run : pool.runs)
        counts.push_back({run.lines, run.blank, run.ties, run.ignored_lines, run.ignored_topics, run.duplicates});
    return counts;
}

// ---- Scoring ---------------------------------------------------------------------------------------------------

// (kernel, condensed, cutoff, relevant by class, gain by class, discount's name, its numbers, other numbers,
//  whether topics that a run lacks count)
using Ask = std::tuple<std::string, bool, std::uint32_t, std::vector<int>, std::vector<double>, std::string,
                       std::vector<double>, std::vector<double>, bool>;

std::vector<double> discounts(const std::string& name, const std::vector<double>& numbers, std::size_t depth) {
    std::vector<double> values(depth, 0.0);
    for (std::size_t i = 0; i < depth; ++i) {
        const double rank = static_cast<double>(i + 1);
        if (name == "log2") values[i] = 1.0 / std::log2(rank + 1.0);
        if (name == "jk") values[i] = rank <= numbers[0] ? 1.0 : std::log(numbers[0]) / std::log(rank);
        if (name == "zipf") values[i] = 1.0 / rank;
        if (name == "linear") values[i] = std::max(0.0, (numbers[0] + 1.0 - rank) / numbers[0]);
        if (name == "list" && i < numbers.size()) values[i] = numbers[i];
        if (name == "rbp") values[i] = (1.0 - numbers[0]) * std::pow(numbers[0], static_cast<double>(i));
    }
    return values;
}

std::vector<Spec> to_specs(const Pool& pool, const std::vector<Ask>& asks, std::vector<char>& count_missing) {
    const std::size_t depth = deepest_rank(pool);
    std::vector<Spec> specs;
    for (const auto& [kernel, condensed, cutoff, relevant, gain, discount, weights, numbers, missing] : asks) {
        specs.push_back({kernel,
                         condensed,
                         cutoff,
                         {relevant.begin(), relevant.end()},
                         gain,
                         discount.empty() ? std::vector<double>{} : discounts(discount, weights, depth),
                         numbers});
        if (make_kernel(specs.back()) == nullptr) throw nb::value_error(("no kernel " + kernel).c_str());
        count_missing.push_back(missing);
    }
    return specs;
}

// Without strata every topic is one stratum; without runs, all are scored.
View<double> score_samples(const Pool& pool, const std::vector<Ask>& asks, Labels labels, std::size_t samples,
                           const std::vector<std::int32_t>& distinct, std::size_t threads, std::optional<Labels> strata,
                           std::optional<std::vector<std::size_t>> chosen) {
    check_size(pool, labels, samples);
    if (strata) check_size(pool, *strata, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, count_missing);
    std::vector<std::size_t> runs(pool.runs.size());
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    if (chosen) runs = *chosen;
    for (const std::size_t run : runs)
        if (run >= pool.runs.size()) throw nb::index_error("no such run");
    std::vector<double> values(samples * specs.size() * runs.size() * pool.topics.size());
    {
        nb::gil_scoped_release release;
        score(pool, specs, count_missing, {labels.data(), strata ? strata->data() : nullptr, samples, distinct}, runs,
              threads, values.data());
    }
    return hand_over(std::move(values), {samples, specs.size(), runs.size(), pool.topics.size()});
}

// Lowest and highest values, and which measures' bounds are exact. `distinct` are the labels that documents may get.
std::tuple<View<double>, View<double>, std::vector<bool>> bound_samples(const Pool& pool, const std::vector<Ask>& asks,
                                                                        Labels labels, std::size_t samples,
                                                                        const std::vector<std::int32_t>& distinct,
                                                                        std::size_t threads) {
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, count_missing);
    std::vector<bool> exact;
    for (const Spec& spec : specs) {
        const auto extremes = make_extremes(spec);
        if (extremes == nullptr) throw nb::value_error(("no bounds of " + spec.kernel).c_str());
        exact.push_back(extremes->exact());
    }
    const std::size_t size = samples * specs.size() * pool.runs.size() * pool.topics.size();
    std::vector<double> low(size), high(size);
    {
        nb::gil_scoped_release release;
        bounds(pool, specs, count_missing, {labels.data(), nullptr, samples, distinct}, threads, low.data(),
               high.data());
    }
    const auto shape = {samples, specs.size(), pool.runs.size(), pool.topics.size()};
    return {hand_over(std::move(low), shape), hand_over(std::move(high), shape), exact};
}

// (topic, stratum) of every stratum of which no document is judged.
std::vector<std::pair<std::uint32_t, std::int32_t>> unjudged_strata(const Pool& pool, Labels labels, Labels strata) {
    std::vector<std::pair<std::uint32_t, std::int32_t>> found;
    for (std::uint32_t t = 0; t < pool.topics.size(); ++t) {
        std::map<std::int32_t, bool> judged;
        for (std::size_t d = pool.offsets[t]; d < pool.offsets[t + 1]; ++d)
            if (labels.data()[d] != outside) judged[strata.data()[d]] |= labels.data()[d] != pooled;
        for (const auto& [stratum, any] : judged)
            if (!any) found.emplace_back(t, stratum);
    }
    return found;
}

// Sums over topics of values[..., runs, topics], in the order of topics. Where counted[run][topic] is 0, nothing is
// added; without `counted`, all are. `start` holds sums to go on from.
View<double> sum_topics(Numbers values, std::optional<Labels> counted, std::size_t runs, std::size_t topics,
                        std::optional<Numbers> start) {
    const std::size_t rows = topics == 0 ? 0 : values.size() / topics;
    std::vector<double> sums(rows, 0.0);
    if (start && start->size() != rows) throw nb::value_error("sums to go on from do not fit");
    if (start) sums.assign(start->data(), start->data() + rows);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t t = 0; t < topics; ++t)
            if (!counted || counted->data()[(row % runs) * topics + t] != 0)
                sums[row] += values.data()[row * topics + t];
    return hand_over(std::move(sums));
}

// Topics of text grouped by topic, where they begin, how many lines stand before, and which orders they are in.
std::tuple<std::vector<nb::bytes>, View<std::int64_t>, View<std::int64_t>, bool, bool> blocks_of(nb::bytes text) {
    Blocks found;
    {
        nb::gil_scoped_release release;
        found = find_blocks({text.c_str(), text.size()});
    }
    std::vector<nb::bytes> names;
    for (const std::string_view topic : found.topics) names.push_back(to_bytes(topic));
    return {std::move(names), hand_over(std::move(found.begins)), hand_over(std::move(found.lines)), found.numbered,
            found.bytewise};
}

// ---- Sampling --------------------------------------------------------------------------------------------------

using Counts = nb::ndarray<const std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;  // sets x topics x classes

// Labels of samples: trials x sets x listed documents.
View<std::int32_t> draw(const Pool& pool, Labels labels, Labels classes, Counts counts, std::uint64_t seed,
                        const std::vector<std::uint64_t>& trials, std::size_t threads) {
    const std::size_t listed = pool.offsets.back(), sets = counts.shape(0);
    if (labels.size() != listed || classes.size() != listed || counts.shape(1) != pool.topics.size())
        throw nb::value_error("labels, classes or counts do not fit the pool");
    for (std::size_t i = 0; i < listed; ++i)
        if (classes.data()[i] >= static_cast<std::int64_t>(counts.shape(2))) throw nb::value_error("no such class");
    const Draw ask{labels.data(), classes.data(), counts.shape(2), counts.data(), sets, seed, trials};
    std::vector<std::int32_t> samples(trials.size() * sets * listed);
    {
        nb::gil_scoped_release release;
        draw_samples(pool, ask, threads, samples.data());
    }
    return hand_over(std::move(samples), {trials.size(), sets, listed});
}

// ---- Pairs of runs ---------------------------------------------------------------------------------------------

template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

View<std::int64_t> count_flips_of(Table<double> values, Table<std::int8_t> signs, Row<std::int32_t> first,
                                  Row<std::int32_t> second, Row<double> thresholds, std::size_t threads) {
    std::vector<std::int64_t> counts(first.size());
    {
        nb::gil_scoped_release release;
        count_flips(values.data(), values.shape(0), values.shape(1), signs.data(), signs.shape(0),
                    {first.data(), second.data(), first.size()}, thresholds.data(), counts.data(), threads);
    }
    return hand_over(std::move(counts));
}

std::tuple<View<std::int64_t>, View<double>, View<double>> bootstrap_pairs_of(
    Table<double> centred, Table<std::uint16_t> taken, Row<std::int32_t> first, Row<std::int32_t> second,
    Row<double> wanted, std::size_t place, double noise, std::size_t threads) {
    std::vector<std::int64_t> counts(first.size());
    std::vector<double> ratios(first.size()), sums(first.size());
    {
        nb::gil_scoped_release release;
        bootstrap_pairs(centred.data(), centred.shape(0), centred.shape(1), taken.data(), taken.shape(0),
                        {first.data(), second.data(), first.size()}, wanted.data(), place, noise, counts.data(),
                        ratios.data(), sums.data(), threads);
    }
    return {hand_over(std::move(counts)), hand_over(std::move(ratios)), hand_over(std::move(sums))};
}

// ---- The assisted estimator ------------------------------------------------------------------------------------

using Places = std::vector<std::int32_t>;

View<double> rank_weights_of(const Pool& pool, std::uint32_t topic, const Places& runs, Numbers table) {
    const std::size_t listed = pool.topics.at(topic)->listed;
    std::vector<double> weights(runs.size() * listed, 0.0);
    {
        nb::gil_scoped_release release;
        rank_weights(pool, topic, runs, table.data(), table.size(), listed, weights.data());
    }
    return hand_over(std::move(weights), {runs.size(), listed});
}

View<double> rank_summary_of(const Pool& pool, std::uint32_t topic) {
    const std::size_t listed = pool.topics.at(topic)->listed;
    std::vector<double> summary(listed * 7, 0.0);
    {
        nb::gil_scoped_release release;
        rank_summary(pool, topic, summary.data());
    }
    return hand_over(std::move(summary), {listed, 7});
}

std::tuple<View<double>, View<double>> precision_slopes_of(const Pool& pool, std::uint32_t topic, const Places& runs,
                                                           std::uint32_t depth, Numbers p) {
    const std::size_t listed = p.size();
    std::vector<double> sums(runs.size(), 0.0), slopes(runs.size() * listed, 0.0);
    {
        nb::gil_scoped_release release;
        precision_slopes(pool, topic, runs, depth, p.data(), listed, sums.data(), slopes.data());
    }
    return {hand_over(std::move(sums)), hand_over(std::move(slopes), {runs.size(), listed})};
}

std::tuple<View<double>, View<double>> precision_variants_of(const Pool& pool, std::uint32_t topic, const Places& runs,
                                                             std::uint32_t depth, Numbers p, const Places& own) {
    const std::size_t variants = own.size(), listed = variants == 0 ? 0 : p.size() / variants;
    std::vector<double> sums(runs.size() * variants, 0.0), slopes(runs.size() * variants, 0.0);
    {
        nb::gil_scoped_release release;
        precision_variants(pool, topic, runs, depth, p.data(), own, listed, sums.data(), slopes.data());
    }
    return {hand_over(std::move(sums), {runs.size(), variants}), hand_over(std::move(slopes), {runs.size(), variants})};
}

View<double> pair_sums_of(const Pool& pool, std::uint32_t topic, const Places& runs, std::uint32_t depth,
                          Numbers matrix, Labels place) {
    const std::size_t size = matrix.ndim() == 2 ? matrix.shape(0) : 0;
    std::vector<double> sums(runs.size() * size, 0.0);
    {
        nb::gil_scoped_release release;
        pair_sums(pool, topic, runs, depth, matrix.data(), place.data(), size, sums.data());
    }
    return hand_over(std::move(sums), {runs.size(), size});
}

std::tuple<View<double>, View<double>, View<double>> leave_pairs_out_of(Numbers q, Numbers residual, Numbers leverage,
                                                                        Numbers spread, Numbers weight) {
    const std::size_t n = residual.size();
    std::vector<double> both(n * n), change(n * n), pairs(n * n);
    {
        nb::gil_scoped_release release;
        leave_pairs_out(q.data(), residual.data(), leverage.data(), spread.data(), weight.data(), n, both.data(),
                        change.data(), pairs.data());
    }
    return {hand_over(std::move(both), {n, n}), hand_over(std::move(change), {n, n}),
            hand_over(std::move(pairs), {n, n})};
}

View<double> fit_without_each(Numbers columns, Numbers y, Numbers fixed, Numbers start, Numbers precision,
                              const Places& left_out, int steps) {
    const std::size_t n = y.size(), k = start.size();
    std::vector<double> effects(left_out.size() * k);
    {
        nb::gil_scoped_release release;
        TopicFit fit(columns.data(), y.data(), fixed.data(), precision.data(), n, k);
        for (std::size_t v = 0; v < left_out.size(); ++v) {
            double* const own = effects.data() + v * k;
            std::copy(start.data(), start.data() + k, own);
            fit.run(own, left_out[v] < 0 ? n : static_cast<std::size_t>(left_out[v]), steps);
        }
    }
    return hand_over(std::move(effects), {left_out.size(), k});
}

}  // namespace
}  // namespace poolwise

NB_MODULE(_core, module) {
    using namespace poolwise;
    nb::set_leak_warnings(false);

    module.attr("POOLED") = pooled;
    module.attr("OUTSIDE") = outside;
    module.attr("NO_RANK") = no_rank;
    module.attr("FAULTS") =
        nb::make_tuple("none", "columns", "score", "not_a_number", "label", "label_range", "stratum", "nul",
                       "long_line", "duplicate", "scattered", "unreadable", "compressed");
    module.attr("KERNELS") = [] {
        nb::list names;
        for (const Entry& entry : kernel_table) names.append(entry.name);
        return nb::tuple(names);
    }();
    module.attr("BOUNDED") = [] {
        nb::list names;
        for (const ExtremesEntry& entry : extremes_table) names.append(entry.name);
        return nb::tuple(names);
    }();

    nb::class_<Builder>(module, "Builder")
        .def(nb::init<bool>(), "keep_all"_a)
        .def("set_label_rules", &Builder::set_label_rules, "reserve_one"_a, "reserved"_a, "reserve_negative"_a)
        .def("set_depth", &Builder::set_depth, "depth"_a)
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
        .def("pack_run", &Builder::pack_run, "number"_a)
        .def("unpack_run", &Builder::unpack_run, "number"_a, "packed"_a)
        .def("expect_runs", &Builder::expect_runs, "count"_a)
        .def("read_runs", &Builder::read_runs, "numbers"_a, "paths"_a, "threads"_a)
        .def("start_run", &Builder::start_run, "number"_a, "gather"_a)
        .def("feed_run", &Builder::feed_run, "number"_a, "data"_a, "last"_a)
        .def("add_list", &Builder::add_list, "number"_a, "topic"_a, "documents"_a, "scores"_a)
        .def("finish_runs", &Builder::finish_runs)
        .def("pool", [](const Builder& builder) { return builder.pool; });

    nb::class_<Pool>(module, "Pool")
        .def("__getstate__", [](const Pool& pool) { return std::make_pair(pool.keep_all, to_bytes(pack(pool))); })
        .def("__setstate__",
             [](Pool& pool, const std::pair<bool, nb::bytes>& state) {
                 new (&pool) Pool(state.first);
                 unpack({state.second.c_str(), state.second.size()}, pool);
             })
        .def_ro("has_strata", &Pool::has_strata)
        .def_ro("keeps_all", &Pool::keep_all)
        .def_ro("distinct_labels", &Pool::distinct_labels)
        .def_ro("label_lines", &Pool::label_lines)
        .def_ro("label_blank", &Pool::label_blank)
        .def_ro("label_duplicates", &Pool::label_duplicates)
        .def_prop_ro("memory", &Pool::memory)
        .def_prop_ro("number_of_runs", [](const Pool& pool) { return pool.runs.size(); })
        .def("topic_names", &topic_names)
        .def("document_names", &document_names, "topic"_a)
        .def("labels", [](const Pool& pool) { return flat(pool, &Topic::labels); })
        .def("strata", [](const Pool& pool) { return flat(pool, &Topic::strata); })
        .def("rounds", [](const Pool& pool) { return flat(pool, &Topic::rounds); })
        .def("offsets", &offsets)
        .def("retrieved", &retrieved)
        .def("known_documents", &known_documents, "run"_a, "topic"_a)
        .def("all_documents", &all_documents, "run"_a, "topic"_a)
        .def("label_matrix", &label_matrix, "labels"_a, "depth"_a)
        .def("run_counts", &run_counts)
        .def("document_offsets", [](const Pool& pool) { return hand_over(document_offsets(pool)); })
        .def(
            "best_ranks",
            [](const Pool& pool, const std::vector<std::uint32_t>& runs) { return hand_over(best_ranks(pool, runs)); },
            "runs"_a)
        .def(
            "best_ranks_of_all",
            [](const Pool& pool, const std::vector<std::uint32_t>& runs) {
                return hand_over(best_ranks_of_all(pool, runs));
            },
            "runs"_a)
        .def(
            "random_numbers",
            [](const Pool& pool, std::uint64_t seed, std::uint64_t trial) {
                return hand_over(random_numbers(pool, seed, trial));
            },
            "seed"_a, "trial"_a)
        .def("draw", &draw, "labels"_a, "classes"_a, "counts"_a, "seed"_a, "trials"_a, "threads"_a)
        .def("rank_weights", &rank_weights_of, "topic"_a, "runs"_a, "table"_a)
        .def("rank_summary", &rank_summary_of, "topic"_a)
        .def("precision_slopes", &precision_slopes_of, "topic"_a, "runs"_a, "depth"_a, "p"_a)
        .def("precision_variants", &precision_variants_of, "topic"_a, "runs"_a, "depth"_a, "p"_a, "own"_a)
        .def("pair_sums", &pair_sums_of, "topic"_a, "runs"_a, "depth"_a, "matrix"_a, "place"_a)
        .def("bounds", &bound_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a)
        .def("unjudged_strata", &unjudged_strata, "labels"_a, "strata"_a)
        .def("score", &score_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a,
             "strata"_a = nb::none(), "runs"_a = nb::none());

    module.def("count_flips", &count_flips_of, "values"_a, "signs"_a, "first"_a, "second"_a, "thresholds"_a,
               "threads"_a);
    module.def("bootstrap_pairs", &bootstrap_pairs_of, "centred"_a, "taken"_a, "first"_a, "second"_a, "wanted"_a,
               "place"_a, "noise"_a, "threads"_a);
    module.def("kind_of", [](nb::bytes start) { return kind_of(start.c_str(), start.size()); }, "start"_a);
    module.def("sum_topics", &sum_topics, "values"_a, "counted"_a.none(), "runs"_a, "topics"_a, "start"_a = nb::none());
    module.def("find_blocks", &blocks_of, "text"_a);
    module.def("leave_pairs_out", &leave_pairs_out_of, "q"_a, "residual"_a, "leverage"_a, "spread"_a, "weight"_a);
    module.def("fit_without_each", &fit_without_each, "columns"_a, "y"_a, "fixed"_a, "start"_a, "precision"_a,
               "left_out"_a, "steps"_a);
}
