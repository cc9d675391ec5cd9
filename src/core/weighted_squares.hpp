// Sums over the rows of each topic of weight x row' row, which Hessians of regressions are made of.
#pragma once

#include "panels.hpp"
#include "parallel.hpp"

namespace poolwise {

// columns x columns, of some rows of a matrix.
inline void weighted_squares(const double* matrix, const double* weight, std::size_t rows, std::size_t columns,
                             double* out) {
    const ColumnPanels panels(matrix, rows, columns);
    std::vector<double> weighted(rows * panel_width);
    double block[panel_width * panel_width];
    for (std::size_t a = 0; a < panels.count(); ++a) {
        for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] = weight[i / panel_width] * panels.panel(a)[i];
        for (std::size_t b = 0; b <= a; ++b) {
            panels::loops().square(weighted.data(), panels.panel(b), rows, block);
            for (std::size_t i = 0; i < panel_width * panel_width; ++i) {
                const std::size_t row = a * panel_width + i / panel_width, column = b * panel_width + i % panel_width;
                if (row < columns && column < columns)
                    out[row * columns + column] = out[column * columns + row] = block[i];
            }
        }
    }
}

// Topics x columns x columns; the rows of a topic stand together, `bounds` says where each begins.
inline void weighted_squares(const double* matrix, const double* weight, const std::int64_t* bounds, std::size_t topics,
                             std::size_t columns, std::size_t threads, double* out) {
    for_each(topics, threads, [&](Stopper) {
        return [&](std::size_t topic) {
            const auto begin = static_cast<std::size_t>(bounds[topic]);
            weighted_squares(matrix + begin * columns, weight + begin, bounds[topic + 1] - begin, columns,
                             out + topic * columns * columns);
        };
    });
}

}  // namespace poolwise
