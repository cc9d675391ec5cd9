// Sums over rows of a matrix, eight columns at a time: their sums stay in registers while the rows pass. The loops are
// compiled for any processor and, on x86, once more for AVX2; every column has sums of its own, so both give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poolwise {

constexpr std::size_t panel_width = 8;

// A copy of a matrix in panels of eight columns, row after row; the last one is filled up with zeros.
class ColumnPanels {
   public:
    ColumnPanels(const double* matrix, std::size_t rows, std::size_t columns) : ColumnPanels(rows, columns) {
        for (std::size_t row = 0; row < rows; ++row) fill(row, matrix + row * columns, columns);
    }

    // Of some rows alone.
    ColumnPanels(const double* matrix, const std::vector<std::int32_t>& rows, std::size_t columns)
        : ColumnPanels(rows.size(), columns) {
        for (std::size_t row = 0; row < rows.size(); ++row) fill(row, matrix + rows[row] * columns, columns);
    }

    std::size_t count() const { return count_; }
    const double* panel(std::size_t number) const { return begin_ + number * rows_ * panel_width; }

   private:
    ColumnPanels(std::size_t rows, std::size_t columns)
        : rows_(rows), count_((columns + panel_width - 1) / panel_width), values_(rows * count_ * panel_width + 7) {
        const auto past = reinterpret_cast<std::uintptr_t>(values_.data()) / sizeof(double) % panel_width;
        begin_ =
            values_.data() + (panel_width - past) % panel_width;  // each row of a panel fills one line of the cache
    }

    void fill(std::size_t row, const double* values, std::size_t columns) {
        for (std::size_t c = 0; c < columns; ++c)
            begin_[((c / panel_width) * rows_ + row) * panel_width + c % panel_width] = values[c];
    }

    const std::size_t rows_, count_;
    std::vector<double> values_;
    double* begin_;
};

// A row to be added, and its factor.
struct Weighted {
    std::uint32_t row;
    double factor;
};

// A document of a ranking: 1 / rank, and its slope.
struct Ranked {
    std::uint32_t row;
    double share, near;
};

// Sums down a ranking: of rows times near; of rows times those above, by rank; of rows by rank; of rows.
struct RankedSums {
    double one[panel_width], two[panel_width], weighted[panel_width], above[panel_width];
};

namespace panels {

#define POOLWISE_INLINE static inline __attribute__((always_inline))

// Eight numbers in as many vectors as they need; loops over these are unrolled.
template <class Vector>
struct Eight {
    static constexpr std::size_t parts = panel_width * sizeof(double) / sizeof(Vector);
    typedef Vector Anywhere __attribute__((aligned(sizeof(double)), may_alias));
    Vector part[parts];

    POOLWISE_INLINE Eight at(const double* from) {
        Eight loaded;
        for (std::size_t q = 0; q < parts; ++q) loaded.part[q] = reinterpret_cast<const Anywhere*>(from)[q];
        return loaded;
    }
    POOLWISE_INLINE Eight none() {
        Eight zeros;
        for (std::size_t q = 0; q < parts; ++q) zeros.part[q] = Vector{};
        return zeros;
    }
    POOLWISE_INLINE void store(const Eight& from, double* to) {
        for (std::size_t q = 0; q < parts; ++q) reinterpret_cast<Anywhere*>(to)[q] = from.part[q];
    }
};

// The sum of rows, each times its factor.
template <class Vector>
POOLWISE_INLINE void add_rows(const double* panel, const Weighted* steps, std::size_t size, double* out) {
    Eight<Vector> even = Eight<Vector>::none(), odd = even;
    std::size_t i = 0;
    for (; i + 1 < size; i += 2) {
        const Eight<Vector> first = Eight<Vector>::at(panel + steps[i].row * panel_width);
        const Eight<Vector> second = Eight<Vector>::at(panel + steps[i + 1].row * panel_width);
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
            even.part[q] += first.part[q] * steps[i].factor;
            odd.part[q] += second.part[q] * steps[i + 1].factor;
        }
    }
    if (i < size) {
        const Eight<Vector> last = Eight<Vector>::at(panel + steps[i].row * panel_width);
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) even.part[q] += last.part[q] * steps[i].factor;
    }
    for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) even.part[q] += odd.part[q];
    Eight<Vector>::store(even, out);
}

