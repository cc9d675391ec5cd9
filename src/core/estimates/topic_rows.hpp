// Sums over the rows of a matrix ordered by topic, which regressions need, and sums of powers of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "basics/front.hpp"
#include "panels.hpp"

namespace poolwise {

// A matrix whose rows are ordered by topic; `bounds` says where each topic begins. Every row or topic has sums of its
// own, so that results do not depend on the number of threads.
struct RowsByTopic {
    const double* matrix;
    const std::int64_t* bounds;
    std::size_t topics, columns;

    const double* row(std::size_t number) const { return matrix + number * columns; }

    // Calls visit(topic, its first row, the row past its last) for every topic.
    template <class Visit>
    void visit(std::size_t threads, Visit visit) const {
        for_each(topics, threads, [&](Stopper) {
            return [&](std::size_t topic) {
                visit(topic, static_cast<std::size_t>(bounds[topic]), static_cast<std::size_t>(bounds[topic + 1]));
            };
        });
    }
};

// Topics x columns: sums of rows, each times its weight.
inline void topic_sums(const RowsByTopic& rows, const double* weight, std::size_t threads, double* out) {
    rows.visit(threads, [&](std::size_t topic, std::size_t begin, std::size_t end) {
        double* const sums = out + topic * rows.columns;
        std::fill(sums, sums + rows.columns, 0.0);
        for (std::size_t i = begin; i < end; ++i) {
            const double* const row = rows.row(i);
            for (std::size_t c = 0; c < rows.columns; ++c) sums[c] += weight[i] * row[c];
        }
    });
}

// One number per row: its product with the effects (topics x columns) of its topic.
inline void topic_products(const RowsByTopic& rows, const double* effects, std::size_t threads, double* out) {
    rows.visit(threads, [&](std::size_t topic, std::size_t begin, std::size_t end) {
        const double* const of_topic = effects + topic * rows.columns;
        for (std::size_t i = begin; i < end; ++i) {
            const double* const row = rows.row(i);
            double parts[4] = {};  // sums that do not wait for one another
            std::size_t c = 0;
            for (; c + 4 <= rows.columns; c += 4)
                for (std::size_t q = 0; q < 4; ++q) parts[q] += row[c + q] * of_topic[c + q];
            double sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
            for (; c < rows.columns; ++c) sum += row[c] * of_topic[c];
            out[i] = sum;
        }
    });
}

// One number per row: the sum of the squares of its product with the lower triangle (columns x columns) of its topic.
inline void topic_lengths(const RowsByTopic& rows, const double* triangles, std::size_t threads, double* out) {
    rows.visit(threads, [&](std::size_t topic, std::size_t begin, std::size_t end) {
        const ColumnPanels triangle(triangles + topic * rows.columns * rows.columns, rows.columns, rows.columns);
        panels::loops().lengths(rows.row(begin), end - begin, rows.columns, triangle.panel(0), out + begin);
    });
}

// Topics x columns x columns: sums of weight x row' row, which Hessians are made of.
inline void weighted_squares(const RowsByTopic& rows, const double* weight, std::size_t threads, double* out) {
    const std::size_t columns = rows.columns;
    rows.visit(threads, [&](std::size_t topic, std::size_t begin, std::size_t end) {
        const ColumnPanels panels(rows.row(begin), end - begin, columns);
        std::vector<double> weighted((end - begin) * panel_width);
        double block[panel_width * panel_width];
        double* const squares = out + topic * columns * columns;
        for (std::size_t a = 0; a < panels.count(); ++a) {
            const std::size_t first = a * panel_width, height = std::min(panel_width, columns - first);
            for (std::size_t i = 0; i < end - begin; ++i)
                for (std::size_t q = 0; q < panel_width; ++q)
                    weighted[i * panel_width + q] = weight[begin + i] * panels.panel(a)[i * panel_width + q];
            for (std::size_t b = 0; b <= a; ++b) {
                const std::size_t left = b * panel_width, width = std::min(panel_width, columns - left);
                panels::loops().square(weighted.data(), panels.panel(b), end - begin, block);
                for (std::size_t r = 0; r < height; ++r)
                    std::copy(block + r * panel_width, block + r * panel_width + width,
                              squares + (first + r) * columns + left);
                for (std::size_t c = 0; c < width && b < a; ++c)
                    for (std::size_t r = 0; r < height; ++r)
                        squares[(left + c) * columns + first + r] = block[r * panel_width + c];
            }
        }
        for (std::size_t r = 0; r < columns; ++r)  // of squares on the diagonal one half is kept
            for (std::size_t c = r + 1; c < std::min(columns, (r / panel_width + 1) * panel_width); ++c)
                squares[r * columns + c] = squares[c * columns + r];
    });
}

// Left x right: sums over rows of every column of the one times every column of the other. Each sum goes down the rows
// in their order, so that none depends on what other columns there are, and rows of zeros change nothing.
inline void column_products(const double* left, std::size_t left_columns, const double* right,
                            std::size_t right_columns, std::size_t rows, double* out) {
    const ColumnPanels ones(left, rows, left_columns), others(right, rows, right_columns);
    double block[panel_width * panel_width];
    for (std::size_t a = 0; a < ones.count(); ++a)
        for (std::size_t b = 0; b < others.count(); ++b) {
            const std::size_t first = a * panel_width, height = std::min(panel_width, left_columns - first);
            const std::size_t begin = b * panel_width, width = std::min(panel_width, right_columns - begin);
            panels::loops().square(ones.panel(a), others.panel(b), rows, block);
            for (std::size_t r = 0; r < height; ++r)
                std::copy(block + r * panel_width, block + r * panel_width + width,
                          out + (first + r) * right_columns + begin);
        }
}

// Position of each row of a column within its topic, the least first, from 1; equal ones share the mean of their
// positions.
inline void topic_places(const RowsByTopic& rows, std::size_t threads, double* out) {
    rows.visit(threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<std::pair<double, std::size_t>> order;
        order.reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i) order.emplace_back(rows.matrix[i], i);
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0, next = 0; i < order.size(); i = next) {
            while (next < order.size() && order[next].first == order[i].first) ++next;
            const double position = 0.5 * static_cast<double>(i + 1 + next);
            for (std::size_t k = i; k < next; ++k) out[order[k].second] = position;
        }
    });
}

