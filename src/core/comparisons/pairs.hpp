// All pairs of runs under shared resamples: counts for the randomisation and the bootstrap test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "basics/front.hpp"

namespace poolwise {

// Pairs of rows: pair p compares row first[p] with row second[p].
struct PairList {
    const std::int32_t* first;
    const std::int32_t* second;
    std::size_t size;
};

// Sizes of the loops go by the processor. A lane of 16 floats fills two vectors of AVX2; the sums of a group of four
// rows then take 8 of its 16 registers. A tile holds 256 doubles a run, 2 KB, so that those of 100 runs stay in the
// second-level cache.
constexpr std::size_t lane = 16;        // resamples that are worked on side by side
constexpr std::size_t group = 4;        // rows that share one pass over the resamples
constexpr std::size_t flip_tile = 256;  // resamples whose sums of all runs are at hand together
constexpr std::size_t pair_block = 16;  // pairs of one unit of work

// The inner loops, compiled for any processor and, on x86, once more for AVX2.
namespace inner {

#define POOLWISE_INLINE static inline __attribute__((always_inline))

// out[k][0..lane) = sum over topics of rows[topic][k] * panel[topic][0..lane), for `group` rows, `Rows` at a time.
template <class Number, class Vector, std::size_t Rows>
POOLWISE_INLINE void multiply(const Number* rows, const Number* panel, std::size_t topics, Number* const* out) {
    constexpr std::size_t width = sizeof(Vector) / sizeof(Number), parts = lane / width;
    typedef Vector Anywhere __attribute__((aligned(alignof(Number)), may_alias));
    for (std::size_t k = 0; k < group; k += Rows) {
        Vector sum[Rows][parts];
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t q = 0; q < parts; ++q) sum[r][q] = Vector{};
        for (std::size_t i = 0; i < topics; ++i) {
            const auto* const part = reinterpret_cast<const Anywhere*>(panel + i * lane);
            for (std::size_t r = 0; r < Rows; ++r)
                for (std::size_t q = 0; q < parts; ++q) sum[r][q] += rows[i * group + k + r] * part[q];
        }
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t q = 0; q < parts; ++q) reinterpret_cast<Anywhere*>(out[k + r])[q] = sum[r][q];
    }
}

// How many of the differences of two rows are at least the threshold in size.
POOLWISE_INLINE std::int64_t count_apart(const double* a, const double* b, std::size_t size, double threshold) {
    std::int64_t count = 0;
    for (std::size_t j = 0; j < size; ++j) count += std::fabs(a[j] - b[j]) >= threshold;
    return count;
}

// Replaces sums of squares by scale * (a - b)^2 / squares, and by NaN where the squares are too small for that.
POOLWISE_INLINE void divide(const double* a, const double* b, float* squares, std::size_t size, double scale) {
    for (std::size_t j = 0; j < size; ++j) {
        const double sum = a[j] - b[j];
        const float ratio = static_cast<float>(sum * sum * scale) / squares[j];
        squares[j] = squares[j] > 1e-20f ? ratio : std::numeric_limits<float>::quiet_NaN();
    }
}

// How many values are at least `high`, and how many are below `low`.
POOLWISE_INLINE void count_sides(const float* values, std::size_t size, float low, float high, std::int32_t* counts) {
    std::int32_t above = 0, below = 0;
    for (std::size_t j = 0; j < size; ++j) {
        above += values[j] >= high;
        below += values[j] < low;
    }
    counts[0] = above;
    counts[1] = below;
}

// clang-format off
#define POOLWISE_LOOPS(name, target, wide, rows, wide_floats, float_rows)                                            \
    struct name {                                                                                                    \
        typedef double Doubles __attribute__((vector_size(wide)));                                                   \
        typedef float Floats __attribute__((vector_size(wide_floats)));                                              \
        target static void exact(const double* from, const double* panel, std::size_t topics, double* const* out) {  \
            multiply<double, Doubles, rows>(from, panel, topics, out);                                               \
        }                                                                                                            \
        target static void rough(const float* from, const float* panel, std::size_t topics, float* const* out) {     \
            multiply<float, Floats, float_rows>(from, panel, topics, out);                                           \
        }                                                                                                            \
        target static std::int64_t apart(const double* a, const double* b, std::size_t size, double threshold) {     \
            return count_apart(a, b, size, threshold);                                                               \
        }                                                                                                            \
        target static void ratios(const double* a, const double* b, float* squares, std::size_t size, double scale) {\
            divide(a, b, squares, size, scale);                                                                      \
        }                                                                                                            \
        target static void sides(const float* values, std::size_t size, float low, float high, std::int32_t* counts){\
            count_sides(values, size, low, high, counts);                                                            \
        }                                                                                                            \
    };
