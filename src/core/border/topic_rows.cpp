// Rows of a matrix, ordered by topic.
#include "estimates/front.hpp"

#include "border.hpp"

namespace poolwise {
namespace {

// A matrix, or a column, and where the rows of each topic begin.
RowsByTopic checked_rows(const Numbers& matrix, const Offsets& bounds) {
    const std::size_t topics = bounds.size() == 0 ? 0 : bounds.size() - 1;
    check(matrix.ndim() == 1 || matrix.ndim() == 2, "rows of a matrix are needed");
    check(bounds.size() > 0 && bounds.data()[0] == 0 &&
              bounds.data()[topics] == static_cast<std::int64_t>(matrix.shape(0)),
          "bounds begin with 0 and end with the number of rows");
    for (std::size_t t = 0; t < topics; ++t) check(bounds.data()[t] <= bounds.data()[t + 1], "bounds do not fall");
    return {matrix.data(), bounds.data(), topics, matrix.ndim() == 1 ? 1 : matrix.shape(1)};
}

View<double, 3> weighted_squares_of(Numbers matrix, Numbers weight, Offsets bounds, std::size_t threads) {
    const RowsByTopic rows = checked_rows(matrix, bounds);
    check(weight.size() == matrix.shape(0), "one weight per row is needed");
    std::vector<double> found(size_of({rows.topics, rows.columns, rows.columns}));
    {
        nb::gil_scoped_release release;
        weighted_squares(rows, weight.data(), threads, found.data());
    }
    return hand_over(std::move(found), {rows.topics, rows.columns, rows.columns});
}

View<double, 2> topic_sums_of(Numbers matrix, Numbers weight, Offsets bounds, std::size_t threads) {
    const RowsByTopic rows = checked_rows(matrix, bounds);
    check(weight.size() == matrix.shape(0), "one weight per row is needed");
    std::vector<double> found(size_of({rows.topics, rows.columns}));
    {
        nb::gil_scoped_release release;
        topic_sums(rows, weight.data(), threads, found.data());
    }
    return hand_over(std::move(found), {rows.topics, rows.columns});
}

View<double> topic_products_of(Numbers matrix, Numbers effects, Offsets bounds, std::size_t threads) {
    const RowsByTopic rows = checked_rows(matrix, bounds);
    check(effects.size() == size_of({rows.topics, rows.columns}), "one effect per topic and column is needed");
    std::vector<double> found(matrix.shape(0));
    {
        nb::gil_scoped_release release;
        topic_products(rows, effects.data(), threads, found.data());
    }
    return hand_over(std::move(found));
}

View<double> topic_lengths_of(Numbers matrix, Numbers triangles, Offsets bounds, std::size_t threads) {
    const RowsByTopic rows = checked_rows(matrix, bounds);
    check(triangles.size() == size_of({rows.topics, rows.columns, rows.columns}), "one triangle per topic is needed");
    std::vector<double> found(matrix.shape(0));
    {
        nb::gil_scoped_release release;
        topic_lengths(rows, triangles.data(), threads, found.data());
    }
    return hand_over(std::move(found));
}

View<double, 2> column_products_of(Numbers left, Numbers right) {
    check(left.ndim() == 2 && right.ndim() == 2 && left.shape(0) == right.shape(0), "two matrices of as many rows");
    const std::size_t rows = left.shape(0), height = left.shape(1), width = right.shape(1);
    std::vector<double> found(size_of({height, width}));
    {
        nb::gil_scoped_release release;
        column_products(left.data(), height, right.data(), width, rows, found.data());
    }
    return hand_over(std::move(found), {height, width});
}

View<double> topic_places_of(Numbers column, Offsets bounds, std::size_t threads) {
    const RowsByTopic rows = checked_rows(column, bounds);
    check(rows.columns == 1, "one column is needed");
    std::vector<double> found(column.shape(0));
    {
        nb::gil_scoped_release release;
        topic_places(rows, threads, found.data());
    }
    return hand_over(std::move(found));
}

}  // namespace

void bind_topic_rows(nb::module_& module) {
    module.def("weighted_squares", &weighted_squares_of, "matrix"_a, "weight"_a, "bounds"_a, "threads"_a);
    module.def("topic_sums", &topic_sums_of, "matrix"_a, "weight"_a, "bounds"_a, "threads"_a);
    module.def("topic_products", &topic_products_of, "matrix"_a, "effects"_a, "bounds"_a, "threads"_a);
    module.def("topic_lengths", &topic_lengths_of, "matrix"_a, "triangles"_a, "bounds"_a, "threads"_a);
    module.def("column_products", &column_products_of, "left"_a, "right"_a);
    module.def("topic_places", &topic_places_of, "column"_a, "bounds"_a, "threads"_a);
}

}  // namespace poolwise
