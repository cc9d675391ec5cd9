// The border to Python: arrays, bytes and numbers only; words and checks stay on the other side.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "pool/front.hpp"

namespace poolwise {

namespace nb = nanobind;
using namespace nb::literals;

using Labels = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
// What Python gets: a memoryview, whose format and number of dimensions are known.
template <class T, std::size_t Dimensions = 1>
using View = nb::ndarray<nb::memview, T, nb::ndim<Dimensions>, nb::c_contig>;

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// An array that Python owns and sees without numpy.
template <class T, std::size_t Dimensions>
View<T, Dimensions> hand_over(std::vector<T>&& values, const std::size_t (&shape)[Dimensions]) {
    auto* memory = new std::vector<T>(std::move(values));
    nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return View<T, Dimensions>(memory->data(), Dimensions, shape, owner);
}

template <class T>
View<T> hand_over(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return hand_over(std::move(values), {size});
}

// Whatever Python hands over is checked here, so that the loops behind need not ask.
inline void check(bool fits, const char* words) {
    if (!fits) throw nb::value_error(words);
}

// How many values an array of this shape holds; more than memory can ever hold is an error, not a small number.
inline std::size_t size_of(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t side : shape) {
        if (side != 0 && size > std::numeric_limits<std::size_t>::max() / 16 / side) throw std::bad_alloc();
        size *= side;
    }
    return size;
}

inline void check_size(const Pool& pool, const Labels& labels, std::size_t samples) {
    check(labels.size() == size_of({samples, pool.offsets.back()}), "labels of another pool");
}

inline void check_topic(const Pool& pool, std::size_t topic) {
    if (topic >= pool.topics.size()) throw nb::index_error("no such topic");
}

// What looks at documents that the judgments do not list needs them all, and would find none without a word.
inline void check_whole(const Pool& pool) {
    if (!pool.keep_all) throw std::logic_error("the pool was asked for documents that it does not keep");
}

template <class Number>
void check_runs(const Pool& pool, const std::vector<Number>& runs) {
    for (const Number run : runs)
        if (run < 0 || static_cast<std::size_t>(run) >= pool.runs.size()) throw nb::index_error("no such run");
}

// Pairs of runs; without a second run where that one is negative.
inline void check_pairs(const Pool& pool, const std::vector<std::int32_t>& first,
                        const std::vector<std::int32_t>& second) {
    check(first.size() == second.size(), "as many first runs as second ones");
    check_runs(pool, first);
    for (const std::int32_t run : second)
        if (run >= 0) check_runs(pool, std::vector<std::int32_t>{run});
}

// Names of the rows of a table.
template <class Table>
nb::tuple names_of(const Table& table) {
    nb::list names;
    for (const auto& row : table) names.append(row.name);
    return nb::tuple(names);
}

// Each part of the core is bound in a file of its own; what works on a pool becomes a method of it.
void bind_reading(nb::module_& module);
void bind_pool(nb::module_& module, nb::class_<Pool>& pool);
void bind_sampling(nb::module_& module, nb::class_<Pool>& pool);
void bind_scoring(nb::module_& module, nb::class_<Pool>& pool);
void bind_pairs(nb::module_& module);
void bind_distributions(nb::module_& module);
void bind_assisted(nb::module_& module, nb::class_<Pool>& pool);
void bind_outside(nb::class_<Pool>& pool);
void bind_terms(nb::class_<Pool>& pool);
void bind_topic_rows(nb::module_& module);

}  // namespace poolwise