// The sum of rows times those above them, by rank, over all columns.
template <class Vector>
POOLWISE_INLINE double join_rows(const double* panel, const Weighted* steps, std::size_t size) {
    Eight<Vector> total = Eight<Vector>::none(), above = total;
    for (std::size_t i = 0; i < size; ++i) {
        const Eight<Vector> row = Eight<Vector>::at(panel + steps[i].row * panel_width);
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
            total.part[q] += above.part[q] * row.part[q] * steps[i].factor;
            above.part[q] += row.part[q];
        }
    }
    double sums[panel_width], sum = 0.0;
    Eight<Vector>::store(total, sums);
    for (const double each : sums) sum += each;
    return sum;
}

template <class Vector>
POOLWISE_INLINE void go_down(const double* panel, const Ranked* steps, std::size_t size, RankedSums* sums) {
    Eight<Vector> one = Eight<Vector>::at(sums->one), two = Eight<Vector>::at(sums->two);
    Eight<Vector> weighted = Eight<Vector>::at(sums->weighted), above = Eight<Vector>::at(sums->above);
    for (std::size_t i = 0; i < size; ++i) {
        const Eight<Vector> row = Eight<Vector>::at(panel + steps[i].row * panel_width);
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
            const Vector shared = row.part[q] * steps[i].share;
            one.part[q] += row.part[q] * steps[i].near;
            two.part[q] += above.part[q] * shared;
            weighted.part[q] += shared;
            above.part[q] += row.part[q];
        }
    }
    Eight<Vector>::store(one, sums->one);
    Eight<Vector>::store(two, sums->two);
    Eight<Vector>::store(weighted, sums->weighted);
    Eight<Vector>::store(above, sums->above);
}

// The sum over rows of two panels of weight x left' right, 8 x 8; four rows of it at a time stay in registers.
template <class Vector>
POOLWISE_INLINE void square_rows(const double* left, const double* right, const double* weight, std::size_t size,
                                 double* out) {
    for (std::size_t begin = 0; begin < panel_width; begin += 4) {
        Eight<Vector> sums[4] = {Eight<Vector>::none(), Eight<Vector>::none(), Eight<Vector>::none(),
                                 Eight<Vector>::none()};
        for (std::size_t i = 0; i < size; ++i) {
            const Eight<Vector> row = Eight<Vector>::at(right + i * panel_width);
            const double* const own = left + i * panel_width + begin;
            for (std::size_t k = 0; k < 4; ++k) {
                const double factor = weight[i] * own[k];
                for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) sums[k].part[q] += row.part[q] * factor;
            }
        }
        for (std::size_t k = 0; k < 4; ++k) Eight<Vector>::store(sums[k], out + (begin + k) * panel_width);
    }
}

// clang-format off
#define POOLWISE_PANELS(name, target, wide)                                                                            \
    struct name {                                                                                                      \
        typedef double Vector __attribute__((vector_size(wide)));                                                      \
        target static void add(const double* panel, const Weighted* steps, std::size_t size, double* out) {            \
            add_rows<Vector>(panel, steps, size, out);                                                                 \
        }                                                                                                              \
        target static double join(const double* panel, const Weighted* steps, std::size_t size) {                      \
            return join_rows<Vector>(panel, steps, size);                                                              \
        }                                                                                                              \
        target static void down(const double* panel, const Ranked* steps, std::size_t size, RankedSums* sums) {        \
            go_down<Vector>(panel, steps, size, sums);                                                                 \
        }                                                                                                              \
        target static void square(const double* left, const double* right, const double* weight, std::size_t size,     \
                                  double* out) {                                                                       \
            square_rows<Vector>(left, right, weight, size, out);                                                       \
        }                                                                                                              \
    };
// clang-format on

POOLWISE_PANELS(Plain, , 16)
#if defined(__x86_64__)
POOLWISE_PANELS(Avx2, __attribute__((target("avx2"))), 32)
#endif
#undef POOLWISE_PANELS
#undef POOLWISE_INLINE

struct Loops {
    void (*add)(const double*, const Weighted*, std::size_t, double*);
    double (*join)(const double*, const Weighted*, std::size_t);
    void (*down)(const double*, const Ranked*, std::size_t, RankedSums*);
    void (*square)(const double*, const double*, const double*, std::size_t, double*);
};

template <class Set>
Loops loops_of() {
    return {Set::add, Set::join, Set::down, Set::square};
}

inline const Loops& loops() {
#if defined(__x86_64__)
    static const Loops chosen = __builtin_cpu_supports("avx2") ? loops_of<Avx2>() : loops_of<Plain>();
#else
    static const Loops chosen = loops_of<Plain>();
#endif
    return chosen;
}

}  // namespace panels
}  // namespace poolwise
