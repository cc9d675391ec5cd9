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

#include "../pool.hpp"

namespace poolwise {

namespace nb = nanobind;
using namespace nb::literals;

using Labels = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
template <class T>
using View = nb::ndarray<nb::memview, T, nb::c_contig>;

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// An array that Python owns and sees without numpy.
template <class T>
View<T> hand_over(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return View<T>(kept->data(), shape, owner);
}

template <class T>
View<T> hand_over(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return hand_over(std::move(values), {size});
}

inline void check_size(const Pool& pool, const Labels& labels, std::size_t samples) {
    if (labels.size() != samples * pool.offsets.back()) throw nb::value_error("labels of another pool");
}

// Each part of the core is bound in a file of its own; what works on a pool becomes a method of it.
void bind_reading(nb::module_& module);
void bind_pool(nb::class_<Pool>& pool);
void bind_sampling(nb::module_& module, nb::class_<Pool>& pool);
void bind_scoring(nb::module_& module, nb::class_<Pool>& pool);
void bind_pairs(nb::module_& module);
void bind_assisted(nb::module_& module, nb::class_<Pool>& pool);

}  // namespace poolwise