// Sums of squares and of fourth powers, by four numbers at a time, whose sums do not wait for one another.
class PowerSums {
   public:
    void add(const double* values, std::size_t size) {
        std::size_t i = 0;
        for (; i + 4 <= size; i += 4)
            for (std::size_t q = 0; q < 4; ++q) add(values[i + q], q);
        for (; i < size; ++i) add(values[i], 0);
    }

    double second() const { return (second_[0] + second_[1]) + (second_[2] + second_[3]); }
    double fourth() const { return (fourth_[0] + fourth_[1]) + (fourth_[2] + fourth_[3]); }

   private:
    void add(double value, std::size_t q) {
        const double square = value * value;
        second_[q] += square;
        fourth_[q] += square * square;
    }

    double second_[4] = {}, fourth_[4] = {};
};

// Estimates y of runs on a line of their plug-ins x with a slope, x - mean(x) being `centred`: a_y and a_x are shares
// of error of both. The line has H (a_y - slope a_x) + slope a_x, the rest (I - H) (a_y - slope a_x), where H is 1 / r
// + c c' / c'c.
struct PooledLine {
    const double *a_y, *a_x;  // runs x documents
    const double* centred;
    double slope;
    std::size_t runs, documents;
    static constexpr std::size_t at_once = 64;  // documents: 512 bytes a run

    // Power sums of on_line x line + off_line x rest, one of each per run. Some documents go at a time, so that they
    // stay in the cache.
    std::vector<PowerSums> sums(const double* on_line, const double* off_line) const {
        std::vector<PowerSums> found(runs);
        std::vector<double> apart(runs * at_once), mixed(at_once), mean(at_once), tilt(at_once);
        double square = 0.0;
        for (std::size_t r = 0; r < runs; ++r) square += centred[r] * centred[r];
        for (std::size_t begin = 0; begin < documents; begin += at_once) {
            const std::size_t size = std::min(at_once, documents - begin);
            std::fill(mean.begin(), mean.end(), 0.0);
            std::fill(tilt.begin(), tilt.end(), 0.0);
            for (std::size_t r = 0; r < runs; ++r) {
                const double* const y = a_y + r * documents + begin;
                const double* const x = a_x + r * documents + begin;
                double* const here = apart.data() + r * at_once;
                for (std::size_t i = 0; i < size; ++i) {
                    here[i] = y[i] - slope * x[i];
                    mean[i] += here[i];
                    tilt[i] += centred[r] * here[i];
                }
            }
            for (std::size_t i = 0; i < size; ++i) {
                mean[i] /= static_cast<double>(runs);
                tilt[i] /= square;
            }
            for (std::size_t r = 0; r < runs; ++r) {
                const double* const x = a_x + r * documents + begin;
                const double* const here = apart.data() + r * at_once;
                for (std::size_t i = 0; i < size; ++i) {
                    const double along = mean[i] + centred[r] * tilt[i];
                    mixed[i] = on_line[r] * (along + slope * x[i]) + off_line[r] * (here[i] - along);
                }
                found[r].add(mixed.data(), size);
            }
        }
        return found;
    }
};

}  // namespace poolwise
