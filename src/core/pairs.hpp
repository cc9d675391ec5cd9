// All pairs of runs under shared resamples: counts for the randomisation and the bootstrap test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

#include "parallel.hpp"

namespace poolwise {

// Pairs of rows: pair p compares row first[p] with row second[p].
struct PairList {
    const std::int32_t* first;
    const std::int32_t* second;
    std::size_t size;
};

constexpr std::size_t lane = 8;         // resamples that are worked on side by side
constexpr std::size_t group = 4;        // rows that share one pass over the resamples
constexpr std::size_t flip_tile = 256;  // resamples whose sums of all runs stay in the cache
constexpr std::size_t pair_block = 16;  // pairs of one unit of work

// The inner loops, compiled for any processor and, on x86, once more for AVX2.
namespace inner {

#define POOLWISE_INLINE static inline __attribute__((always_inline))
using Two = double __attribute__((vector_size(16)));

// out[k][0..lane) = sum over topics of rows[topic][k] * panel[topic][0..lane), for `group` rows, `Rows` at a time.
template <class Vector, std::size_t Rows>
POOLWISE_INLINE void multiply(const double* rows, const double* panel, std::size_t topics, double* const* out) {
    constexpr std::size_t width = sizeof(Vector) / sizeof(double), parts = lane / width;
    for (std::size_t k = 0; k < group; k += Rows) {
        Vector sum[Rows][parts] = {};
        for (std::size_t i = 0; i < topics; ++i) {
            Vector part[parts];
            for (std::size_t q = 0; q < parts; ++q) std::memcpy(&part[q], panel + i * lane + q * width, sizeof(Vector));
            for (std::size_t r = 0; r < Rows; ++r)
                for (std::size_t q = 0; q < parts; ++q) sum[r][q] += rows[i * group + k + r] * part[q];
        }
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t q = 0; q < parts; ++q) std::memcpy(out[k + r] + q * width, &sum[r][q], sizeof(Vector));
    }
}

// How many of the differences of two rows are at least the threshold in size.
POOLWISE_INLINE std::int64_t count_apart(const double* a, const double* b, std::size_t size, double threshold) {
    std::int64_t count = 0;
    for (std::size_t j = 0; j < size; ++j) count += std::fabs(a[j] - b[j]) >= threshold;
    return count;
}

// Replaces sums of squares by (a - b)^2 / squares, 0 where there are no squares; counts those of at least `wanted`.
POOLWISE_INLINE std::int64_t divide(const double* a, const double* b, double* squares, std::size_t size,
                                    double wanted) {
    std::int64_t count = 0;
    for (std::size_t j = 0; j < size; ++j) {
        const double sum = a[j] - b[j], ratio = sum * sum / squares[j];
        squares[j] = squares[j] > 0.0 ? ratio : 0.0;
        count += squares[j] >= wanted;
    }
    return count;
}

struct Loops {
    void (*multiply)(const double*, const double*, std::size_t, double* const*);
    std::int64_t (*count_apart)(const double*, const double*, std::size_t, double);
    std::int64_t (*divide)(const double*, const double*, double*, std::size_t, double);
};

static inline void multiply_plain(const double* rows, const double* panel, std::size_t topics, double* const* out) {
    multiply<Two, 2>(rows, panel, topics, out);
}
static inline std::int64_t count_plain(const double* a, const double* b, std::size_t size, double threshold) {
    return count_apart(a, b, size, threshold);
}
static inline std::int64_t divide_plain(const double* a, const double* b, double* squares, std::size_t size,
                                        double wanted) {
    return divide(a, b, squares, size, wanted);
}

#if defined(__x86_64__)
#define POOLWISE_AVX2 __attribute__((target("avx2"))) static inline
using Four = double __attribute__((vector_size(32)));

POOLWISE_AVX2 void multiply_avx2(const double* rows, const double* panel, std::size_t topics, double* const* out) {
    multiply<Four, 4>(rows, panel, topics, out);
}
POOLWISE_AVX2 std::int64_t count_avx2(const double* a, const double* b, std::size_t size, double threshold) {
    return count_apart(a, b, size, threshold);
}
POOLWISE_AVX2 std::int64_t divide_avx2(const double* a, const double* b, double* squares, std::size_t size,
                                       double wanted) {
    return divide(a, b, squares, size, wanted);
}
#undef POOLWISE_AVX2
#endif
#undef POOLWISE_INLINE

inline const Loops& loops() {
#if defined(__x86_64__)
    static const Loops chosen = __builtin_cpu_supports("avx2") ? Loops{multiply_avx2, count_avx2, divide_avx2}
                                                               : Loops{multiply_plain, count_plain, divide_plain};
#else
    static const Loops chosen{multiply_plain, count_plain, divide_plain};
#endif
    return chosen;
}

}  // namespace inner

