// Tests of all pairs of runs.
#include "border.hpp"
#include "comparisons/front.hpp"

namespace poolwise {
namespace {

template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Both runs of every pair are among the rows.
void check_pairs(const Row<std::int32_t>& first, const Row<std::int32_t>& second, std::size_t rows) {
    check(first.size() == second.size(), "pairs do not fit each other");
    for (const auto* side : {&first, &second})
        for (std::size_t i = 0; i < side->size(); ++i)
            if (side->data()[i] < 0 || static_cast<std::size_t>(side->data()[i]) >= rows)
                throw nb::index_error("no such run");
}

View<std::int64_t> count_flips_of(Table<double> values, Table<std::int8_t> signs, Row<std::int32_t> first,
                                  Row<std::int32_t> second, Row<double> thresholds, std::size_t threads) {
    check_pairs(first, second, values.shape(0));
    check(thresholds.size() == first.size() && signs.shape(1) == values.shape(1), "signs or thresholds do not fit");
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
    Row<double> wanted, std::size_t rank, double noise, std::size_t threads) {
    check_pairs(first, second, centred.shape(0));
    check(wanted.size() == first.size() && taken.shape(1) == centred.shape(1) && rank > 0 && rank <= taken.shape(0),
          "resamples, ratios or place do not fit");
    std::vector<std::int64_t> counts(first.size());
    std::vector<double> ratios(first.size()), sums(first.size());
    {
        nb::gil_scoped_release release;
        bootstrap_pairs(centred.data(), centred.shape(0), centred.shape(1), taken.data(), taken.shape(0),
                        {first.data(), second.data(), first.size()}, wanted.data(), rank, noise, counts.data(),
                        ratios.data(), sums.data(), threads);
    }
    return {hand_over(std::move(counts)), hand_over(std::move(ratios)), hand_over(std::move(sums))};
}

}  // namespace

void bind_pairs(nb::module_& module) {
    module.def("count_flips", &count_flips_of, "values"_a, "signs"_a, "first"_a, "second"_a, "thresholds"_a,
               "threads"_a);
    module.def("bootstrap_pairs", &bootstrap_pairs_of, "centred"_a, "taken"_a, "first"_a, "second"_a, "wanted"_a,
               "rank"_a, "noise"_a, "threads"_a);
}

}  // namespace poolwise