// clang-format on

struct Loops {
    void (*multiply)(const double*, const double*, std::size_t, double* const*);
    void (*multiply_floats)(const float*, const float*, std::size_t, float* const*);
    std::int64_t (*count_apart)(const double*, const double*, std::size_t, double);
    void (*divide)(const double*, const double*, float*, std::size_t, double);
    void (*count_sides)(const float*, std::size_t, float, float, std::int32_t*);
};

template <class Set>
Loops loops_of() {
    return {Set::exact, Set::rough, Set::apart, Set::ratios, Set::sides};
}

POOLWISE_LOOPS(Plain, , 16, 1, 16, 2)
#if defined(__x86_64__)
POOLWISE_LOOPS(Avx2, __attribute__((target("avx2"))), 32, 2, 32, 4)
#endif
#undef POOLWISE_LOOPS
#undef POOLWISE_INLINE

inline const Loops& loops() {
#if defined(__x86_64__)
    static const Loops chosen = __builtin_cpu_supports("avx2") ? loops_of<Avx2>() : loops_of<Plain>();
#else
    static const Loops chosen = loops_of<Plain>();
#endif
    return chosen;
}

inline void multiply(const double* rows, const double* panel, std::size_t topics, double* const* out) {
    loops().multiply(rows, panel, topics, out);
}
inline void multiply(const float* rows, const float* panel, std::size_t topics, float* const* out) {
    loops().multiply_floats(rows, panel, topics, out);
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
    const double* open(std::size_t panel, std::vector<double>& to) const {
        const float* const from = kept_.data() + panel * topics * lane;
        to.assign(from, from + topics * lane);
        return to.data();
    }
    const float* open(std::size_t panel, std::vector<float>&) const { return kept_.data() + panel * topics * lane; }

    // The product of one row with the multipliers of one resample, in the order of `multiply`.
    double product(const double* row, std::size_t resample) const {
        const float* const from = kept_.data() + resample / lane * topics * lane + resample % lane;
        double sum = 0.0;
        for (std::size_t i = 0; i < topics; ++i) sum += row[i] * static_cast<double>(from[i * lane]);
        return sum;
    }

    const std::size_t topics, resamples, number;

   private:
    std::vector<float> kept_;
};

// Rows (count x topics) in groups as Multiplier reads them: [row / group][topic][row % group].
template <class Number>
std::vector<Number> grouped(const Number* rows, std::size_t count, std::size_t topics) {
    std::vector<Number> result((count + group - 1) / group * group * topics);
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t i = 0; i < topics; ++i)
            result[(r / group * topics + i) * group + r % group] = rows[r * topics + i];
    return result;
}

// Products of rows with the panels from `from` to `to`; those of row r begin at out + r * stride.
template <class Number>
class Multiplier {
   public:
    explicit Multiplier(const Panels& panels) : panels_(panels), spare_(lane) {}

    void run(const std::vector<Number>& rows, std::size_t count, std::size_t from, std::size_t to, Number* out,
             std::size_t stride) {
        for (std::size_t p = from; p < to; ++p) {
            const Number* const panel = panels_.open(p, opened_);
            for (std::size_t r = 0; r < count; r += group) {
                Number* target[group];
                for (std::size_t k = 0; k < group; ++k)
                    target[k] = r + k < count ? out + (r + k) * stride + (p - from) * lane : spare_.data();
                inner::multiply(rows.data() + r * panels_.topics, panel, panels_.topics, target);
            }
        }
    }

   private:
    const Panels& panels_;
    std::vector<Number> opened_, spare_;
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
    for_each((panels.number + step - 1) / step, threads, [&](Stopper&) {
        return [&, multiplier = Multiplier<double>(panels), sums = std::vector<double>(runs * flip_tile),
                tile_counts = std::vector<std::int64_t>(pairs.size)](std::size_t tile) mutable {
            const std::size_t from = tile * step, to = std::min(from + step, panels.number);
            const std::size_t size = std::min(to * lane, resamples) - from * lane;
            multiplier.run(rows, runs, from, to, sums.data(), flip_tile);
            for (std::size_t p = 0; p < pairs.size; ++p)
                tile_counts[p] =
                    inner::loops().count_apart(sums.data() + pairs.first[p] * flip_tile,
                                               sums.data() + pairs.second[p] * flip_tile, size, thresholds[p]);
            const std::lock_guard<std::mutex> guard(lock);
            for (std::size_t p = 0; p < pairs.size; ++p) counts[p] += tile_counts[p];
        };
    });
}

