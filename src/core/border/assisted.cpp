// The loops of the assisted estimator.
#include "../assisted.hpp"
#include "../poisson.hpp"
#include "../precision_sums.hpp"
#include "border.hpp"

namespace poolwise {
namespace {

using Places = std::vector<std::int32_t>;

// The number of listed documents of a topic, after a look at the runs asked for.
std::size_t listed_for(const Pool& pool, std::uint32_t topic, const Places& runs) {
    check_topic(pool, topic);
    check_runs(pool, runs);
    return pool.topics[topic]->listed;
}

View<double> rank_weights_of(const Pool& pool, std::uint32_t topic, const Places& runs, Numbers table) {
    const std::size_t listed = listed_for(pool, topic, runs);
    std::vector<double> weights(size_of({runs.size(), listed}), 0.0);
    {
        nb::gil_scoped_release release;
        rank_weights(pool, topic, runs, table.data(), table.size(), listed, weights.data());
    }
    return hand_over(std::move(weights), {runs.size(), listed});
}

// The listed documents that weigh anything in any of the runs, and runs x these.
std::tuple<View<std::int32_t>, View<double>> used_weights_of(const Pool& pool, std::uint32_t topic, const Places& runs,
                                                             Numbers table) {
    const std::size_t listed = listed_for(pool, topic, runs);
    std::vector<std::int32_t> used;
    std::vector<double> weights;
    {
        nb::gil_scoped_release release;
        used = used_documents(pool, topic, runs, table.data(), table.size(), listed);
        weights.assign(size_of({runs.size(), used.size()}), 0.0);
        used_weights(pool, topic, runs, table.data(), table.size(), listed, used, weights.data());
    }
    const std::size_t columns = used.size();
    return {hand_over(std::move(used)), hand_over(std::move(weights), {runs.size(), columns})};
}

View<double> rank_summary_of(const Pool& pool, std::uint32_t topic) {
    const std::size_t listed = listed_for(pool, topic, {});
    std::vector<double> summary(listed * 7, 0.0);
    {
        nb::gil_scoped_release release;
        rank_summary(pool, topic, summary.data());
    }
    return hand_over(std::move(summary), {listed, 7});
}

// Where each listed document stands among chosen ones, -1 for the others.
void check_places(const Labels& place, std::size_t listed, std::size_t chosen) {
    check(place.size() == listed, "one place per listed document is needed");
    for (std::size_t d = 0; d < listed; ++d)
        check(place.data()[d] < static_cast<std::int64_t>(chosen), "no such place among chosen documents");
}

using FoundSums = std::tuple<View<double>, View<double>, View<double>, View<double>, View<double>, View<double>,
                             View<double>, View<double>, View<double>>;

// Per run: found_columns sums; sums with the columns of documents; sums of `factor` over pairs of documents; near and
// far of `chosen` documents; s of all listed ones, if asked for; and sums with each variant of probabilities (`loose`),
// with far of the document that is its own. Documents with a probability of 0 have none in variants and factors.
FoundSums precision_sums_of(const Pool& pool, std::uint32_t topic, const Places& runs, std::uint32_t depth,
                            Numbers asked, Numbers columns, Numbers factor, Labels place, std::size_t chosen, bool each,
                            Numbers loose, const Places& own) {
    const std::size_t listed = listed_for(pool, topic, runs), number = runs.size(), variants = own.size();
    check(asked.size() == size_of({listed, asked_columns}), "twelve numbers per listed document are needed");
    check(columns.ndim() == 2 && columns.shape(0) == listed, "one row per listed document is needed");
    check(factor.ndim() == 2 && factor.shape(0) == listed, "one row of factors per listed document is needed");
    check(loose.size() == size_of({listed, variants}), "one probability per listed document and variant is needed");
    for (const std::int32_t document : own)
        check(document >= 0 && static_cast<std::size_t>(document) < listed, "no such document");
    check_places(place, listed, chosen);
    const std::size_t width = columns.shape(1), full = each ? listed : 0;
    std::vector<double> found(number * found_columns), carried(size_of({number, width})), joint(number);
    std::vector<double> near(size_of({number, chosen}), 0.0), far(size_of({number, chosen}), 0.0);
    std::vector<double> s(size_of({number, full}), 0.0);
    std::vector<double> one(size_of({number, variants})), two(one), own_far(one.size(), 0.0);
    {
        nb::gil_scoped_release release;
        const auto* const documents = reinterpret_cast<const Asked*>(asked.data());
        const ColumnPanels of_columns(columns.data(), listed, width), factors(factor.data(), listed, factor.shape(1));
        PrecisionVariants sums(loose.data(), own, listed);
        Slopes slopes;
        Collected<Weighted> steps;
        for (std::size_t r = 0; r < number; ++r) {
            slopes.look(pool, runs[r], topic, depth, documents);
            precision_sums(slopes, documents, place.data(), steps,
                           {found.data() + r * found_columns, near.data() + r * chosen, far.data() + r * chosen,
                            each ? s.data() + r * full : nullptr});
            carry(of_columns, steps.data(), steps.size(), width, carried.data() + r * width);
            joint[r] = joint_sum(factors, slopes, steps);
            sums.look(slopes, one.data() + r * variants, two.data() + r * variants, own_far.data() + r * variants);
        }
    }
    return {hand_over(std::move(found), {number, found_columns}),
            hand_over(std::move(carried), {number, width}),
            hand_over(std::move(joint)),
            hand_over(std::move(near), {number, chosen}),
            hand_over(std::move(far), {number, chosen}),
            hand_over(std::move(s), {number, full}),
            hand_over(std::move(one), {number, variants}),
            hand_over(std::move(two), {number, variants}),
            hand_over(std::move(own_far), {number, variants})};
}

// Listed documents x columns of `axes` (one row per run of the pool): sums over runs of table[rank - 1] times the row.
View<double> rank_components_of(const Pool& pool, std::uint32_t topic, Numbers table, Numbers axes) {
    const std::size_t listed = listed_for(pool, topic, {}), width = axes.ndim() == 2 ? axes.shape(1) : 0;
    check(axes.size() == size_of({pool.runs.size(), width}), "one row per run is needed");
    std::vector<double> components(size_of({listed, width}), 0.0);
    {
        nb::gil_scoped_release release;
        rank_components(pool, topic, table.data(), table.size(), listed, axes.data(), width, components.data());
    }
    return hand_over(std::move(components), {listed, width});
}

View<double> pair_sums_of(const Pool& pool, std::uint32_t topic, const Places& runs, std::uint32_t depth,
                          Numbers matrix, Labels place) {
    const std::size_t size = matrix.ndim() == 2 ? matrix.shape(0) : 0, listed = listed_for(pool, topic, runs);
    check(matrix.size() == size_of({size, size}), "a square matrix is needed");
    check_places(place, listed, size);
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
    check(q.size() == size_of({n, n}) && leverage.size() == n && spread.size() == n && weight.size() == n,
          "matrix and columns do not fit each other");
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
    check(columns.size() == size_of({n, k}) && fixed.size() == n && precision.size() == k,
          "columns and effects do not fit each other");
    std::vector<double> effects(size_of({left_out.size(), k}));
    {
        nb::gil_scoped_release release;
        Stopper stop;
        TopicFit fit(columns.data(), y.data(), fixed.data(), precision.data(), n, k);
        for (std::size_t v = 0; v < left_out.size(); ++v) {
            stop();
            double* const own = effects.data() + v * k;
            std::copy(start.data(), start.data() + k, own);
            fit.run(own, left_out[v] < 0 ? n : static_cast<std::size_t>(left_out[v]), steps);
        }
    }
    return hand_over(std::move(effects), {left_out.size(), k});
}

void check_means(const Numbers& means) {
    for (std::size_t i = 0; i < means.size(); ++i)
        check(means.data()[i] >= 0.0 && means.data()[i] < 1e9, "means are 0 or more, and below 1e9");
}

// One row per mean, one column per number of known relevant documents.
View<double> mean_reciprocals_of(Numbers means, Offsets known) {
    const std::size_t rows = means.size(), columns = known.ndim() == 2 ? known.shape(1) : 0;
    check(known.size() == size_of({rows, columns}), "one row of numbers per mean is needed");
    check_means(means);
    std::vector<double> found(known.size());
    Poisson number;
    for (std::size_t i = 0; i < rows; ++i) {
        number.look(means.data()[i]);
        for (std::size_t k = i * columns; k < (i + 1) * columns; ++k)
            found[k] = mean_reciprocal(number, known.data()[k]);
    }
    return hand_over(std::move(found), {rows, columns});
}

// One row per mean, one column per entry of `more`: certain documents more than there are.
View<double> mean_worths_of(Numbers table, Offsets certain, Numbers means, Numbers squares, Offsets more) {
    const std::size_t rows = means.size(), columns = more.size();
    check(table.size() > 1, "a table of two values or more is needed");
    check(certain.size() == rows && squares.size() == rows, "one number per mean is needed");
    check_means(means);
    std::vector<double> found(size_of({rows, columns}));
    const Worths worths(table.data(), table.size());
    Poisson number;
    for (std::size_t i = 0; i < rows; ++i) {
        number.look(means.data()[i]);
        for (std::size_t k = 0; k < columns; ++k)
            found[i * columns + k] = worths.mean(number, certain.data()[i] + more.data()[k], squares.data()[i]);
    }
    return hand_over(std::move(found), {rows, columns});
}

}  // namespace

void bind_assisted(nb::module_& module, nb::class_<Pool>& pool) {
    pool.def("rank_weights", &rank_weights_of, "topic"_a, "runs"_a, "table"_a)
        .def("used_weights", &used_weights_of, "topic"_a, "runs"_a, "table"_a)
        .def("rank_summary", &rank_summary_of, "topic"_a)
        .def("rank_components", &rank_components_of, "topic"_a, "table"_a, "axes"_a)
        .def("precision_sums", &precision_sums_of, "topic"_a, "runs"_a, "depth"_a, "asked"_a, "columns"_a, "factor"_a,
             "place"_a, "chosen"_a, "each"_a, "loose"_a, "own"_a)
        .def("pair_sums", &pair_sums_of, "topic"_a, "runs"_a, "depth"_a, "matrix"_a, "place"_a);

    module.def("mean_reciprocals", &mean_reciprocals_of, "means"_a, "known"_a);
    module.def("mean_worths", &mean_worths_of, "table"_a, "certain"_a, "means"_a, "squares"_a, "more"_a);
    module.def("leave_pairs_out", &leave_pairs_out_of, "q"_a, "residual"_a, "leverage"_a, "spread"_a, "weight"_a);
    module.def("fit_without_each", &fit_without_each, "columns"_a, "y"_a, "fixed"_a, "start"_a, "precision"_a,
               "left_out"_a, "steps"_a);
}

}  // namespace poolwise
