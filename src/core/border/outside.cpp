// Documents that labels do not speak for.
#include "../outside.hpp"

#include "border.hpp"

namespace poolwise {
namespace {

using Places = std::vector<std::int32_t>;

View<std::uint32_t> covered_ranks_of(const Pool& pool, Labels labels) {
    check_size(pool, labels, 1);
    return hand_over(covered_ranks(pool, labels.data()));
}

View<std::int32_t> count_open_of(const Pool& pool, Labels labels, std::uint32_t depth, bool unjudged) {
    check_size(pool, labels, 1);
    std::vector<std::int32_t> counts(pool.runs.size() * pool.topics.size(), 0);
    {
        nb::gil_scoped_release release;
        count_open(pool, labels.data(), depth, unjudged, counts.data());
    }
    return hand_over(std::move(counts), {pool.runs.size(), pool.topics.size()});
}

std::tuple<View<double>, View<double>> precision_reach_of(const Pool& pool, std::uint32_t topic, Labels labels,
                                                          const Places& first, const Places& second,
                                                          std::uint32_t depth, std::uint32_t cutoff, Numbers p,
                                                          double relevant) {
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    if (p.size() != pool.topics.at(topic)->listed) throw nb::value_error("one p for each listed document");
    std::vector<double> low(first.size()), high(first.size());
    {
        nb::gil_scoped_release release;
        OpenPlaces places(pool, depth, false);
        PrecisionReach reach;
        PrecisionSum a, b;
        for (std::size_t i = 0; i < first.size(); ++i) {
            const auto& open = places.of(topic, first[i], second[i], labels.data() + pool.offsets[topic]);
            a.look(pool, first[i], topic, cutoff, p.data());
            b.look(pool, second[i], topic, cutoff, p.data());
            low[i] = reach.farthest(-1.0, a, b, relevant, open);
            high[i] = reach.farthest(1.0, a, b, relevant, open);
        }
    }
    return {hand_over(std::move(low)), hand_over(std::move(high))};
}

// `table` are discounts by rank - 1, `gain` the expected gain of each listed document, `worth` steps x (1 + the most
// open documents) or nothing for a divisor of 1; `divisor` is the one without any open document.
std::tuple<View<double>, View<double>> gain_reach_of(const Pool& pool, std::uint32_t topic, Labels labels,
                                                     const Places& first, const Places& second, std::uint32_t depth,
                                                     Numbers table, Numbers gain, Numbers height,
                                                     std::optional<Numbers> worth, double divisor) {
    check_size(pool, labels, 1);
    check_pairs(pool, first, second);
    if (gain.size() != pool.topics.at(topic)->listed) throw nb::value_error("one gain for each listed document");
    const std::size_t most = worth ? worth->size() / height.size() - 1 : 0;
    std::vector<double> low(first.size()), high(first.size()), weights;
    {
        nb::gil_scoped_release release;
        OpenPlaces places(pool, depth, false);
        GainReach reach(height.data(), height.size(), worth ? worth->data() : nullptr, most);
        const auto weight = [&](std::uint32_t rank) {
            return rank == 0 || rank > table.size() ? 0.0 : table.data()[rank - 1];
        };
        for (std::size_t i = 0; i < first.size(); ++i) {
            weights.clear();
            for (const OpenPlace& place : places.of(topic, first[i], second[i], labels.data() + pool.offsets[topic]))
                weights.push_back(weight(place.a) - weight(place.b));
            if (worth && weights.size() > most) throw std::invalid_argument("worth of too few documents");
            const double total = list_total(pool, topic, first[i], table.data(), table.size(), gain.data()) -
                                 list_total(pool, topic, second[i], table.data(), table.size(), gain.data());
            low[i] = reach.farthest(-1.0, total / divisor, total, weights);
            high[i] = reach.farthest(1.0, total / divisor, total, weights);
        }
    }
    return {hand_over(std::move(low)), hand_over(std::move(high))};
}

}  // namespace

void bind_outside(nb::class_<Pool>& pool) {
    pool.def("covered_ranks", &covered_ranks_of, "labels"_a)
        .def("count_open", &count_open_of, "labels"_a, "depth"_a, "unjudged"_a)
        .def("precision_reach", &precision_reach_of, "topic"_a, "labels"_a, "first"_a, "second"_a, "depth"_a,
             "cutoff"_a, "p"_a, "relevant"_a)
        .def("gain_reach", &gain_reach_of, "topic"_a, "labels"_a, "first"_a, "second"_a, "depth"_a, "table"_a, "gain"_a,
             "height"_a, "worth"_a.none(), "divisor"_a);
}

}  // namespace poolwise
