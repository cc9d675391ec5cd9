// Documents that labels do not speak for.
#include "estimates/front.hpp"

#include "border.hpp"

namespace poolwise {
namespace {

using Indices = std::vector<std::int32_t>;
using Counts = nb::ndarray<const std::uint32_t, nb::c_contig, nb::device::cpu>;

View<std::uint32_t> covered_ranks_of(const Pool& pool, Labels labels) {
    check_size(pool, labels, 1);
    return hand_over(covered_ranks(pool, labels.data()));
}

View<std::int32_t, 2> count_open_of(const Pool& pool, Labels labels, std::uint32_t depth, bool unjudged) {
    check_size(pool, labels, 1);
    std::vector<std::int32_t> counts(pool.runs.size() * pool.topics.size(), 0);
    {
        nb::gil_scoped_release release;
        count_open(pool, labels.data(), depth, unjudged, counts.data());
    }
    return hand_over(std::move(counts), {pool.runs.size(), pool.topics.size()});
}

View<std::int64_t, 2> total_open_of(const Pool& pool, Labels labels, std::uint32_t depth, bool unjudged) {
    check_size(pool, labels, 1);
    std::vector<std::int64_t> totals(2 * pool.runs.size(), 0);
    total_open(pool, labels.data(), depth, unjudged, totals.data());
    return hand_over(std::move(totals), {pool.runs.size(), 2});
}

View<std::int64_t, 2> outside_by_rank_of(const Pool& pool, Labels labels, const std::vector<std::size_t>& runs,
                                         std::uint32_t begin, std::uint32_t end) {
    check_size(pool, labels, 1);
    check_runs(pool, runs);
    check(begin <= end, "a stretch of ranks ends before it begins");
    std::vector<std::int64_t> counts(std::size_t{2} * (end - begin), 0);
    outside_by_rank(pool, labels.data(), runs, begin, end, counts.data());
    return hand_over(std::move(counts), {end - begin, 2});
}

// Values without any open document, and the lowest and highest with them.
using Ends = std::tuple<View<double>, View<double>, View<double>>;

Ends precision_range_of(const Pool& pool, std::uint32_t topic, Labels labels, const Indices& first,
                        const Indices& second, std::uint32_t depth, std::uint32_t cutoff, Numbers p, double relevant) {
    check_whole(pool);
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    if (p.size() != pool.topics.at(topic)->listed) throw nb::value_error("one p for each listed document");
    std::vector<double> start(first.size()), low(first.size()), high(first.size());
    {
        nb::gil_scoped_release release;
        OpenDocuments open_documents(pool, depth, false);
        PrecisionRange range;
        PrecisionSum a, b;
        for (std::size_t i = 0; i < first.size(); ++i) {
            const auto& open = open_documents.of(topic, first[i], second[i], labels.data() + pool.offsets[topic]);
            a.look(pool, first[i], topic, cutoff, p.data());
            b.look(pool, second[i], topic, cutoff, p.data());
            start[i] = (a.total() - b.total()) / std::max(relevant, 1.0);
            low[i] = range.farthest(-1.0, a, b, relevant, open);
            high[i] = range.farthest(1.0, a, b, relevant, open);
        }
    }
    return {hand_over(std::move(start)), hand_over(std::move(low)), hand_over(std::move(high))};
}

// `table` are discounts by rank - 1, `gain` the expected gain of each listed document, `worth` steps x (1 + the most
// open documents) or nothing for a divisor of 1; `divisor` is the one without any open document.
Ends gain_range_of(const Pool& pool, std::uint32_t topic, Labels labels, const Indices& first, const Indices& second,
                   std::uint32_t depth, Numbers table, Numbers gain, Numbers height, std::optional<Numbers> worth,
                   double divisor) {
    check_whole(pool);
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    if (gain.size() != pool.topics.at(topic)->listed) throw nb::value_error("one gain for each listed document");
    const std::size_t most = worth ? worth->size() / height.size() - 1 : 0;
    std::vector<double> start(first.size()), low(first.size()), high(first.size()), weights;
    {
        nb::gil_scoped_release release;
        OpenDocuments open_documents(pool, depth, false);
        GainRange range(height.data(), height.size(), worth ? worth->data() : nullptr, most);
        const auto weight = [&](std::uint32_t rank) {
            return rank == 0 || rank > table.size() ? 0.0 : table.data()[rank - 1];
        };
        for (std::size_t i = 0; i < first.size(); ++i) {
            weights.clear();
            for (const OpenRanks& ranks :
                 open_documents.of(topic, first[i], second[i], labels.data() + pool.offsets[topic]))
                weights.push_back(weight(ranks.a) - weight(ranks.b));
            if (worth && weights.size() > most) throw std::invalid_argument("worth of too few documents");
            const double total = list_total(pool, topic, first[i], table.data(), table.size(), gain.data()) -
                                 list_total(pool, topic, second[i], table.data(), table.size(), gain.data());
            start[i] = total / divisor;
            low[i] = range.farthest(-1.0, start[i], total, weights);
            high[i] = range.farthest(1.0, start[i], total, weights);
        }
    }
    return {hand_over(std::move(start)), hand_over(std::move(low)), hand_over(std::move(high))};
}

View<std::uint32_t> retrieving_runs_of(const Pool& pool, std::uint32_t topic, std::uint32_t depth) {
    if (topic >= pool.topics.size()) throw nb::index_error("no such topic");
    check_whole(pool);
    return hand_over(retrieving_runs(pool, topic, depth));
}

// StepRates of the topic's documents (steps x documents), and of those that no, one, ... `many` runs have.
std::tuple<View<double, 2>, View<double, 2>> rates_of_others_of(const Pool& pool, std::uint32_t topic, Labels labels,
                                                                Counts runs, Numbers tail_chance, std::uint32_t many,
                                                                double prior, double caution) {
    check_whole(pool);
    check_size(pool, labels, 1);
    check_topic(pool, topic);
    const std::size_t documents = pool.topics[topic]->documents.size(), listed = pool.topics[topic]->listed;
    const std::int32_t* const of_topic = labels.data() + pool.offsets[topic];
    const auto pooled = listed - static_cast<std::size_t>(std::count(of_topic, of_topic + listed, outside));
    check(runs.size() == documents, "one number of runs for each document");
    check(tail_chance.ndim() == 2 && tail_chance.shape(0) == pooled, "one row per pooled document is needed");
    const std::size_t steps = tail_chance.shape(1);
    const RatesByRuns found(runs.data(), of_topic, listed, tail_chance.data(), steps, many);
    std::vector<double> rates = found.rates(prior, caution), spread = found.spread(rates, documents);
    return {hand_over(std::move(spread), {steps, documents}),
            hand_over(std::move(rates), {many + std::size_t{1}, steps})};
}

StepRates checked(const Pool& pool, std::uint32_t topic, const Numbers& rates, std::size_t steps) {
    const std::size_t documents = pool.topics.at(topic)->documents.size();
    if (steps == 0 || rates.size() != steps * documents) throw nb::value_error("one rate for each step and document");
    return {rates.data(), documents, steps};
}

// By how much documents that only other runs have could lower and raise values.
std::tuple<View<double>, View<double>> precision_range_of_others_of(const Pool& pool, std::uint32_t topic,
                                                                    Labels labels, const Indices& first,
                                                                    const Indices& second, std::uint32_t own_depth,
                                                                    std::uint32_t cutoff, Numbers p, double relevant,
                                                                    Numbers rates) {
    check_whole(pool);
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    const StepRates checked_rates = checked(pool, topic, rates, 1);
    if (p.size() != pool.topics.at(topic)->listed) throw nb::value_error("one p for each listed document");
    std::vector<double> fall(first.size()), rise(first.size());
    {
        nb::gil_scoped_release release;
        OtherDocuments others(pool, topic, own_depth, checked_rates);
        PrecisionSum a, b;
        const double unit = 1.0;
        const auto divisor = [&](const std::vector<double>& mass) { return std::max(relevant + mass[0], 1.0); };
        const auto total_of = [&](PrecisionSum& sum, std::int32_t run) {
            if (!others.any()) return PrecisionSum::total_of(pool, run, topic, cutoff, p.data());
            sum.look(pool, run, topic, cutoff, p.data());
            return sum.total();
        };
        for (std::size_t i = 0; i < first.size(); ++i) {
            const double total = total_of(a, first[i]) - total_of(b, second[i]);
            const double start = total / std::max(relevant, 1.0);
            others.look(
                first[i], second[i], [&](std::uint32_t rank) { return a.growth(rank); },
                [&](std::uint32_t rank) { return b.growth(rank); });
            fall[i] = start - others.farthest(-1.0, start, total, &unit, divisor);
            rise[i] = others.farthest(1.0, start, total, &unit, divisor) - start;
        }
    }
    return {hand_over(std::move(fall)), hand_over(std::move(rise))};
}

// `worth` (steps x points) is what the ideal list has of each step with 0 to `most` documents more that take it, `some`
// (points) the chance that there is one to take the first.
std::tuple<View<double>, View<double>> gain_range_of_others_of(const Pool& pool, std::uint32_t topic, Labels labels,
                                                               const Indices& first, const Indices& second,
                                                               std::uint32_t own_depth, Numbers table, Numbers gain,
                                                               Numbers height, Numbers worth, Numbers some,
                                                               Numbers most, double divisor, Numbers rates) {
    check_whole(pool);
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    const StepRates checked_rates = checked(pool, topic, rates, height.size());
    const std::size_t steps = checked_rates.steps, points = some.size();
    if (gain.size() != pool.topics.at(topic)->listed) throw nb::value_error("one gain for each listed document");
    if (most.size() != steps || worth.size() != steps * points)
        throw nb::value_error("one height, most and row of worths for each step");
    std::vector<double> fall(first.size()), rise(first.size());
    {
        nb::gil_scoped_release release;
        OtherDocuments others(pool, topic, own_depth, checked_rates);
        const auto weight = [&](std::uint32_t rank) {
            return rank == 0 || rank > table.size() ? 0.0 : table.data()[rank - 1];
        };
        const auto ideal = [&](const std::vector<double>& mass) {
            double sum = 0.0;
            for (std::size_t h = 0; h < steps; ++h)
                sum += height.data()[h] * between(worth.data() + h * points, points, most.data()[h], mass[h]);
            sum /= between(some.data(), points, most.data()[0], mass[0]);
            return sum > 0.0 ? sum : std::numeric_limits<double>::infinity();
        };
        for (std::size_t i = 0; i < first.size(); ++i) {
            others.look(first[i], second[i], weight, weight);
            const double total = list_total(pool, topic, first[i], table.data(), table.size(), gain.data()) -
                                 list_total(pool, topic, second[i], table.data(), table.size(), gain.data());
            const double start = total / divisor;
            fall[i] = start - others.farthest(-1.0, start, total, height.data(), ideal);
            rise[i] = others.farthest(1.0, start, total, height.data(), ideal) - start;
        }
    }
    return {hand_over(std::move(fall)), hand_over(std::move(rise))};
}

}  // namespace

void bind_outside(nb::class_<Pool>& pool) {
    pool.def("covered_ranks", &covered_ranks_of, "labels"_a)
        .def("count_open", &count_open_of, "labels"_a, "depth"_a, "unjudged"_a)
        .def("total_open", &total_open_of, "labels"_a, "depth"_a, "unjudged"_a)
        .def("outside_by_rank", &outside_by_rank_of, "labels"_a, "runs"_a, "begin"_a, "end"_a)
        .def("precision_range", &precision_range_of, "topic"_a, "labels"_a, "first"_a, "second"_a, "depth"_a,
             "cutoff"_a, "p"_a, "relevant"_a)
        .def("gain_range", &gain_range_of, "topic"_a, "labels"_a, "first"_a, "second"_a, "depth"_a, "table"_a, "gain"_a,
             "height"_a, "worth"_a.none(), "divisor"_a)
        .def("retrieving_runs", &retrieving_runs_of, "topic"_a, "depth"_a)
        .def("rates_of_others", &rates_of_others_of, "topic"_a, "labels"_a, "runs"_a, "tail_chance"_a, "many"_a,
             "prior"_a, "caution"_a)
        .def("precision_range_of_others", &precision_range_of_others_of, "topic"_a, "labels"_a, "first"_a, "second"_a,
             "own_depth"_a, "cutoff"_a, "p"_a, "relevant"_a, "rates"_a)
        .def("gain_range_of_others", &gain_range_of_others_of, "topic"_a, "labels"_a, "first"_a, "second"_a,
             "own_depth"_a, "table"_a, "gain"_a, "height"_a, "worth"_a, "some"_a, "most"_a, "divisor"_a, "rates"_a);
}

}  // namespace poolwise
