// Scoring many samples of labels at once, and bounds.
#include <map>

#include "../bounds.hpp"
#include "border.hpp"

namespace poolwise {
namespace {

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
std::tuple<View<double>, View<double>, std::vector<bool>> bound_samples(const Pool& pool, const std::vector<Ask>& asks,
                                                                        Labels labels, std::size_t samples,
                                                                        const std::vector<std::int32_t>& distinct,
                                                                        std::size_t threads) {
    check_size(pool, labels, samples);
    std::vector<char> count_missing;
    const std::vector<Spec> specs = to_specs(pool, asks, count_missing);
    std::vector<bool> exact;
    for (const Spec& spec : specs) {
        const auto extremes = make_extremes(spec);
        if (extremes == nullptr) throw nb::value_error(("no bounds of " + spec.kernel).c_str());
        exact.push_back(extremes->exact());
    }
    const std::size_t size = size_of({samples, specs.size(), pool.runs.size(), pool.topics.size()});
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

    pool.def("bounds", &bound_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a)
        .def("unjudged_strata", &unjudged_strata, "labels"_a, "strata"_a)
        .def("score", &score_samples, "measures"_a, "labels"_a, "samples"_a, "distinct"_a, "threads"_a,
             "strata"_a = nb::none(), "runs"_a = nb::none());

    module.def("sum_topics", &sum_topics, "values"_a, "counted"_a.none(), "runs"_a, "topics"_a, "start"_a = nb::none());
}

}  // namespace poolwise
