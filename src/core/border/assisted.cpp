// The loops of the assisted estimator.
#include "border.hpp"
#include "estimates/front.hpp"

namespace poolwise {
namespace {

using Indices = std::vector<std::int32_t>;

// The number of listed documents of a topic, after a look at the runs asked for.
std::size_t listed_for(const Pool& pool, std::uint32_t topic, const Indices& runs) {
    check_topic(pool, topic);
    check_runs(pool, runs);
    return pool.topics[topic]->listed;
}

View<double, 2> rank_weights_of(const Pool& pool, std::uint32_t topic, const Indices& runs, Numbers table) {
    const std::size_t listed = listed_for(pool, topic, runs);
    std::vector<double> weights(size_of({runs.size(), listed}), 0.0);
    {
        nb::gil_scoped_release release;
        rank_weights(pool, topic, runs, table.data(), table.size(), listed, weights.data());
    }
    return hand_over(std::move(weights), {runs.size(), listed});
}

// The listed documents that weigh anything in any of the runs, and runs x these.
std::tuple<View<std::int32_t>, View<double, 2>> used_weights_of(const Pool& pool, std::uint32_t topic,
                                                                const Indices& runs, Numbers table) {
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

View<double, 2> rank_summary_of(const Pool& pool, std::uint32_t topic) {
    const std::size_t listed = listed_for(pool, topic, {});
    std::vector<double> summary(listed * 7);
    {
        nb::gil_scoped_release release;
        rank_summary(pool, topic, listed, summary.data());
    }
    return hand_over(std::move(summary), {listed, 7});
}

// Listed documents x columns of `axes` (one row per run of the pool): sums over runs of table[rank - 1] times the row.
View<double, 2> rank_components_of(const Pool& pool, std::uint32_t topic, Numbers table, Numbers axes) {
    const std::size_t listed = listed_for(pool, topic, {}), width = axes.ndim() == 2 ? axes.shape(1) : 0;
    check(axes.size() == size_of({pool.runs.size(), width}), "one row per run is needed");
    std::vector<double> components(size_of({listed, width}), 0.0);
    {
        nb::gil_scoped_release release;
        rank_components(pool, topic, table.data(), table.size(), listed, axes.data(), width, components.data());
    }
    return hand_over(std::move(components), {listed, width});
}

// Of some listed documents: sums of table[rank - 1] by run; of products of two runs, over those that at most `few` runs
// retrieve; and one row per document for the others.
std::tuple<View<double>, View<double, 2>, View<double, 2>> rank_moments_of(const Pool& pool, std::uint32_t topic,
                                                                           Numbers table, Offsets documents,
                                                                           std::size_t few) {
    const std::size_t listed = listed_for(pool, topic, {}), runs = pool.runs.size();
    for (std::size_t i = 0; i < documents.size(); ++i)
        check(documents.data()[i] >= 0 && documents.data()[i] < static_cast<std::int64_t>(listed), "no such document");
    std::vector<double> sums(runs, 0.0), products(size_of({runs, runs}), 0.0), many;
    {
        nb::gil_scoped_release release;
        rank_moments(pool, topic, table.data(), table.size(), listed, documents.data(), documents.size(), few,
                     sums.data(), products.data(), many);
    }
    const std::size_t rows = runs == 0 ? 0 : many.size() / runs;
    return {hand_over(std::move(sums)), hand_over(std::move(products), {runs, runs}),
            hand_over(std::move(many), {rows, runs})};
}

std::tuple<View<double, 2>, View<double, 2>, View<double, 2>> leave_pairs_out_of(Numbers q, Numbers residual,
                                                                                 Numbers leverage, Numbers spread,
                                                                                 Numbers weight) {
    const std::size_t n = residual.size();
    check(q.size() == size_of({n, n}) && leverage.size() == n && spread.size() == n && weight.size() == n,
          "matrix and columns do not fit each other");
    std::vector<double> both(n * n), change(n * n), pairs(n * n);
    {
        nb::gil_scoped_release release;
        leave_pairs_out({q.data(), residual.data(), leverage.data(), spread.data(), n}, weight.data(), both.data(),
                        change.data(), pairs.data());
    }
    return {hand_over(std::move(both), {n, n}), hand_over(std::move(change), {n, n}),
            hand_over(std::move(pairs), {n, n})};
}

// n x n.
View<double, 2> pair_weights_of(Numbers q, Numbers residual, Numbers leverage, Numbers spread, Numbers weight,
                                Offsets cell, Numbers together) {
    const std::size_t n = residual.size();
    check(q.size() == size_of({n, n}) && leverage.size() == n && spread.size() == n && weight.size() == n,
          "matrix and columns do not fit each other");
    check(cell.size() == n && together.size() == n, "one cell per document is needed");
    std::vector<double> pairs(n * n);
    {
        nb::gil_scoped_release release;
        pair_weights({q.data(), residual.data(), leverage.data(), spread.data(), n}, weight.data(), cell.data(),
                     together.data(), pairs.data());
    }
    return hand_over(std::move(pairs), {n, n});
}

// Grades x grades x n x n.
View<double, 4> pair_products_of(const std::vector<Numbers>& parts, Numbers weight, Offsets cell, Numbers together) {
    const std::size_t n = weight.size(), grades = parts.size();
    check(cell.size() == n && together.size() == n, "one cell per document is needed");
    std::vector<const double*> of_grades;
    for (const Numbers& part : parts) {
        check(part.size() == size_of({n, n}), "one number per pair is needed");
        of_grades.push_back(part.data());
    }
    std::vector<double> products(size_of({grades, grades, n, n}));
    {
        nb::gil_scoped_release release;
        pair_products(of_grades, weight.data(), cell.data(), together.data(), n, products.data());
    }
    return hand_over(std::move(products), {grades, grades, n, n});
}

View<double, 2> fit_without_each(Numbers columns, Numbers y, Numbers fixed, Numbers start, Numbers precision,
                                 const Indices& left_out, int steps) {
    const std::size_t n = y.size(), k = start.size();
    check(columns.size() == size_of({n, k}) && fixed.size() == n && precision.size() == k,
          "columns and effects do not fit each other");
    std::vector<double> effects(size_of({left_out.size(), k}));
    {
        nb::gil_scoped_release release;
        Stopper stop;
        TopicFit fit(columns.data(), y.data(), fixed.data(), start.data(), precision.data(), n, k);
        for (std::size_t v = 0; v < left_out.size(); ++v) {
            stop();
            fit.run(effects.data() + v * k, left_out[v] < 0 ? n : static_cast<std::size_t>(left_out[v]), steps);
        }
    }
    return hand_over(std::move(effects), {left_out.size(), k});
}

using TwoSums = std::tuple<View<double>, View<double>>;

TwoSums power_sums(const std::vector<PowerSums>& sums) {
    std::vector<double> second, fourth;
    for (const PowerSums& each : sums) {
        second.push_back(each.second());
        fourth.push_back(each.fourth());
    }
    return {hand_over(std::move(second)), hand_over(std::move(fourth))};
}

// Of each row: the sum of squares and that of fourth powers.
TwoSums power_sums_of(Numbers shares) {
    check(shares.ndim() == 2, "rows of shares are needed");
    std::vector<PowerSums> sums(shares.shape(0));
    {
        nb::gil_scoped_release release;
        for (std::size_t r = 0; r < sums.size(); ++r) sums[r].add(shares.data() + r * shares.shape(1), shares.shape(1));
    }
    return power_sums(sums);
}

// The same of shares on a line, each times `on_line` of its row, and off it, times `kept`.
TwoSums pooled_sums_of(Numbers estimates, Numbers plug_ins, Numbers centred, double slope, Numbers on_line,
                       Numbers off_line) {
    check(estimates.ndim() == 2 && estimates.size() == plug_ins.size(), "shares of both, runs x documents, are needed");
    const std::size_t runs = estimates.shape(0), documents = estimates.shape(1);
    check(centred.size() == runs && on_line.size() == runs && off_line.size() == runs, "one number per run is needed");
    std::vector<PowerSums> sums;
    {
        nb::gil_scoped_release release;
        const PooledLine line{estimates.data(), plug_ins.data(), centred.data(), slope, runs, documents};
        sums = line.sums(on_line.data(), off_line.data());
    }
    return power_sums(sums);
}

void check_means(const Numbers& means) {
    for (std::size_t i = 0; i < means.size(); ++i)
        check(means.data()[i] >= 0.0 && means.data()[i] < 1e9, "means are 0 or more, and below 1e9");
}

// For each mean: what the best documents are worth, of which so many are certain.
View<double> mean_worths_of(Numbers table, Offsets certain, Numbers means, Numbers squares) {
    const std::size_t size = means.size();
    check(table.size() > 1, "a table of two values or more is needed");
    check(certain.size() == size && squares.size() == size, "one number per mean is needed");
    check_means(means);
    std::vector<double> found(size);
    const Worths worths(table.data(), table.size());
    Poisson number;
    for (std::size_t i = 0; i < size; ++i) {
        if (i == 0 || means.data()[i] != means.data()[i - 1]) number.look(means.data()[i]);
        found[i] = worths.mean(number, certain.data()[i], squares.data()[i]);
    }
    return hand_over(std::move(found));
}

}  // namespace

void bind_assisted(nb::module_& module, nb::class_<Pool>& pool) {
    pool.def("rank_weights", &rank_weights_of, "topic"_a, "runs"_a, "table"_a)
        .def("used_weights", &used_weights_of, "topic"_a, "runs"_a, "table"_a)
        .def("rank_summary", &rank_summary_of, "topic"_a)
        .def("rank_moments", &rank_moments_of, "topic"_a, "table"_a, "documents"_a, "few"_a)
        .def("rank_components", &rank_components_of, "topic"_a, "table"_a, "axes"_a);

    module.def("mean_worths", &mean_worths_of, "table"_a, "certain"_a, "means"_a, "squares"_a);
    module.def("leave_pairs_out", &leave_pairs_out_of, "q"_a, "residual"_a, "leverage"_a, "spread"_a, "weight"_a);
    module.def("power_sums", &power_sums_of, "shares"_a);
    module.def("pooled_sums", &pooled_sums_of, "estimates"_a, "plug_ins"_a, "centred"_a, "slope"_a, "on_line"_a,
               "off_line"_a);
    module.def("pair_weights", &pair_weights_of, "q"_a, "residual"_a, "leverage"_a, "spread"_a, "weight"_a, "cell"_a,
               "together"_a);
    module.def("pair_products", &pair_products_of, "parts"_a, "weight"_a, "cell"_a, "together"_a);
    module.def("fit_without_each", &fit_without_each, "columns"_a, "y"_a, "fixed"_a, "start"_a, "precision"_a,
               "left_out"_a, "steps"_a);
}

}  // namespace poolwise
