// Sums over rows of a matrix, eight columns at a time: their sums stay in registers while the rows pass. The loops are
// compiled for any processor and, on x86, again for AVX2 and AVX-512; every column has sums of its own, so all give the
// same. A sum waits for the one before it: two panels at once keep the processor busy meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace poolwise {

constexpr std::size_t panel_width = 8;  // doubles: a cache line of 64 bytes

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
    const double* panel(std::size_t number) const { return begin_ + number * stride(); }
    std::size_t stride() const { return rows_ * panel_width; }  // from one panel to the next

   private:
    // Room that is not filled with zeros first: every row is copied into it.
    ColumnPanels(std::size_t rows, std::size_t columns)
        : rows_(rows),
          count_((columns + panel_width - 1) / panel_width),
          values_(new double[rows * count_ * panel_width + 7]) {
        const auto past = reinterpret_cast<std::uintptr_t>(values_.get()) / sizeof(double) % panel_width;
        begin_ = values_.get() + (panel_width - past) % panel_width;  // each row of a panel fills one line of the cache
    }

    void fill(std::size_t row, const double* values, std::size_t columns) {
        double* to = begin_ + row * panel_width;
        for (; columns >= panel_width; columns -= panel_width, values += panel_width, to += stride())
            std::memcpy(to, values, panel_width * sizeof(double));
        if (columns > 0) {
            std::copy(values, values + columns, to);
            std::fill(to + columns, to + panel_width, 0.0);
        }
    }

    const std::size_t rows_, count_;
    const std::unique_ptr<double[]> values_;
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
    double with_one[panel_width], with_two[panel_width], weighted[panel_width], above[panel_width];
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

// The sums of rows, each times its factor, in some panels that lie `stride` apart.
template <class Vector, std::size_t Panels>
POOLWISE_INLINE void add_rows(const double* panel, std::size_t stride, const Weighted* steps, std::size_t size,
                              double* out) {
    Eight<Vector> even[Panels], odd[Panels];
    for (std::size_t k = 0; k < Panels; ++k) even[k] = odd[k] = Eight<Vector>::none();
    std::size_t i = 0;
    for (; i + 1 < size; i += 2) {
        const double* const first = panel + steps[i].row * panel_width;
        const double* const second = panel + steps[i + 1].row * panel_width;
        const double by_first = steps[i].factor, by_second = steps[i + 1].factor;
        for (std::size_t k = 0; k < Panels; ++k) {
            const Eight<Vector> even_row = Eight<Vector>::at(first + k * stride),
                                odd_row = Eight<Vector>::at(second + k * stride);
            for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
                even[k].part[q] += even_row.part[q] * by_first;
                odd[k].part[q] += odd_row.part[q] * by_second;
            }
        }
    }
    for (std::size_t k = 0; k < Panels; ++k) {
        if (i < size) {
            const Eight<Vector> last = Eight<Vector>::at(panel + steps[i].row * panel_width + k * stride);
            for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) even[k].part[q] += last.part[q] * steps[i].factor;
        }
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) even[k].part[q] += odd[k].part[q];
        Eight<Vector>::store(even[k], out + k * panel_width);
    }
}

// The sum of rows times those above them, by rank, over all columns of some panels.
template <class Vector, std::size_t Panels>
POOLWISE_INLINE double join_rows(const double* panel, std::size_t stride, const Ranked* steps, std::size_t size) {
    Eight<Vector> total[Panels], above[Panels];
    for (std::size_t k = 0; k < Panels; ++k) total[k] = above[k] = Eight<Vector>::none();
    for (std::size_t i = 0; i < size; ++i) {
        const double* const here = panel + steps[i].row * panel_width;
        const double factor = steps[i].share;
        for (std::size_t k = 0; k < Panels; ++k) {
            const Eight<Vector> row = Eight<Vector>::at(here + k * stride);
            for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
                total[k].part[q] += above[k].part[q] * row.part[q] * factor;
                above[k].part[q] += row.part[q];
            }
        }
    }
    double sums[panel_width], sum = 0.0;
    for (std::size_t k = 0; k < Panels; ++k) {
        Eight<Vector>::store(total[k], sums);
        for (const double each : sums) sum += each;
    }
    return sum;
}

template <class Vector>
POOLWISE_INLINE void go_down(const double* panel, const Ranked* steps, std::size_t size, RankedSums* sums) {
    Eight<Vector> with_one = Eight<Vector>::at(sums->with_one), with_two = Eight<Vector>::at(sums->with_two);
    Eight<Vector> weighted = Eight<Vector>::at(sums->weighted), above = Eight<Vector>::at(sums->above);
    for (std::size_t i = 0; i < size; ++i) {
        const Eight<Vector> row = Eight<Vector>::at(panel + steps[i].row * panel_width);
        for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) {
            const Vector shared = row.part[q] * steps[i].share;
            with_one.part[q] += row.part[q] * steps[i].near;
            with_two.part[q] += above.part[q] * shared;
            weighted.part[q] += shared;
            above.part[q] += row.part[q];
        }
    }
    Eight<Vector>::store(with_one, sums->with_one);
    Eight<Vector>::store(with_two, sums->with_two);
    Eight<Vector>::store(weighted, sums->weighted);
    Eight<Vector>::store(above, sums->above);
}