// What `bootstrap_pairs` finds for one pair.
struct PairFound {
    std::int64_t count = 0;
    double ratio = 0.0, sum = 0.0;
};

// One pair under all resamples. Single precision tells nearly all ratios apart from what they are compared with, as
// sums of squares lose no more than a known share to rounding; the few it cannot tell are computed in double precision,
// in one fixed order, and those decide. So results do not depend on how single precision was computed.
class PairBootstrap {
   public:
    explicit PairBootstrap(const Panels& panels)
        : panels_(panels), share_(1.2e-7 * static_cast<double>(panels.topics + 16)) {}

    // `rough`: sums of `scale` times the squares, which are replaced; a, b: sums of the two runs.
    PairFound run(const double* a, const double* b, const double* squares, double scale, float* rough, double wanted,
                  std::size_t rank) {
        a_ = a, b_ = b, squares_ = squares;
        const std::size_t size = panels_.resamples;
        inner::loops().divide(a, b, rough, size, scale);
        PairFound found;
        const float low = below(wanted), high = above(wanted);
        std::int32_t sides[2];
        inner::loops().count_sides(rough, size, low, high, sides);
        found.count = sides[0];
        if (static_cast<std::size_t>(sides[0]) + static_cast<std::size_t>(sides[1]) < size)
            for (std::size_t j = 0; j < size; ++j) {
                if (rough[j] >= high || rough[j] < low) continue;
                const double ratio = exact(j);
                found.count += ratio >= wanted;
                rough[j] = static_cast<float>(ratio);
            }
        select(rough, rank, found);
        return found;
    }

   private:
    // Safely below or above a value, however single precision rounded it.
    float below(double value) const { return static_cast<float>(value * (1 - share_) - 1e-12); }
    float above(double value) const { return static_cast<float>(value * (1 + share_) + 1e-12); }

    double sum(std::size_t j) const { return a_[j] - b_[j]; }

    double exact(std::size_t j) const {
        const double square = panels_.product(squares_, j);
        return square > 0.0 ? sum(j) * sum(j) / square : 0.0;
    }

    // The rank-th largest ratio is among those near the rank-th largest rough one.
    void select(const float* rough, std::size_t rank, PairFound& found) {
        const std::size_t size = panels_.resamples;
        const auto [least, most] = bracket(rough, rank);
        const float low = below(below(least)), high = above(above(most));
        near_.clear();
        std::size_t larger = 0;
        constexpr std::size_t step = 32;
        for (std::size_t from = 0; from < size; from += step) {
            const std::size_t to = std::min(from + step, size);
            std::int32_t sides[2];
            inner::loops().count_sides(rough + from, to - from, low, high, sides);
            larger += static_cast<std::size_t>(sides[0]);
            if (sides[0] + sides[1] == static_cast<std::int32_t>(to - from)) continue;
            for (std::size_t j = from; j < to; ++j)
                if (rough[j] >= low && rough[j] < high) near_.push_back({exact(j), std::fabs(sum(j))});
        }
        const auto wanted = near_.begin() + static_cast<std::ptrdiff_t>(rank - 1 - larger);
        std::nth_element(near_.begin(), wanted, near_.end(), std::greater<>());
        found.ratio = wanted->first;
        for (const auto& [ratio, size_of_sum] : near_)
            if (ratio == found.ratio) found.sum = std::max(found.sum, size_of_sum);
        guess_ = static_cast<float>(found.ratio);
    }

