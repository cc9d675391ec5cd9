// Scoring many samples of labels at once, and bounds.
#include <map>

#include "border.hpp"
#include "measures/front.hpp"
#include "scores/front.hpp"

namespace poolwise {
namespace {

// A measure as Python asks for it; classes are the labels in ascending order.
struct KernelSpec {
    std::string kernel;
    bool condensed = false;
    std::uint32_t cutoff = 0;              // 0: none
    std::vector<int> relevant;             // by class
    std::vector<double> gains;             // by class
    std::string discount;                  // its name, "": none
    std::vector<double> discount_numbers;  // what the discount takes
    std::vector<double> numbers;           // what else the kernel takes
    bool counts_missing = false;           // whether topics that a run lacks have a score
    double low = 0.0, high = 1.0;          // of all scores

    auto all() {
        return std::tie(kernel, condensed, cutoff, relevant, gains, discount, discount_numbers, numbers, counts_missing,
                        low, high);
    }
};

template <class... T>
std::tuple<T...> copied(const std::tuple<T&...>& fields) {
    return fields;
}
using State = decltype(copied(std::declval<KernelSpec&>().all()));

Spec to_spec(const KernelSpec& ask, std::size_t classes, std::size_t depth) {
    const Entry* entry = find_entry(ask.kernel);
    if (entry == nullptr) throw nb::value_error(("no kernel " + ask.kernel).c_str());
    const Takes& takes = entry->takes;
    const bool lacks_gains = takes.gains != Gains::none && ask.gains.size() != classes;
    if (ask.relevant.size() != classes || lacks_gains || ask.numbers.size() < takes.count() ||
        (takes.cutoff && ask.cutoff == 0))
        throw nb::value_error(("kernel " + ask.kernel + " lacks labels, gains, numbers or a cut-off").c_str());
    return {ask.kernel,
            ask.condensed,
            ask.cutoff,
            {ask.relevant.begin(), ask.relevant.end()},
            ask.gains,
            ask.discount.empty() ? std::vector<double>{}
                                 : discounts(ask.discount, ask.discount_numbers, std::max(depth, takes.depth)),
            ask.numbers,
            ask.low,
            ask.high};
}

std::vector<Spec> to_specs(const Pool& pool, const std::vector<KernelSpec>& asks, std::size_t classes,
                           std::vector<char>& count_missing) {
    const std::size_t depth = deepest_rank(pool);
    std::vector<Spec> specs;
    for (const KernelSpec& ask : asks) {
        specs.push_back(to_spec(ask, classes, depth));
        count_missing.push_back(ask.counts_missing);
    }
    return specs;
}

// Without strata every topic is one stratum; without runs, all are scored.
View<double, 4> score_samples(const Pool& pool, const std::vector<KernelSpec>& asks, Labels labels, std::size_t samples,
                              const std::vector<std::int32_t>& distinct, std::size_t threads,
                              std::optional<Labels> strata, std::optional<std::vector<std::size_t>> chosen) {
    check_size(pool, labels, samples);
    if (strata) check_size(pool, *strata, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, distinct.size(), count_missing);
    std::vector<std::size_t> runs(pool.runs.size());
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    if (chosen) runs = *chosen;
    check_runs(pool, runs);
    std::vector<double> values(size_of({samples, specs.size(), runs.size(), pool.topics.size()}));
    {
        nb::gil_scoped_release release;
        score(pool, specs, count_missing, {labels.data(), strata ? strata->data() : nullptr, samples, distinct}, runs,
              threads, values.data());
    }
    return hand_over(std::move(values), {samples, specs.size(), runs.size(), pool.topics.size()});
}

// Lowest and highest values, and which measures' bounds are exact. `distinct` are the labels that documents may get.
std::tuple<View<double, 4>, View<double, 4>, std::vector<bool>> bound_samples(const Pool& pool,
                                                                              const std::vector<KernelSpec>& asks,
                                                                              Labels labels, std::size_t samples,
                                                                              const std::vector<std::int32_t>& distinct,
                                                                              std::size_t threads) {
    check_size(pool, labels, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, distinct.size(), count_missing);
    std::vector<bool> exact;
    for (const Spec& spec : specs) exact.push_back(make_extremes(spec)->exact());
    const std::size_t size = size_of({samples, specs.size(), pool.runs.size(), pool.topics.size()});
    std::vector<double> low(size), high(size);
    {
        nb::gil_scoped_release release;
        bounds(pool, specs, count_missing, {labels.data(), nullptr, samples, distinct}, threads, low.data(),
               high.data());
    }
    const std::size_t shape[] = {samples, specs.size(), pool.runs.size(), pool.topics.size()};
    return {hand_over(std::move(low), shape), hand_over(std::move(high), shape), exact};
}

// Means of scores over all orders of tied documents; of measures without a closed form over `draws` orders, where
// these are too many to try.
View<double, 4> expected_samples(const Pool& pool, const std::vector<KernelSpec>& asks, Labels labels,
                                 std::size_t samples, const std::vector<std::int32_t>& distinct, std::size_t threads,
                                 std::optional<Labels> strata, std::size_t draws) {
    check_size(pool, labels, samples);
    if (strata) check_size(pool, *strata, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, distinct.size(), count_missing);
    std::vector<double> values(size_of({samples, specs.size(), pool.runs.size(), pool.topics.size()}));
    {
        nb::gil_scoped_release release;
        score_expected(pool, specs, count_missing,
                       {labels.data(), strata ? strata->data() : nullptr, samples, distinct}, draws, threads,
                       values.data());
    }
    return hand_over(std::move(values), {samples, specs.size(), pool.runs.size(), pool.topics.size()});
}

// Lowest and highest scores over orders of tied documents.
std::tuple<View<double, 4>, View<double, 4>> tied_range(const Pool& pool, const std::vector<KernelSpec>& asks,
                                                        Labels labels, std::size_t samples,
                                                        const std::vector<std::int32_t>& distinct, std::size_t threads,
                                                        std::optional<Labels> strata) {
    check_size(pool, labels, samples);
    if (strata) check_size(pool, *strata, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, distinct.size(), count_missing);
    const std::size_t size = size_of({samples, specs.size(), pool.runs.size(), pool.topics.size()});
    std::vector<double> low(size), high(size);
    {
        nb::gil_scoped_release release;
        score_range(pool, specs, count_missing, {labels.data(), strata ? strata->data() : nullptr, samples, distinct},
                    threads, low.data(), high.data());
    }
    const std::size_t shape[] = {samples, specs.size(), pool.runs.size(), pool.topics.size()};
    return {hand_over(std::move(low), shape), hand_over(std::move(high), shape)};
}

// Lowest and highest differences of pairs of runs (a negative second: of one run alone), pairs x topics, over labels of
// the unjudged documents down to a depth.
std::tuple<View<double, 2>, View<double, 2>> score_range_of(const Pool& pool, const KernelSpec& ask, Labels labels,
                                                            const std::vector<std::int32_t>& distinct,
                                                            std::uint32_t depth, const std::vector<std::int32_t>& first,
                                                            const std::vector<std::int32_t>& second,
                                                            std::size_t threads) {
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    if (std::any_of(second.begin(), second.end(), [](std::int32_t run) { return run >= 0; })) check_whole(pool);
    const Spec spec = to_spec(ask, distinct.size(), 2 * deepest_rank(pool));
    const std::size_t topics = pool.topics.size();
    std::vector<double> low(size_of({first.size(), topics})), high(low.size());
    {
        nb::gil_scoped_release release;
        for_each(topics, threads, [&](Stopper& stop) {
            return [&, reach = std::make_unique<ScoreRangeSearch>(pool, spec, ask.counts_missing, distinct, depth)](
                       std::size_t topic) {
                reach->open(static_cast<std::uint32_t>(topic), labels.data() + pool.offsets[topic]);
                for (std::size_t i = 0; i < first.size(); ++i) {
                    stop();
                    const Range range = reach->of(first[i], second[i]);
                    low[i * topics + topic] = range.low;
                    high[i * topics + topic] = range.high;
                }
            };
        });
    }
    return {hand_over(std::move(low), {first.size(), topics}), hand_over(std::move(high), {first.size(), topics})};
}

// Scores of runs on a topic under drawn labels (sets x draws x listed documents): runs x draws of the first set, and
// runs x documents x classes, the mean over draws when a document has each label, in the set that is its own; 0 where
// `wanted` (runs x documents) is 0.
std::tuple<View<double, 2>, View<double, 3>> simulated_of(const Pool& pool, std::uint32_t topic,
                                                          const std::vector<std::size_t>& runs, const KernelSpec& ask,
                                                          Labels labels, const std::vector<std::int32_t>& documents,
                                                          const std::vector<std::int32_t>& sets, Labels wanted) {
    check_topic(pool, topic);
    check_runs(pool, runs);
    const std::size_t listed = pool.topics[topic]->listed, classes = ask.relevant.size();
    check(labels.ndim() == 3 && labels.shape(2) == listed, "labels are sets x draws x listed documents");
    check(documents.size() == sets.size() && wanted.size() == size_of({runs.size(), documents.size()}),
          "documents, their sets and what is wanted do not fit each other");
    const Draws draws{labels.data(), labels.shape(0), labels.shape(1), listed, classes};
    for (std::size_t i = 0; i < labels.size(); ++i)
        check(labels.data()[i] < static_cast<std::int64_t>(classes), "no such class");
    for (const std::int32_t document : documents)
        check(document >= 0 && static_cast<std::size_t>(document) < listed && labels.data()[document] >= 0,
              "no such pooled document");
    for (const std::int32_t set : sets)
        check(set >= 0 && static_cast<std::size_t>(set) < draws.sets, "no such set of draws");
    const Spec spec = to_spec(ask, classes, deepest_rank(pool));
    std::vector<double> values(size_of({runs.size(), draws.draws}));
    std::vector<double> means(size_of({runs.size(), documents.size(), classes}), 0.0);
    {
        nb::gil_scoped_release release;
        Stopper stop;
        SimulatedScores simulated(pool, topic, spec, ask.counts_missing, draws);
        for (std::size_t r = 0; r < runs.size(); ++r) {
            stop();
            simulated.turn_to(runs[r]);
            for (std::size_t set = 0; set < draws.sets; ++set) {
                simulated.open(set);
                if (set == 0) simulated.values(values.data() + r * draws.draws);
                simulated.means({documents, sets}, wanted.data() + r * documents.size(),
                                means.data() + r * documents.size() * classes);
            }
        }
    }
    return {hand_over(std::move(values), {runs.size(), draws.draws}),
            hand_over(std::move(means), {runs.size(), documents.size(), classes})};
}

// Means of scores over independent labels, by formula: runs x draws of the first set, and runs x documents x classes,
// the mean over draws when a document has each class. `table` is what a stop at each rank is worth; without one it is
// precision at `times` the number of relevant documents.
std::tuple<View<double, 2>, View<double, 3>> expected_scores_of(const Pool& pool, std::uint32_t topic,
                                                                const std::vector<std::size_t>& runs, Numbers chances,
                                                                Labels class_of, const std::vector<double>& worth,
                                                                Numbers table, double times, bool condensed,
                                                                const std::vector<std::int32_t>& documents,
                                                                const std::vector<std::int32_t>& sets, Labels wanted) {
    check_topic(pool, topic);
    check_runs(pool, runs);
    const std::size_t listed = pool.topics[topic]->listed, classes = worth.size();
    check(chances.ndim() == 3 && chances.shape(2) == listed && class_of.size() == listed && chances.shape(0) > 0,
          "chances are sets x draws x listed documents");
    check(documents.size() == sets.size() && wanted.size() == size_of({runs.size(), documents.size()}),
          "documents, their sets and what is wanted do not fit each other");
    const LabelChances drawn{chances.data(), chances.shape(0), chances.shape(1), listed, class_of.data(), worth};
    for (std::size_t d = 0; d < listed; ++d)
        check(class_of.data()[d] < static_cast<std::int64_t>(classes), "no such class");
    for (const std::int32_t document : documents)
        check(document >= 0 && static_cast<std::size_t>(document) < listed, "no such document");
    for (const std::int32_t set : sets)
        check(set >= 0 && static_cast<std::size_t>(set) < drawn.sets, "no such set of chances");
    std::vector<double> values(size_of({runs.size(), drawn.draws}));
    std::vector<double> means(size_of({runs.size(), documents.size(), classes}), 0.0);
    {
        nb::gil_scoped_release release;
        Stopper stop;
        std::vector<PooledList> lists;
        for (const std::size_t run : runs) lists.emplace_back(pool, topic, run, drawn, condensed);
        const Relabelled tried{documents, sets};
        const std::size_t width = documents.size() * classes;
        ExpectedStops stops(drawn, table.data(), table.size());
        ExpectedPrecision precision(drawn, times);
        for (std::size_t set = 0; set < drawn.sets; ++set) {
            stop();
            for (std::size_t r = 0; table.size() > 0 && r < runs.size(); ++r)
                stops.look(lists[r], set, tried, wanted.data() + r * documents.size(),
                           set == 0 ? values.data() + r * drawn.draws : nullptr,
                           width > 0 ? means.data() + r * width : nullptr);
            for (std::size_t draw = 0; table.size() == 0 && draw < drawn.draws; ++draw) {
                precision.turn_to(set, draw);
                for (std::size_t r = 0; r < runs.size(); ++r) {
                    const double found = precision.look(lists[r], set, tried, wanted.data() + r * documents.size(),
                                                        width > 0 ? means.data() + r * width : nullptr);
                    if (set == 0) values[r * drawn.draws + draw] = found;
                }
            }
        }
    }
    return {hand_over(std::move(values), {runs.size(), drawn.draws}),
            hand_over(std::move(means), {runs.size(), documents.size(), classes})};
}

// How far labels of documents outside the pool could lower and raise scores of runs on a topic, and differences (a
// negative second run: a score), down to a depth: means over drawn labels (draws x listed documents).
std::tuple<View<double>, View<double>> drawn_score_range_of(const Pool& pool, std::uint32_t topic,
                                                            const KernelSpec& ask, Labels labels, std::uint32_t depth,
                                                            const std::vector<std::int32_t>& first,
                                                            const std::vector<std::int32_t>& second) {
    check_whole(pool);
    check_topic(pool, topic);
    check_pairs(pool, first, second);
    const std::size_t listed = pool.topics[topic]->listed;
    check(labels.ndim() == 2 && labels.shape(1) == listed && labels.shape(0) > 0, "labels are draws x documents");
    const std::size_t draws = labels.shape(0);
    std::vector<std::int32_t> classes(ask.relevant.size());
    std::iota(classes.begin(), classes.end(), 0);
    const Spec spec = to_spec(ask, classes.size(), 2 * deepest_rank(pool));
    std::vector<double> fall(first.size(), 0.0), rise(first.size(), 0.0);
    {
        nb::gil_scoped_release release;
        Stopper stop;
        ScoreRangeSearch open(pool, spec, ask.counts_missing, classes, depth);
        ScoreRangeSearch closed(pool, spec, ask.counts_missing, classes, 0);
        for (std::size_t draw = 0; draw < draws; ++draw) {
            open.open(topic, labels.data() + draw * listed);
            closed.open(topic, labels.data() + draw * listed);
            for (std::size_t i = 0; i < first.size(); ++i) {
                stop();
                const double start = closed.of(first[i], second[i]).low;
                const Range range = open.of(first[i], second[i]);
                fall[i] += (start - range.low) / static_cast<double>(draws);
                rise[i] += (range.high - start) / static_cast<double>(draws);
            }
        }
    }
    return {hand_over(std::move(fall)), hand_over(std::move(rise))};
}

// (topic, stratum) of every stratum of which no document is judged.
std::vector<std::pair<std::uint32_t, std::int32_t>> unjudged_strata(const Pool& pool, Labels labels, Labels strata) {
    check_size(pool, labels, 1);
    check_size(pool, strata, 1);
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
    check(!counted || (runs > 0 && counted->size() == size_of({runs, topics})), "counts do not fit");
    check(!start || start->size() == rows, "sums to go on from do not fit");
    if (start) sums.assign(start->data(), start->data() + rows);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t t = 0; t < topics; ++t)
            if (!counted || counted->data()[(row % runs) * topics + t] != 0)
                sums[row] += values.data()[row * topics + t];
    return hand_over(std::move(sums));
}

}  // namespace