// The sum over rows of two panels of left' right, 8 x 8; as many rows of it at a time as stay in registers.
template <class Vector, std::size_t Rows>
POOLWISE_INLINE void square_rows(const double* left, const double* right, std::size_t size, double* out) {
    for (std::size_t begin = 0; begin < panel_width; begin += Rows) {
        Eight<Vector> sums[Rows];
        for (std::size_t k = 0; k < Rows; ++k) sums[k] = Eight<Vector>::none();
        for (std::size_t i = 0; i < size; ++i) {
            const Eight<Vector> row = Eight<Vector>::at(right + i * panel_width);
            const double* const panel_row = left + i * panel_width + begin;
            for (std::size_t k = 0; k < Rows; ++k)
                for (std::size_t q = 0; q < Eight<Vector>::parts; ++q) sums[k].part[q] += row.part[q] * panel_row[k];
        }
        for (std::size_t k = 0; k < Rows; ++k) Eight<Vector>::store(sums[k], out + (begin + k) * panel_width);
    }
}

// For some rows at once: the sum of the squares of a row times a lower triangle that is given in panels.
template <class Vector, std::size_t Rows>
POOLWISE_INLINE void length_of_rows(const double* row, std::size_t columns, const double* triangle, double* out) {
    Eight<Vector> total[Rows];
    for (std::size_t k = 0; k < Rows; ++k) total[k] = Eight<Vector>::none();
    for (std::size_t begin = 0; begin < columns; begin += panel_width) {
        const double* const panel = triangle + begin * columns;
        Eight<Vector> sums[Rows];
        for (std::size_t k = 0; k < Rows; ++k) sums[k] = Eight<Vector>::none();
        for (std::size_t i = begin; i < columns; ++i) {  // above the diagonal there is nothing
            const Eight<Vector> of_panel = Eight<Vector>::at(panel + i * panel_width);
            for (std::size_t k = 0; k < Rows; ++k)
                for (std::size_t q = 0; q < Eight<Vector>::parts; ++q)
                    sums[k].part[q] += of_panel.part[q] * row[k * columns + i];
        }
        for (std::size_t k = 0; k < Rows; ++k)
            for (std::size_t q = 0; q < Eight<Vector>::parts; ++q)
                total[k].part[q] += sums[k].part[q] * sums[k].part[q];
    }
    double parts[panel_width];
    for (std::size_t k = 0; k < Rows; ++k) {
        Eight<Vector>::store(total[k], parts);
        out[k] = 0.0;
        for (const double part : parts) out[k] += part;
    }
}

template <class Vector, std::size_t Rows>
POOLWISE_INLINE void lengths_of_rows(const double* rows, std::size_t number, std::size_t columns,
                                     const double* triangle, double* out) {
    std::size_t i = 0;
    for (; i + Rows <= number; i += Rows) length_of_rows<Vector, Rows>(rows + i * columns, columns, triangle, out + i);
    for (; i < number; ++i) length_of_rows<Vector, 1>(rows + i * columns, columns, triangle, out + i);
}

// clang-format off
#define POOLWISE_PANELS(name, target, wide, rows)                                                                      \
    struct name {                                                                                                      \
        typedef double Vector __attribute__((vector_size(wide)));                                                      \
        target static void add(const double* panel, const Weighted* steps, std::size_t size, double* out) {            \
            add_rows<Vector, 1>(panel, 0, steps, size, out);                                                           \
        }                                                                                                              \
        target static void add_two(const double* panel, std::size_t stride, const Weighted* steps, std::size_t size,   \
                                   double* out) {                                                                      \
            add_rows<Vector, 2>(panel, stride, steps, size, out);                                                      \
        }                                                                                                              \
        target static double join(const double* panel, const Ranked* steps, std::size_t size) {                        \
            return join_rows<Vector, 1>(panel, 0, steps, size);                                                        \
        }                                                                                                              \
        target static double join_two(const double* panel, std::size_t stride, const Ranked* steps,                    \
                                      std::size_t size) {                                                              \
            return join_rows<Vector, 2>(panel, stride, steps, size);                                                   \
        }                                                                                                              \
        target static void down(const double* panel, const Ranked* steps, std::size_t size, RankedSums* sums) {        \
            go_down<Vector>(panel, steps, size, sums);                                                                 \
        }                                                                                                              \
        target static void square(const double* left, const double* right, std::size_t size, double* out) {            \
            square_rows<Vector, rows>(left, right, size, out);                                                         \
        }                                                                                                              \
        target static void lengths(const double* from, std::size_t number, std::size_t columns,                        \
                                   const double* triangle, double* out) {                                              \
            lengths_of_rows<Vector, rows>(from, number, columns, triangle, out);                                       \
        }                                                                                                              \
    };
// clang-format on

POOLWISE_PANELS(Plain, , 16, 2)
#if defined(__x86_64__)
POOLWISE_PANELS(Avx2, __attribute__((target("avx2"))), 32, 4)
POOLWISE_PANELS(Avx512, __attribute__((target("avx512f"))), 64, 8)
#endif
#undef POOLWISE_PANELS
#undef POOLWISE_INLINE

struct Loops {
    void (*add)(const double*, const Weighted*, std::size_t, double*);
    void (*add_two)(const double*, std::size_t, const Weighted*, std::size_t, double*);
    double (*join)(const double*, const Ranked*, std::size_t);
    double (*join_two)(const double*, std::size_t, const Ranked*, std::size_t);
    void (*down)(const double*, const Ranked*, std::size_t, RankedSums*);
    void (*square)(const double*, const double*, std::size_t, double*);
    void (*lengths)(const double*, std::size_t, std::size_t, const double*, double*);
};

template <class Set>
Loops loops_of() {
    return {Set::add, Set::add_two, Set::join, Set::join_two, Set::down, Set::square, Set::lengths};
}

// The widest that the processor has.
inline Loops widest() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return loops_of<Avx512>();
    if (__builtin_cpu_supports("avx2")) return loops_of<Avx2>();
#endif
    return loops_of<Plain>();
}

inline const Loops& loops() {
    static const Loops chosen = widest();
    return chosen;
}

}  // namespace panels
}  // namespace poolwise
