// The terms of assisted estimates, one topic at a time.
#include "border.hpp"
#include "estimates/front.hpp"

namespace poolwise {
namespace {

using Indices = std::vector<std::int32_t>;
using Row = View<double>;
using Table = View<double, 2>;

// The index of each listed document among the chosen ones, -1 for the others; and those that the model was fitted
// without.
void check_chosen(const Labels& chosen_index, std::size_t listed, std::size_t chosen, const Indices& left_out) {
    check(chosen_index.size() == listed, "one index per listed document is needed");
    std::size_t found = 0;
    for (std::size_t d = 0; d < listed; ++d) {
        check(chosen_index.data()[d] < static_cast<std::int64_t>(chosen), "no such index among chosen documents");
        found += chosen_index.data()[d] >= 0;
    }
    check(found == chosen, "every chosen document has an index");
    for (const std::int32_t document : left_out)
        check(document >= 0 && static_cast<std::size_t>(document) < listed && chosen_index.data()[document] >= 0,
              "no such document");
}

std::size_t rows_of(const Numbers& matrix, std::size_t listed) {
    check(matrix.ndim() == 2 && matrix.shape(0) == listed, "one row per listed document is needed");
    return matrix.shape(1);
}

std::size_t listed_for(const Pool& pool, std::uint32_t topic, const Indices& runs) {
    check_topic(pool, topic);
    check_runs(pool, runs);
    return pool.topics[topic]->listed;
}

void check_chances(const Numbers& chances) {
    std::size_t beyond = 0;  // counted, as compilers make such a loop one over several at a time
    for (std::size_t i = 0; i < chances.size(); ++i) beyond += !(chances.data()[i] >= 0.0 && chances.data()[i] <= 1.0);
    check(beyond == 0, "chances lie between 0 and 1");
}

// Per run: value, first and curvature (n each), expected, expected curvature, slopes (one per column); parts of S and
// what sums of s have of them (3 each) and of one another (3 x 3), and s of all listed documents, if asked for.
std::tuple<Row, Table, Table, Row, Row, Table, Table, Table, Table, Table> precision_terms_of(
    const Pool& pool, std::uint32_t topic, const Indices& runs, std::uint32_t depth, Numbers known, Numbers loose,
    Numbers weight, Labels chosen_index, Numbers residual, Numbers pairs, Numbers columns, Numbers factor, Numbers anew,
    const Indices& left_out, bool each) {
    const std::size_t listed = listed_for(pool, topic, runs), number = runs.size(), n = residual.size();
    check(known.size() == listed && loose.size() == listed && weight.size() == listed, "one number per document");
    check(pairs.size() == size_of({n, n}), "one number per pair is needed");
    check(rows_of(anew, listed) == left_out.size(), "one probability per document and variant is needed");
    check_chances(known);
    check_chances(loose);
    check_chances(anew);
    check_chosen(chosen_index, listed, n, left_out);
    const std::size_t width = rows_of(columns, listed), factors = rows_of(factor, listed), full = each ? listed : 0;
    std::vector<double> value(number), expected(number), expected_curvature(number), rest(9);
    std::vector<double> first(size_of({number, n})), curvature(first.size()), slopes(size_of({number, width}));
    std::vector<double> parts(number * 3), mixed(number * 3), s(size_of({number, full}), 0.0);
    {
        nb::gil_scoped_release release;
        Stopper stop;
        PrecisionTerms terms(
            pool, topic, depth,
            {listed, n, known.data(), loose.data(), weight.data(), chosen_index.data(), residual.data(), pairs.data(),
             columns.data(), width, factor.data(), factors, anew.data(), left_out});
        for (std::size_t r = 0; r < number; ++r) {
            stop();
            terms.look(runs[r], {&value[r], &expected[r], &expected_curvature[r], first.data() + r * n,
                                 curvature.data() + r * n, slopes.data() + r * width, parts.data() + r * 3,
                                 mixed.data() + r * 3, each ? s.data() + r * full : nullptr});
        }
        std::copy(terms.rest(), terms.rest() + 9, rest.begin());
    }
    return {hand_over(std::move(value)),
            hand_over(std::move(first), {number, n}),
            hand_over(std::move(curvature), {number, n}),
            hand_over(std::move(expected)),
            hand_over(std::move(expected_curvature)),
            hand_over(std::move(slopes), {number, width}),
            hand_over(std::move(parts), {number, 3}),
            hand_over(std::move(mixed), {number, 3}),
            hand_over(std::move(rest), {3, 3}),
            hand_over(std::move(s), {number, full})};
}

// Per run: value, first and curvature (n each), expected, slopes (stages x runs x columns); DCG and what it is mixed
// with in the expected variance, squares by listed document, and the square of DCG's own part.
std::tuple<Row, Table, Table, Row, View<double, 3>, Row, Row, Row, double> gain_terms_of(
    const Pool& pool, std::uint32_t topic, const Indices& runs, Numbers table, Numbers gains,
    std::optional<Numbers> ideal, Numbers tail_chance, Numbers chances, Labels classes, Numbers predicted,
    Numbers speaks_for, Labels chosen_index, Numbers residual, Numbers pairs, Numbers columns, Numbers anew,
    const Indices& left_out) {
    const std::size_t listed = listed_for(pool, topic, runs), number = runs.size(),
                      grades = rows_of(tail_chance, listed);
    const std::size_t n = residual.ndim() == 2 ? residual.shape(0) : 0, width = rows_of(columns, listed);
    check(grades > 0 && gains.size() == grades + 1, "one gain per class is needed");
    check(chances.size() == tail_chance.size() && predicted.size() == tail_chance.size(),
          "one chance per document and class");
    check(residual.size() == size_of({n, grades}), "one residual per document and class is needed");
    check(classes.size() == listed && speaks_for.size() == listed, "one number per document");
    check(pairs.size() == size_of({grades, grades, n, n}), "one number per pair is needed");
    check(anew.size() == size_of({grades, listed, left_out.size()}),
          "one probability per document and variant is needed");
    check(!ideal || ideal->size() > 1, "a table of two values or more is needed");
    check_chances(tail_chance);
    check_chances(anew);
    check_chosen(chosen_index, listed, n, left_out);
    for (std::size_t d = 0; d < listed; ++d)
        check(classes.data()[d] <= static_cast<std::int64_t>(grades) &&
                  (chosen_index.data()[d] < 0 || classes.data()[d] >= 0),
              "no such class");
    std::vector<double> value(number), expected(number), total(number), mixed(number), squares;
    std::vector<double> first(size_of({number, n})), curvature(first.size()), slopes(size_of({grades, number, width}));
    double rest = 0.0;
    {
        nb::gil_scoped_release release;
        Stopper stop;
        const Worths worths(ideal ? ideal->data() : nullptr, ideal ? ideal->size() : 0);
        GainTerms terms(pool, topic, runs, ideal ? &worths : nullptr,
                        {listed, n, grades, table.data(), table.size(), gains.data(), tail_chance.data(),
                         chances.data(), classes.data(), predicted.data(), speaks_for.data(), chosen_index.data(),
                         residual.data(), pairs.data(), columns.data(), width, anew.data(), left_out});
        for (std::size_t r = 0; r < number; ++r) {
            stop();
            terms.look(runs[r], {&value[r], &expected[r], &total[r], &mixed[r], first.data() + r * n,
                                 curvature.data() + r * n, slopes.data() + r * width, number * width});
        }
        squares = terms.squares();
        rest = terms.rest();
    }
    return {hand_over(std::move(value)),
            hand_over(std::move(first), {number, n}),
            hand_over(std::move(curvature), {number, n}),
            hand_over(std::move(expected)),
            hand_over(std::move(slopes), {grades, number, width}),
            hand_over(std::move(total)),
            hand_over(std::move(mixed)),
            hand_over(std::move(squares)),
            rest};
}

}  // namespace

void bind_terms(nb::class_<Pool>& pool) {
    pool.def("precision_terms", &precision_terms_of, "topic"_a, "runs"_a, "depth"_a, "known"_a, "loose"_a, "weight"_a,
             "chosen_index"_a, "residual"_a, "pairs"_a, "columns"_a, "factor"_a, "anew"_a, "left_out"_a, "each"_a)
        .def("gain_terms", &gain_terms_of, "topic"_a, "runs"_a, "table"_a, "gains"_a, "ideal"_a.none(), "tail_chance"_a,
             "chances"_a, "classes"_a, "predicted"_a, "speaks_for"_a, "chosen_index"_a, "residual"_a, "pairs"_a,
             "columns"_a, "anew"_a, "left_out"_a);
}

}  // namespace poolwise