void bind_scoring(nb::module_& module, nb::class_<Pool>& pool) {
    module.attr("KERNELS") = names_of(kernel_table);
    module.attr("BOUNDED") = names_of(extremes_table);
    module.attr("EXPECTED") = names_of(expectation_table);
    module.attr("NEGATIVE") = [] {
        nb::list names;
        for (const char* name : negative_choices) names.append(name);
        return nb::tuple(names);
    }();
    module.attr("DISCOUNTS") = [] {
        nb::list names;
        for (const DiscountEntry& entry : discount_table)
            if (entry.chosen_by_name) names.append(entry.name);
        return nb::tuple(names);
    }();

    nb::class_<KernelSpec>(module, "KernelSpec")
        .def(nb::init<>())
        .def_rw("kernel", &KernelSpec::kernel)
        .def_rw("condensed", &KernelSpec::condensed)
        .def_rw("cutoff", &KernelSpec::cutoff)
        .def_rw("relevant", &KernelSpec::relevant)
        .def_rw("gains", &KernelSpec::gains)
        .def_rw("discount", &KernelSpec::discount)
        .def_rw("discount_numbers", &KernelSpec::discount_numbers)
        .def_rw("numbers", &KernelSpec::numbers)
        .def_rw("counts_missing", &KernelSpec::counts_missing)
        .def_rw("low", &KernelSpec::low)
        .def_rw("high", &KernelSpec::high)
        .def("__getstate__", [](KernelSpec& ask) { return copied(ask.all()); })
        .def("__setstate__", [](KernelSpec& ask, const State& state) { (new (&ask) KernelSpec)->all() = state; });

    pool.def("bounds", &bound_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a)
        .def("score_range", &score_range_of, "measure"_a, "labels"_a, "distinct"_a, "depth"_a, "first"_a, "second"_a,
             "threads"_a)
        .def("simulated", &simulated_of, "topic"_a, "runs"_a, "measure"_a, "labels"_a, "documents"_a, "sets"_a,
             "wanted"_a)
        .def("expected_scores", &expected_scores_of, "topic"_a, "runs"_a, "chances"_a, "class_of"_a, "worth"_a,
             "table"_a, "times"_a, "condensed"_a, "documents"_a, "sets"_a, "wanted"_a)
        .def("drawn_score_range", &drawn_score_range_of, "topic"_a, "measure"_a, "labels"_a, "depth"_a, "first"_a,
             "second"_a)
        .def("expected", &expected_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a,
             "strata"_a.none(), "draws"_a)
        .def("tied_range", &tied_range, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a,
             "strata"_a.none())
        .def("unjudged_strata", &unjudged_strata, "labels"_a, "strata"_a)
        .def("score", &score_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a,
             "strata"_a = nb::none(), "runs"_a = nb::none());

    module.def(
        "discounts",
        [](const std::string& name, const std::vector<double>& numbers, std::size_t depth, std::size_t cutoff) {
            return hand_over(discounts(name, numbers, depth, cutoff));
        },
        "name"_a, "numbers"_a, "depth"_a, "cutoff"_a = 0);
    module.def("sum_topics", &sum_topics, "values"_a, "counted"_a.none(), "runs"_a, "topics"_a, "start"_a = nb::none());
}

}  // namespace poolwise