    // Two bounds with the rank-th largest value and few others between them. Counting all values against two bounds is
    // quick, and the pair before tells where to begin.
    std::pair<float, float> bracket(const float* rough, std::size_t rank) const {
        const std::size_t size = panels_.resamples;
        float least = 0.0f, most = 2.0f * static_cast<float>(panels_.topics) + 1.0f;  // no ratio is above `topics`
        std::size_t from_least = size, from_most = 0;                                 // values of at least that
        // The first bounds are 15 % around the ratio of the pair before, as ratios of pairs differ little; later ones a
        // tenth of what is left around where the value should be. Such steps take few turns; only speed depends on
        // them.
        float middle = guess_, reach = 0.15f * guess_;
        for (int turn = 0; from_least - from_most > 2 && most - least > 1e-6f * most && turn < most_turns; ++turn) {
            const float low = std::max(least, middle - reach), high = std::min(most, middle + reach);
            std::int32_t sides[2];
            inner::loops().count_sides(rough, size, low, high, sides);
            const std::size_t from_high = static_cast<std::size_t>(sides[0]);
            const std::size_t from_low = size - static_cast<std::size_t>(sides[1]);
            if (from_high >= rank) {
                least = high, from_least = from_high;
            } else if (from_low < rank) {
                most = low, from_most = from_low;
            } else {
                least = low, from_least = from_low, most = high, from_most = from_high;
            }
            // As if values were spread evenly; every third time thirds, lest they are not.
            const float share =
                (static_cast<float>(from_least - rank) + 0.5f) / static_cast<float>(from_least - from_most);
            middle = turn % 3 == 2 ? (least + most) / 2 : least + share * (most - least);
            reach = turn % 3 == 2 ? (most - least) / 6 : (most - least) / 10;
        }
        return {least, most};
    }

    const Panels& panels_;
    const double share_;
    const double *a_ = nullptr, *b_ = nullptr, *squares_ = nullptr;
    static constexpr int most_turns = 60;          // thirds come every third turn, so floats are told apart long before
    float guess_ = 4.0f;                           // before the first pair: near 1.96^2, which 5 % of ratios pass
    std::vector<std::pair<double, double>> near_;  // ratio and size of the sum
};

// For every pair of rows of centred values (runs x topics; each row sums to 0) and resamples (resamples x topics: how
// often a topic is taken), with w the difference of the rows, s = sum of w and r = s^2 / sum of w^2 over a resample:
// counts[p] is how many r are at least wanted[p], ratios[p] the rank-th largest r, and sums[p] the largest |s| of the
// resamples that have it. Differences of at most `noise` are 0.
inline void bootstrap_pairs(const double* centred, std::size_t runs, std::size_t topics, const std::uint16_t* taken,
                            std::size_t resamples, PairList pairs, const double* wanted, std::size_t rank, double noise,
                            std::int64_t* counts, double* ratios, double* sums, std::size_t threads) {
    const Panels panels(taken, resamples, topics);
    const std::size_t stride = panels.number * lane;
    std::vector<double> totals(runs * stride);
    for_each((runs + pair_block - 1) / pair_block, threads, [&](Stopper&) {
        return [&, multiplier = Multiplier<double>(panels)](std::size_t unit) mutable {
            const std::size_t from = unit * pair_block, count = std::min(pair_block, runs - from);
            const std::vector<double> rows = grouped(centred + from * topics, count, topics);
            multiplier.run(rows, count, 0, panels.number, totals.data() + from * stride, stride);
        };
    });
    for_each((pairs.size + pair_block - 1) / pair_block, threads, [&](Stopper&) {
        return [&, multiplier = Multiplier<float>(panels), bootstrap = PairBootstrap(panels),
                squares = std::vector<double>(pair_block * topics), scaled = std::vector<float>(pair_block * topics),
                rough = std::vector<float>(pair_block * stride)](std::size_t unit) mutable {
            const std::size_t from = unit * pair_block, count = std::min(pair_block, pairs.size - from);
            double scales[pair_block];
            for (std::size_t k = 0; k < count; ++k) {
                double* const squared = squares.data() + k * topics;
                const double* const a = centred + pairs.first[from + k] * topics;
                const double* const b = centred + pairs.second[from + k] * topics;
                double largest = 1e-300;
                for (std::size_t i = 0; i < topics; ++i) {
                    const double w = a[i] - b[i];
                    squared[i] = std::fabs(w) <= noise ? 0.0 : w * w;
                    largest = std::max(largest, squared[i]);
                }
                scales[k] = 1.0 / largest;
                for (std::size_t i = 0; i < topics; ++i)
                    scaled[k * topics + i] = static_cast<float>(squared[i] * scales[k]);
            }
            multiplier.run(grouped(scaled.data(), count, topics), count, 0, panels.number, rough.data(), stride);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t p = from + k;
                const PairFound found =
                    bootstrap.run(totals.data() + pairs.first[p] * stride, totals.data() + pairs.second[p] * stride,
                                  squares.data() + k * topics, scales[k], rough.data() + k * stride, wanted[p], rank);
                counts[p] = found.count;
                ratios[p] = found.ratio;
                sums[p] = found.sum;
            }
        };
    });
}

}  // namespace poolwise
