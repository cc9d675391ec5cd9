// Shares of error of estimates, runs x documents: sums of their powers, and what pooling over runs makes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace poolwise {

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
    static constexpr std::size_t at_once = 64;

    // Power sums of on_line x line + kept x rest, one of each per run. Documents go by the dozen, so that they stay in
    // the cache.
    std::vector<PowerSums> sums(const double* on_line, const double* kept) const {
        std::vector<PowerSums> found(runs);
        std::vector<double> apart(runs * at_once), own(at_once), mean(at_once), tilt(at_once);
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
                    own[i] = on_line[r] * (along + slope * x[i]) + kept[r] * (here[i] - along);
                }
                found[r].add(own.data(), size);
            }
        }
        return found;
    }
};

}  // namespace poolwise