// Multipliers of topics (resamples x topics) as panels of `lane` resamples, the last one filled up with zeros.
class Panels {
   public:
    template <class Number>
    Panels(const Number* multipliers, std::size_t resamples, std::size_t topics)
        : topics(topics), resamples(resamples), number((resamples + lane - 1) / lane), kept_(number * topics * lane) {
        for (std::size_t b = 0; b < resamples; ++b)
            for (std::size_t i = 0; i < topics; ++i)
                kept_[(b / lane * topics + i) * lane + b % lane] = static_cast<float>(multipliers[b * topics + i]);
    }

    // Small whole numbers are exact as floats, at half the memory.
    void open(std::size_t panel, double* to) const {
        const float* const from = kept_.data() + panel * topics * lane;
        std::copy(from, from + topics * lane, to);
    }

    const std::size_t topics, resamples, number;

   private:
    std::vector<float> kept_;
};

// Rows (count x topics) in groups as Multiplier reads them: [row / group][topic][row % group].
inline std::vector<double> grouped(const double* rows, std::size_t count, std::size_t topics) {
    std::vector<double> result((count + group - 1) / group * group * topics);
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < topics; ++i)
            result[(r / group * topics + i) * group + r % group] = rows[r * topics + i];
    return result;
}

// Products of rows with the panels from `from` to `to`; those of row r begin at out + r * stride.
class Multiplier {
   public:
    explicit Multiplier(const Panels& panels) : panels_(panels), panel_(panels.topics * lane), spare_(lane) {}

    void run(const std::vector<double>& rows, std::size_t count, std::size_t from, std::size_t to, double* out,
             std::size_t stride) {
        for (std::size_t p = from; p < to; ++p) {
            panels_.open(p, panel_.data());
            for (std::size_t r = 0; r < count; r += group) {
                double* place[group];
                for (std::size_t k = 0; k < group; ++k)
                    place[k] = r + k < count ? out + (r + k) * stride + (p - from) * lane : spare_.data();
                inner::loops().multiply(rows.data() + r * panels_.topics, panel_.data(), panels_.topics, place);
            }
        }
    }

   private:
    const Panels& panels_;
    std::vector<double> panel_, spare_;
};

// Adds to counts[p] the number of sign choices (signs: resamples x topics, -1 or 1) for which the signed sums of the
// two rows of a pair (values: runs x topics) differ by at least thresholds[p].
inline void count_flips(const double* values, std::size_t runs, std::size_t topics, const std::int8_t* signs,
                        std::size_t resamples, PairList pairs, const double* thresholds, std::int64_t* counts,
                        std::size_t threads) {
    const Panels panels(signs, resamples, topics);
    const std::vector<double> rows = grouped(values, runs, topics);
    constexpr std::size_t step = flip_tile / lane;
    std::mutex lock;
    for_each((panels.number + step - 1) / step, threads, [&] {
        return [&, multiplier = Multiplier(panels), sums = std::vector<double>(runs * flip_tile),
                own = std::vector<std::int64_t>(pairs.size)](std::size_t tile) mutable {
            const std::size_t from = tile * step, to = std::min(from + step, panels.number);
            const std::size_t size = std::min(to * lane, resamples) - from * lane;
            multiplier.run(rows, runs, from, to, sums.data(), flip_tile);
            for (std::size_t p = 0; p < pairs.size; ++p)
                own[p] = inner::loops().count_apart(sums.data() + pairs.first[p] * flip_tile,
                                                    sums.data() + pairs.second[p] * flip_tile, size, thresholds[p]);
            const std::lock_guard<std::mutex> guard(lock);
            for (std::size_t p = 0; p < pairs.size; ++p) counts[p] += own[p];
        };
    });
}

// The `place`-th largest of some values (counted from 1), which are left as they are.
class Selector {
   public:
    double operator()(const double* values, std::size_t size, std::size_t place) {
        // A guess from every sixteenth value leaves few to look at; if it was too high, all are looked at.
        guess_.clear();
        for (std::size_t j = 0; j < size; j += 16) guess_.push_back(values[j]);
        const auto likely = guess_.begin() + std::min(guess_.size() - 1, 2 * place / 16 + 4);
        std::nth_element(guess_.begin(), likely, guess_.end(), std::greater<>());
        kept_.resize(size);
        std::size_t count = 0;
        for (std::size_t j = 0; j < size; ++j) {
            kept_[count] = values[j];
            count += values[j] >= *likely;
        }
        if (count < place) {
            std::copy(values, values + size, kept_.begin());
            count = size;
        }
        const auto wanted = kept_.begin() + (place - 1);
        std::nth_element(kept_.begin(), wanted, kept_.begin() + count, std::greater<>());
        return *wanted;
    }

   private:
    std::vector<double> kept_, guess_;
};

// For every pair of rows of centred values (runs x topics; each row sums to 0) and resamples (resamples x topics: how
// often a topic is taken), with w the difference of the rows, s = sum of w and r = s^2 / sum of w^2 over a resample:
// counts[p] is how many r are at least wanted[p], ratios[p] the place-th largest r, and sums[p] the largest |s| of the
// resamples that have it. Differences of at most `noise` are 0.
inline void bootstrap_pairs(const double* centred, std::size_t runs, std::size_t topics, const std::uint16_t* taken,
                            std::size_t resamples, PairList pairs, const double* wanted, std::size_t place,
                            double noise, std::int64_t* counts, double* ratios, double* sums, std::size_t threads) {
    const Panels panels(taken, resamples, topics);
    const std::size_t stride = panels.number * lane;
    std::vector<double> totals(runs * stride);
    for_each((runs + pair_block - 1) / pair_block, threads, [&] {
        return [&, multiplier = Multiplier(panels)](std::size_t unit) mutable {
            const std::size_t from = unit * pair_block, count = std::min(pair_block, runs - from);
            const std::vector<double> rows = grouped(centred + from * topics, count, topics);
            multiplier.run(rows, count, 0, panels.number, totals.data() + from * stride, stride);
        };
    });
    for_each((pairs.size + pair_block - 1) / pair_block, threads, [&] {
        return [&, multiplier = Multiplier(panels), select = Selector(),
                squares = std::vector<double>(pair_block * topics),
                r = std::vector<double>(pair_block * stride)](std::size_t unit) mutable {
            const std::size_t from = unit * pair_block, count = std::min(pair_block, pairs.size - from);
            for (std::size_t k = 0; k < count; ++k) {
                const double* const a = centred + pairs.first[from + k] * topics;
                const double* const b = centred + pairs.second[from + k] * topics;
                for (std::size_t i = 0; i < topics; ++i) {
                    const double w = a[i] - b[i];
                    squares[k * topics + i] = std::fabs(w) <= noise ? 0.0 : w * w;
                }
            }
            multiplier.run(grouped(squares.data(), count, topics), count, 0, panels.number, r.data(), stride);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t p = from + k;
                const double* const a = totals.data() + pairs.first[p] * stride;
                const double* const b = totals.data() + pairs.second[p] * stride;
                double* const own = r.data() + k * stride;
                counts[p] = inner::loops().divide(a, b, own, resamples, wanted[p]);
                ratios[p] = select(own, resamples, place);
                double largest = 0.0;
                for (std::size_t j = 0; j < resamples; ++j)
                    if (own[j] == ratios[p]) largest = std::max(largest, std::fabs(a[j] - b[j]));
                sums[p] = largest;
            }
        };
    });
}

}  // namespace poolwise
